/// One value of the Heart Rate Measurement characteristic (2A37), which a sensor sends about once a second.
///
/// A value that decodes encodes to the same bytes again, reserved bits and trailing bytes included. Values are immutable,
/// so that the fields always agree with the flags.
///
/// Source: Bluetooth SIG, Heart Rate Service 1.0, section 3.1.
public struct HeartRateMeasurement: Hashable, Sendable {
  /// The flag byte as sent.
  public let flags: Flags
  /// The rate, 0...65535 beats per minute. Some sensors send 0 for "no signal"; 0 is not a heart rate.
  public let beatsPerMinute: UInt16
  /// Energy expended since the last reset in kilojoules, if this value has it. Stays at 0xFFFF after an overflow.
  public let energyKilojoules: UInt16?
  /// RR intervals in units of 1/1024 s, oldest first. Empty without intervals, and where bit 4 is set without a whole
  /// interval behind it; ``flags`` distinguishes the two.
  public let rrTicks: [UInt16]
  /// Every byte behind the last field that the flags announce: one odd byte after the RR intervals, or all that follows
  /// where bit 4 is clear.
  public let trailing: [UInt8]

  /// Makes a value to send; the flags follow from the fields.
  ///
  /// The rate has two bytes where it does not fit into one. `alsoSetting` may add ``Flags/heartRateIsUInt16``,
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

extension HeartRateMeasurement {
  /// The flag byte (Heart Rate Service 1.0, section 3.1.1.1). Bits 0, 1, 3 and 4 may change with every value.
  public struct Flags: OptionSet, Hashable, Sendable {
    public var rawValue: UInt8

    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Bit 0: the rate has two bytes.
    public static let heartRateIsUInt16 = Flags(rawValue: 0x01)
    /// Bit 1: the sensor touches the skin. Has no meaning unless ``contactSupported`` is set too; see ``contact``.
    public static let contactDetected = Flags(rawValue: 0x02)
    /// Bit 2: the sensor can detect whether it touches the skin. Stays the same during a connection.
    public static let contactSupported = Flags(rawValue: 0x04)
    /// Bit 3: two bytes of energy follow the rate.
    public static let energyExpendedPresent = Flags(rawValue: 0x08)
    /// Bit 4: RR intervals of two bytes each follow.
    public static let rrIntervalsPresent = Flags(rawValue: 0x10)
    /// Bits 5 to 7, which have no meaning yet and should be clear.
    public static let reserved = Flags(rawValue: 0xE0)

    /// Bits 1 and 2 together: a set bit 1 counts only where bit 2 is set.
    public var contact: Contact {
      guard contains(.contactSupported) else { return .notSupported }
      return contains(.contactDetected) ? .detected : .notDetected
    }
  }

  /// A sensor's report about skin contact. The raw values are those that `sensord decode` prints.
  public enum Contact: String, Hashable, Sendable, CaseIterable {
    /// The sensor cannot detect contact.
    case notSupported
    /// The sensor can detect contact, and is off the skin.
    case notDetected
    /// The sensor is on the skin.
    case detected
  }
}

extension HeartRateMeasurement {
  /// The bytes of this value as a sensor sends them: the exact opposite of decoding.
  public func encoded() -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(5 + 2 * rrTicks.count + trailing.count)
    bytes.append(flags.rawValue)
    bytes.append(UInt8(truncatingIfNeeded: beatsPerMinute))
    if flags.contains(.heartRateIsUInt16) { bytes.append(UInt8(beatsPerMinute >> 8)) }
    if let energyKilojoules {
      bytes.append(UInt8(truncatingIfNeeded: energyKilojoules))
      bytes.append(UInt8(energyKilojoules >> 8))
    }
    for ticks in rrTicks {
      bytes.append(UInt8(truncatingIfNeeded: ticks))
      bytes.append(UInt8(ticks >> 8))
    }
    bytes.append(contentsOf: trailing)
    return bytes
  }

  /// The number of RR intervals that fit beside this value's other fields into one notification at the given ATT MTU.
  ///
  /// A notification spends three bytes of the MTU on its opcode and handle: 9 intervals at the smallest MTU of 23, one
  /// less with energy or a two-byte rate. (Heart Rate Service 1.0, section 3.1.1.4.)
  public func rrCapacity(attMTU: Int) -> Int {
    let fixed = (flags.contains(.heartRateIsUInt16) ? 3 : 2) + (energyKilojoules == nil ? 0 : 2)
    return max(0, (attMTU - 3 - fixed) / 2)
  }
}
