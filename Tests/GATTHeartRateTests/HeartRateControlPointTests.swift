import GATTHeartRate
import Testing

@Suite("Heart Rate Control Point")
struct HeartRateControlPointTests {
  @Test("resetting the energy is the one byte 01")
  func bothWays() throws {
    #expect(HeartRateControlPoint.resetEnergyExpended.encoded() == [0x01])
    #expect(try HeartRateControlPoint(decoding: [0x01]) == .resetEnergyExpended)
  }

  @Test("every other value is refused with the service's error 80", arguments: [UInt8(0)] + Array(2...255))
  func refusesValues(_ byte: UInt8) {
    let expected = HeartRateControlPoint.DecodingError.valueNotSupported(byte)
    #expect(throws: expected) { try HeartRateControlPoint(decoding: [byte]) }
    #expect(expected.attErrorCode == 0x80)
  }

  @Test("a write that is not one byte long is refused with ATT error 0D", arguments: [0, 2, 20])
  func refusesLengths(_ count: Int) {
    let expected = HeartRateControlPoint.DecodingError.invalidLength(count)
    #expect(throws: expected) { try HeartRateControlPoint(decoding: Array(repeating: 1, count: count)) }
    #expect(expected.attErrorCode == 0x0D)
  }
}
