extension HeartRateMeasurement {
  /// The flag byte (Heart Rate Service 1.0, section 3.1.1.1). Bits 0, 1, 3 and 4 may change with every value.
  public struct Flags: OptionSet, Hashable, Sendable {
    public var rawValue: UInt8

    public init(rawValue: UInt8) {
      self.rawValue = rawValue
    }

    /// Bit 0: the rate takes two bytes.
    public static let heartRateIsUInt16 = Flags(rawValue: 0x01)
    /// Bit 1: the sensor touches the skin. Means nothing unless ``contactSupported`` is set too; ask ``contact``.
    public static let contactDetected = Flags(rawValue: 0x02)
    /// Bit 2: the sensor can tell whether it touches the skin. Stays the same during a connection.
    public static let contactSupported = Flags(rawValue: 0x04)
    /// Bit 3: two bytes of energy follow the rate.
    public static let energyExpendedPresent = Flags(rawValue: 0x08)
    /// Bit 4: what follows are RR intervals of two bytes each.
    public static let rrIntervalsPresent = Flags(rawValue: 0x10)
    /// Bits 5 to 7, which have no meaning yet and should be clear.
    public static let reserved = Flags(rawValue: 0xE0)

    /// Bits 1 and 2 together: a set bit 1 counts only where bit 2 is set.
    public var contact: Contact {
      guard contains(.contactSupported) else { return .notSupported }
      return contains(.contactDetected) ? .detected : .notDetected
    }
  }

  /// What a sensor says about skin contact. The raw values are those that `sensord decode` prints.
  public enum Contact: String, Hashable, Sendable, CaseIterable {
    /// The sensor cannot tell.
    case notSupported
    /// The sensor can tell, and is off the skin.
    case notDetected
    /// The sensor is on the skin.
    case detected
  }
}
