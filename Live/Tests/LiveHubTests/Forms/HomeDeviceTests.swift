import Testing

@testable import LiveHub

@Suite("Home Assistant's device")
struct HomeDeviceTests {
  private static let reading = Reading(
    sensor: "C0:FF:EE:00:00:01", microseconds: 1, beatsPerMinute: 72, rrTicks: [900, 853])

  @Test("a value is a rate and its last interval; without one there is none to send, and it is not available")
  func states() {
    #expect(HomeDevice.state(.value(Self.reading)) == #"{"bpm":72,"rr_ms":833}"#)
    var bare = Self.reading
    bare.rrTicks = []
    #expect(HomeDevice.state(.value(bare)) == #"{"bpm":72,"rr_ms":null}"#)
    #expect(HomeDevice.availability(.value(bare)) == "online")
    for absence in Absence.allCases {
      #expect(HomeDevice.state(.none(absence)) == nil)
      #expect(HomeDevice.availability(.none(absence)) == "offline")
    }
  }

  @Test(
    "a name that cannot stand in a topic is none",
    arguments: ["", "a/b", "a+", "#", "ä", "a b", String(repeating: "a", count: 41)])
  func names(name: String) {
    #expect(HomeDevice(name: name) == nil)
  }

  @Test("each hub has topics and identifiers of its own, without an address in them")
  func topics() throws {
    let device = try #require(HomeDevice(name: "gym-1"))
    #expect(device.configurationTopic == "homeassistant/device/gym-1/config")
    #expect(device.stateTopic == "sensord/gym-1/state")
    #expect(device.availabilityTopic == "sensord/gym-1/availability")
    for part in [
      #""ids":["gym-1"]"#, #""uniq_id":"gym-1_heart_rate""#, #""avty_t":"sensord/gym-1/availability""#,
      #""stat_t":"sensord/gym-1/state""#, #""stat_cla":"measurement""#, #""exp_aft":15"#, #""ic":"mdi:heart-pulse""#,
    ] {
      #expect(device.configuration.contains(part))
    }
  }
}
