import GATTHeartRate
import Testing

/// A payload and its decoded fields, from a real sensor or made for an edge of the format.
struct MeasurementVector: Sendable, CustomTestStringConvertible {
  let name: String
  let bytes: [UInt8]
  var beatsPerMinute: UInt16
  var contact = HeartRateMeasurement.Contact.notSupported
  var energyKilojoules: UInt16?
  var rrTicks: [UInt16] = []
  var trailing: [UInt8] = []

  var testDescription: String { name }

  /// Payloads of real sensors, as published by their owners.
  static let real: [MeasurementVector] = [
    MeasurementVector(
      name: "a wrist band without RR intervals",
      bytes: hex(
        """
        06          # contact supported and detected
        46          # 70 beats per minute
        """),
      beatsPerMinute: 70, contact: .detected),
    MeasurementVector(
      name: "a chest strap with one interval",
      bytes: hex(
        """
        16          # contact supported and detected, RR present
        34          # 52 beats per minute
        e4 04       # 1252/1024 s
        """),
      beatsPerMinute: 52, contact: .detected, rrTicks: [1252]),
    MeasurementVector(
      name: "a Polar H7 with two intervals",
      bytes: hex(
        """
        16          # contact supported and detected, RR present
        4e          # 78 beats per minute
        1b 03       # 795/1024 s, the older one
        12 03       # 786/1024 s
        """),
      beatsPerMinute: 78, contact: .detected, rrTicks: [795, 786]),
    MeasurementVector(
      name: "a Polar H10, which knows no contact",
      bytes: hex(
        """
        10          # RR present
        3b          # 59 beats per minute
        53 04       # 1107/1024 s
        """),
      beatsPerMinute: 59, rrTicks: [1107]),
    MeasurementVector(
      name: "a strap that appends one byte too many",
      bytes: hex(
        """
        10          # RR present
        3e          # 62 beats per minute
        b1 03       # 945/1024 s
        de          # half an interval, or whatever it is
        """),
      beatsPerMinute: 62, rrTicks: [945], trailing: [0xDE]),
  ]

  /// The edges of the format.
  static let made: [MeasurementVector] = [
    MeasurementVector(name: "a one-byte rate alone", bytes: hex("00 50"), beatsPerMinute: 80),
    MeasurementVector(name: "a two-byte rate alone", bytes: hex("01 c8 00"), beatsPerMinute: 200),
    MeasurementVector(name: "the largest rate", bytes: hex("01 ff ff"), beatsPerMinute: 65535),
    MeasurementVector(
      name: "everything at once",
      bytes: hex(
        """
        1f          # two-byte rate, contact, energy, RR
        01 02       # 513 beats per minute
        22 33       # 13090 kJ
        03 04       # 1027/1024 s
        05 06       # 1541/1024 s
        """),
      beatsPerMinute: 513, contact: .detected, energyKilojoules: 13090, rrTicks: [1027, 1541]),
    MeasurementVector(
      name: "energy that has overflowed", bytes: hex("08 00 ff ff"), beatsPerMinute: 0, energyKilojoules: 0xFFFF),
    MeasurementVector(
      name: "nine intervals, all that fit into the smallest MTU",
      bytes: hex("10 aa 0000 0100 0200 0300 f303 fcff fdff feff ffff"),
      beatsPerMinute: 170, rrTicks: [0, 1, 2, 3, 1011, 65532, 65533, 65534, 65535]),
    MeasurementVector(
      name: "reserved flags and bytes that nothing announces",
      bytes: hex("e0 3c 0102 03"), beatsPerMinute: 60, trailing: [1, 2, 3]),
  ]
}
