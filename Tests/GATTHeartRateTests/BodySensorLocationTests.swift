import GATTHeartRate
import Testing

@Suite("Body Sensor Location")
struct BodySensorLocationTests {
  @Test("every location decodes and encodes", arguments: BodySensorLocation.allCases)
  func bothWays(_ location: BodySensorLocation) throws {
    #expect(try BodySensorLocation(decoding: location.encoded()) == location)
    #expect(location.encoded() == [location.rawValue])
  }

  @Test("0 to 6 are the locations of the specification")
  func values() throws {
    let expected: [BodySensorLocation] = [.other, .chest, .wrist, .finger, .hand, .earLobe, .foot]
    #expect(try (0...6).map { try BodySensorLocation(decoding: [$0]) } == expected)
  }

  @Test("7 to 255 are reserved", arguments: UInt8(7)...255)
  func reserved(_ byte: UInt8) {
    #expect(throws: BodySensorLocation.DecodingError.reserved(byte)) { try BodySensorLocation(decoding: [byte]) }
  }

  @Test("no byte is an error, bytes after the first are ignored")
  func lengths() throws {
    #expect(throws: BodySensorLocation.DecodingError.empty) { try BodySensorLocation(decoding: []) }
    #expect(try BodySensorLocation(decoding: [1, 99]) == .chest)
  }
}
