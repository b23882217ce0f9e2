import GATTHeartRate
import Testing

@Suite("Heart Rate Measurement")
struct HeartRateMeasurementTests {
  @Test(
    "a known payload decodes to the values that its sensor meant",
    arguments: MeasurementVector.real + MeasurementVector.made)
  func decodesVector(_ vector: MeasurementVector) throws {
    let measurement = try HeartRateMeasurement(decoding: vector.bytes)
    #expect(measurement.flags.rawValue == vector.bytes[0])
    #expect(measurement.beatsPerMinute == vector.beatsPerMinute)
    #expect(measurement.contact == vector.contact)
    #expect(measurement.energyKilojoules == vector.energyKilojoules)
    #expect(measurement.rrTicks == vector.rrTicks)
    #expect(measurement.trailing == vector.trailing)
    #expect(measurement.encoded() == vector.bytes)
  }

  @Test("every flag byte decodes with every field at its edges, and encodes to the same bytes", arguments: 0...255)
  func decodesProduct(_ flags: Int) throws {
    let hasWideRate = flags & 0x01 != 0
    let hasEnergy = flags & 0x08 != 0
    let hasRR = flags & 0x10 != 0
    let tails: [[UInt16]] = [[], [0], [1], [0xFFFF], [1024, 1024], Array(repeating: 0x0102, count: 9)]
    for rate: UInt16 in hasWideRate ? [0, 1, 0xFF, 0x100, 0xFF00, 0xFFFF] : [0, 1, 0x7F, 0x80, 0xFF] {
      for energy: UInt16 in hasEnergy ? [0, 1, 0x00FF, 0xFF00, 0xFFFF] : [0] {
        for rr in tails {
          for odd: [UInt8] in [[], [0x00], [0xA5]] {
            var bytes = [UInt8(flags), UInt8(rate & 0xFF)]
            if hasWideRate { bytes.append(UInt8(rate >> 8)) }
            if hasEnergy { bytes += [UInt8(energy & 0xFF), UInt8(energy >> 8)] }
            let fields = bytes.count
            for ticks in rr { bytes += [UInt8(ticks & 0xFF), UInt8(ticks >> 8)] }
            bytes += odd

            let measurement = try HeartRateMeasurement(decoding: bytes)
            // Plain conditions in the loop: an expectation for each of 20,000 payloads takes seconds.
            let isRight =
              measurement.flags.rawValue == UInt8(flags) && measurement.beatsPerMinute == rate
              && measurement.energyKilojoules == (hasEnergy ? energy : nil)
              && measurement.rrTicks == (hasRR ? rr : [])
              && measurement.trailing == (hasRR ? odd : Array(bytes[fields...]))
              && measurement.encoded() == bytes
            if !isRight { Issue.record("flags \(flags), bytes \(bytes): \(measurement)") }
          }
        }
      }
    }
  }

  @Test("the contact bits mean what the specification says, whatever the other bits are", arguments: 0...255)
  func readsContact(_ flags: Int) {
    let expected: HeartRateMeasurement.Contact =
      switch flags & 0x06 {
      case 0x06: .detected
      case 0x04: .notDetected
      default: .notSupported
      }
    #expect(HeartRateMeasurement.Flags(rawValue: UInt8(flags)).contact == expected)
  }

  @Test(
    "every truncation is either a shorter value or an error that names what is missing",
    arguments: MeasurementVector.real + MeasurementVector.made)
  func decodesTruncations(_ vector: MeasurementVector) throws {
    for length in 0..<vector.bytes.count {
      let bytes = Array(vector.bytes[..<length])
      let rateEnd = vector.bytes[0] & 0x01 == 0 ? 2 : 3
      let energyEnd = vector.bytes[0] & 0x08 == 0 ? rateEnd : rateEnd + 2
      let expected: HeartRateMeasurement.DecodingError? =
        if length == 0 {
          .truncated(field: .flags, needed: 1, available: 0)
        } else if length < rateEnd {
          .truncated(field: .heartRate, needed: rateEnd, available: length)
        } else if length < energyEnd {
          .truncated(field: .energyExpended, needed: energyEnd, available: length)
        } else {
          nil
        }
      if let expected {
        #expect(throws: expected) { try HeartRateMeasurement(decoding: bytes) }
        #expect(throws: expected) { try HeartRateMeasurement.Header(decoding: bytes.span) }
      } else {
        let measurement = try HeartRateMeasurement(decoding: bytes)
        #expect(measurement.encoded() == bytes)
        #expect(measurement.beatsPerMinute == vector.beatsPerMinute)
        #expect(measurement.rrTicks == Array(vector.rrTicks.prefix((length - energyEnd) / 2)))
      }
    }
  }

  @Test("the header says the same as the whole value, without making lists")
  func decodesHeader() throws {
    for vector in MeasurementVector.real + MeasurementVector.made {
      let header = try HeartRateMeasurement.Header(decoding: vector.bytes.span)
      #expect(header.flags.rawValue == vector.bytes[0])
      #expect(header.beatsPerMinute == vector.beatsPerMinute)
      #expect(header.contact == vector.contact)
      #expect(header.energyKilojoules == vector.energyKilojoules)
      #expect((0..<header.rrCount).map { header.rrTicks($0, in: vector.bytes.span) } == vector.rrTicks)
    }
  }

  @Test("a notification of a large MTU has no limit on its intervals")
  func decodesLargeMTU() throws {
    let bytes: [UInt8] = [0x10, 60] + Array(repeating: [0x00, 0x04], count: 255).flatMap { $0 }
    let measurement = try HeartRateMeasurement(decoding: bytes)
    #expect(measurement.rrTicks == Array(repeating: 1024, count: 255))
    #expect(measurement.encoded() == bytes)
  }
}
