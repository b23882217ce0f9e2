/// The hub as a device of Home Assistant, which finds it over MQTT: topics and messages.
///
/// The configuration is Home Assistant's discovery of whole devices (`homeassistant/device/<id>/config`, its abbreviations), since 2024.12.
struct HomeDevice: Hashable, Sendable {
  /// The topic on which Home Assistant reports that it has started, and so needs all messages again.
  static let statusTopic = "homeassistant/status"
  /// The message of Home Assistant's start.
  static let started = "online"
  /// The time in seconds after which Home Assistant drops a value by itself. The hub reports the end of a value earlier.
  static let expiry = 15

  /// The name that distinguishes this hub from others of the same broker.
  let name: String

  /// - Parameter name: 1 to 40 of the ASCII letters, digits, `_` and `-`; the result is nil for another name.
  init?(name: String) {
    let isAllowed = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard isAllowed, (1...40).contains(name.utf8.count) else { return nil }
    self.name = name
  }

  /// The topic of the configuration, a retained message.
  var configurationTopic: String { "homeassistant/device/\(name)/config" }
  /// The topic of values, which are not retained.
  var stateTopic: String { "sensord/\(name)/state" }
  /// The topic of the availability of a value, a retained message.
  var availabilityTopic: String { "sensord/\(name)/availability" }

  /// The message at ``availabilityTopic``.
  static func availability(_ pulse: Pulse) -> String {
    if case .value = pulse { "online" } else { "offline" }
  }

  /// The message at ``stateTopic``: `{"bpm":72,"rr_ms":833}`, the last interval to the nearest millisecond; nil without a value.
  static func state(_ pulse: Pulse) -> String? {
    guard case .value(let reading) = pulse else { return nil }
    return
      #"{"bpm":\#(reading.beatsPerMinute),"rr_ms":\#(reading.lastIntervalMilliseconds.map(String.init) ?? "null")}"#
  }

  /// The message at ``configurationTopic``.
  var configuration: String {
    #"{"dev":{"ids":["\#(name)"],"name":"\#(name)","mf":"sensord","mdl":"Live hub"},"#
      + #""o":{"name":"sensord-live"},"avty_t":"\#(availabilityTopic)","stat_t":"\#(stateTopic)","qos":0,"cmps":{"#
      + component("heart_rate", "Heart rate", unit: "bpm", icon: "mdi:heart-pulse", key: "bpm") + ","
      + component("rr_interval", "RR interval", unit: "ms", icon: "mdi:heart-flash", key: "rr_ms") + "}}"
  }

  private func component(_ id: String, _ title: String, unit: String, icon: String, key: String) -> String {
    #""\#(id)":{"p":"sensor","uniq_id":"\#(name)_\#(id)","name":"\#(title)","unit_of_meas":"\#(unit)","#
      + #""stat_cla":"measurement","ic":"\#(icon)","exp_aft":\#(Self.expiry),"val_tpl":"{{ value_json.\#(key) }}"}"#
  }
}
