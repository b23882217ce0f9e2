public import LivePulse

/// What a hub is to Home Assistant: a device that is found over MQTT, with its topics and what is said in them.
///
/// The configuration is Home Assistant's discovery of whole devices (`homeassistant/device/<id>/config`, its abbreviations), since 2024.12.
public struct HomeDevice: Hashable, Sendable {
  /// The topic on which Home Assistant says that it has started, and has to be told again what there is.
  public static let statusTopic = "homeassistant/status"
  /// What it says there.
  public static let started = "online"
  /// How long after a value Home Assistant gives it up by itself, in seconds. The hub says earlier that there is none.
  static let expiry = 15

  /// Tells this hub from others of the same broker.
  public let name: String

  /// - Parameter name: 1 to 40 of the ASCII letters, digits, `_` and `-`; nil comes back for another.
  public init?(name: String) {
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

  /// Where the configuration is kept.
  public var configurationTopic: String { "homeassistant/device/\(name)/config" }
  /// Where values are sent; none is kept.
  public var stateTopic: String { "sensord/\(name)/state" }
  /// Where is kept whether there is a value.
  public var availabilityTopic: String { "sensord/\(name)/availability" }

  /// What is kept at ``availabilityTopic``.
  public static func availability(_ pulse: Pulse) -> String {
    if case .value = pulse { "online" } else { "offline" }
  }

  /// What is sent to ``stateTopic``: `{"bpm":72,"rr_ms":833}`, the last interval to the nearest millisecond; nil without a value.
  public static func state(_ pulse: Pulse) -> String? {
    guard case .value(let reading) = pulse else { return nil }
    return
      #"{"bpm":\#(reading.beatsPerMinute),"rr_ms":\#(reading.lastIntervalMilliseconds.map(String.init) ?? "null")}"#
  }

  /// What is kept at ``configurationTopic``.
  public var configuration: String {
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
