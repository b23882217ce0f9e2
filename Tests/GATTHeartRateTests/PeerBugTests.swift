import GATTHeartRate
import Testing

/// What other programs' decoders get wrong, each mistake with a payload that shows it.
@Suite("Decoder bugs seen in other programs")
struct PeerBugTests {
  @Test("a uint16 rate moves the RR intervals by one byte")
  func offsetAfterWideRate() throws {
    let measurement = try HeartRateMeasurement(decoding: hex("11 4600 0a01"))
    #expect(measurement.beatsPerMinute == 70)
    #expect(measurement.rrTicks == [266])
  }

  @Test("a uint16 rate moves the energy by one byte")
  func energyAfterWideRate() throws {
    #expect(try HeartRateMeasurement(decoding: hex("09 4600 0a01")).energyKilojoules == 266)
  }

  @Test("bytes after a clear bit 4 are not RR intervals")
  func noIntervalsWithoutBit4() throws {
    let measurement = try HeartRateMeasurement(decoding: hex("06 3c 0004"))
    #expect(measurement.rrTicks.isEmpty)
    #expect(measurement.trailing == [0x00, 0x04])
  }

  @Test("without contact flags, contact is not supported")
  func contactIsTested() throws {
    // `flags | 0x06` is true for every flag byte.
    #expect(try HeartRateMeasurement(decoding: hex("00 3c")).contact == .notSupported)
    #expect(try HeartRateMeasurement(decoding: hex("10 3c 0004")).contact == .notSupported)
  }

  @Test("supported but not detected is no contact")
  func supportedIsNotDetected() throws {
    #expect(try HeartRateMeasurement(decoding: hex("04 50")).contact == .notDetected)
  }

  @Test("bit 1 means nothing where bit 2 is clear")
  func detectedWithoutSupported() throws {
    let measurement = try HeartRateMeasurement(decoding: hex("02 48"))
    #expect(measurement.contact == .notSupported)
    #expect(measurement.flags == .contactDetected)
  }

  @Test("more than one RR interval is accepted, oldest first")
  func severalIntervals() throws {
    #expect(try HeartRateMeasurement(decoding: hex("10 48 3403 3e03 2a03")).rrTicks == [820, 830, 810])
  }

  @Test("an odd trailing byte is kept and not read past")
  func oddTrailingByte() throws {
    let measurement = try HeartRateMeasurement(decoding: hex("10 12 0304 05"))
    #expect(measurement.rrTicks == [1027])
    #expect(measurement.trailing == [0x05])
  }

  @Test("a single byte behind bit 4 is an empty list and a trailing byte")
  func halfAnInterval() throws {
    let measurement = try HeartRateMeasurement(decoding: hex("10 3c 05"))
    #expect(measurement.rrTicks.isEmpty)
    #expect(measurement.trailing == [0x05])
  }

  @Test("neighbouring RR ticks stay apart although they are the same whole millisecond")
  func ticksAreNotMilliseconds() throws {
    // 1000.00 and 1000.98 ms.
    #expect(try HeartRateMeasurement(decoding: hex("10 3c 0004 0104")).rrTicks == [1024, 1025])
  }

  @Test("energy is kept, and the intervals start behind it")
  func energyIsKept() throws {
    let measurement = try HeartRateMeasurement(decoding: hex("18 46 3200 5203"))
    #expect(measurement.energyKilojoules == 50)
    #expect(measurement.rrTicks == [850])
  }

  @Test("rates and intervals with a high bit are not negative")
  func highBits() throws {
    #expect(try HeartRateMeasurement(decoding: hex("00 ff")).beatsPerMinute == 255)
    #expect(try HeartRateMeasurement(decoding: hex("01 8080")).beatsPerMinute == 0x8080)
    #expect(try HeartRateMeasurement(decoding: hex("10 00 ffff")).rrTicks == [0xFFFF])
  }
}
