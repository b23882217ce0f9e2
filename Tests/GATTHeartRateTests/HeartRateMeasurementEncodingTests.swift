import GATTHeartRate
import Testing

@Suite("Heart Rate Measurement, made to be sent")
struct HeartRateMeasurementEncodingTests {
  @Test("the flags follow from the fields")
  func derivesFlags() {
    #expect(HeartRateMeasurement(beatsPerMinute: 60).encoded() == hex("00 3c"))
    #expect(HeartRateMeasurement(beatsPerMinute: 255).encoded() == hex("00 ff"))
    #expect(HeartRateMeasurement(beatsPerMinute: 256).encoded() == hex("01 0001"))
    #expect(HeartRateMeasurement(beatsPerMinute: 60, contact: .notDetected).encoded() == hex("04 3c"))
    #expect(HeartRateMeasurement(beatsPerMinute: 60, contact: .detected).encoded() == hex("06 3c"))
    #expect(HeartRateMeasurement(beatsPerMinute: 60, energyKilojoules: 0x0201).encoded() == hex("08 3c 0102"))
    #expect(HeartRateMeasurement(beatsPerMinute: 60, rrTicks: [1024, 1]).encoded() == hex("10 3c 0004 0100"))
  }

  @Test("an encoded value decodes to itself, with every flag added that may be added", arguments: 0...255)
  func decodesWhatItMade(_ additional: Int) throws {
    for contact in HeartRateMeasurement.Contact.allCases {
      for energy: UInt16? in [nil, 0, 0xFFFF] {
        for rr: [UInt16] in [[], [1024], [1, 2, 3]] {
          let made = HeartRateMeasurement(
            beatsPerMinute: 300, contact: contact, energyKilojoules: energy, rrTicks: rr,
            alsoSetting: HeartRateMeasurement.Flags(rawValue: UInt8(additional)))
          #expect(try HeartRateMeasurement(decoding: made.encoded()) == made)
          #expect(made.contact == contact)
        }
      }
    }
  }

  @Test("a small rate can be sent in two bytes, and bit 4 without an interval")
  func setsWhatIsLeftOpen() {
    let measurement = HeartRateMeasurement(
      beatsPerMinute: 60, alsoSetting: [.heartRateIsUInt16, .rrIntervalsPresent, .reserved])
    #expect(measurement.encoded() == hex("f1 3c00"))
  }

  @Test(
    "the intervals that fit into a notification are those of the specification",
    arguments: [
      (mtu: 23, rate: 60, hasEnergy: false, count: 9), (mtu: 23, rate: 60, hasEnergy: true, count: 8),
      (mtu: 23, rate: 300, hasEnergy: false, count: 8), (mtu: 23, rate: 300, hasEnergy: true, count: 7),
      (mtu: 517, rate: 60, hasEnergy: false, count: 256), (mtu: 5, rate: 300, hasEnergy: true, count: 0),
    ] as [(mtu: Int, rate: UInt16, hasEnergy: Bool, count: Int)])
  func countsWhatFits(_ row: (mtu: Int, rate: UInt16, hasEnergy: Bool, count: Int)) {
    let measurement = HeartRateMeasurement(beatsPerMinute: row.rate, energyKilojoules: row.hasEnergy ? 1 : nil)
    #expect(measurement.rrCapacity(attMTU: row.mtu) == row.count)
  }
}
