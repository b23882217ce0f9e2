/// One value of the Heart Rate Measurement characteristic (2A37), which a sensor sends about once a second.
///
/// A value that decodes encodes to the same bytes again, reserved bits and trailing bytes included. Values are immutable,
/// so that the fields always agree with the flags.
///
/// Source: Bluetooth SIG, Heart Rate Service 1.0, section 3.1.
public struct HeartRateMeasurement: Hashable, Sendable {
  /// The flag byte as sent.
  public let flags: Flags
  /// The rate, 0...65535 beats per minute. 0 is what some sensors send for "no signal"; it is not a heart rate.
  public let beatsPerMinute: UInt16
  /// Energy expended since the last reset in kilojoules, if this value has it. Stays at 0xFFFF after an overflow.
  public let energyKilojoules: UInt16?
  /// RR intervals in units of 1/1024 s, oldest first. Empty where there are none, and where bit 4 is set without a
  /// whole interval behind it; ``flags`` tells the two apart.
  public let rrTicks: [UInt16]
  /// Every byte behind the last field that the flags announce: one odd byte after the RR intervals, or all that follows
  /// where bit 4 is clear.
  public let trailing: [UInt8]

  /// Makes a value to send; the flags follow from the fields.
  ///
  /// The rate takes two bytes where it does not fit into one. `alsoSetting` may add ``Flags/heartRateIsUInt16``,
  /// ``Flags/contactDetected``, ``Flags/rrIntervalsPresent`` and ``Flags/reserved`` bits, which the fields leave open.
  /// Other flags in it are ignored, so that flags and fields cannot contradict each other.
  public init(
    beatsPerMinute: UInt16,
    contact: Contact = .notSupported,
    energyKilojoules: UInt16? = nil,
    rrTicks: [UInt16] = [],
    alsoSetting additionalFlags: Flags = []
  ) {
    var flags = additionalFlags.subtracting([.contactSupported, .energyExpendedPresent])
    if beatsPerMinute > 0xFF { flags.insert(.heartRateIsUInt16) }
    switch contact {
    case .notSupported: break
    case .notDetected:
      flags.insert(.contactSupported)
      flags.remove(.contactDetected)
    case .detected: flags.formUnion([.contactSupported, .contactDetected])
    }
    if energyKilojoules != nil { flags.insert(.energyExpendedPresent) }
    if !rrTicks.isEmpty { flags.insert(.rrIntervalsPresent) }
    self.flags = flags
    self.beatsPerMinute = beatsPerMinute
    self.energyKilojoules = energyKilojoules
    self.rrTicks = rrTicks
    self.trailing = []
  }

  init(header: Header, rrTicks: [UInt16], trailing: [UInt8]) {
    self.flags = header.flags
    self.beatsPerMinute = header.beatsPerMinute
    self.energyKilojoules = header.energyKilojoules
    self.rrTicks = rrTicks
    self.trailing = trailing
  }

  /// Whether the sensor says that it touches the skin.
  public var contact: Contact { flags.contact }
}
