extension HeartRateMeasurement {
  /// Reads one 2A37 value: the flag byte, then the fields that it announces, little endian.
  ///
  /// Only a missing flag byte, rate or energy is an error. There is no upper limit of the length, since it depends on
  /// the ATT MTU. If bit 4 is set and nothing follows, the list of intervals is empty. Bytes that belong to no field
  /// stand in ``trailing``. (Heart Rate Service 1.0, section 3.1.1.)
  public init(decoding bytes: [UInt8]) throws(DecodingError) {
    try self.init(decoding: bytes.span)
  }

  /// Reads one 2A37 value from borrowed bytes; see ``init(decoding:)-([UInt8])``.
  public init(decoding bytes: Span<UInt8>) throws(DecodingError) {
    let header = try Header(decoding: bytes)
    var rrTicks: [UInt16] = []
    rrTicks.reserveCapacity(header.rrCount)
    for index in 0..<header.rrCount {
      rrTicks.append(header.rrTicks(index, in: bytes))
    }
    var trailing: [UInt8] = []
    for offset in (header.rrOffset + 2 * header.rrCount)..<bytes.count {
      trailing.append(bytes[offset])
    }
    self.init(header: header, rrTicks: rrTicks, trailing: trailing)
  }

  /// The reason for which a 2A37 value cannot be decoded: the place where the value ends, never its content.
  public enum DecodingError: Error, Hashable, Sendable {
    /// The value ends before `field` does: it has `available` bytes and would need at least `needed`, both counted from
    /// the flag byte.
    case truncated(field: Field, needed: Int, available: Int)
  }

  /// The fields that must be complete once the flags announce them.
  public enum Field: String, Hashable, Sendable, CaseIterable {
    /// The flag byte.
    case flags
    /// The rate, one or two bytes.
    case heartRate
    /// The energy, two bytes.
    case energyExpended
  }
}

extension HeartRateMeasurement {
  /// All fields of a value except its lists, and the places of the lists. Decoding allocates nothing.
  ///
  /// For code that looks at each notification as it arrives and stores nothing of it.
  public struct Header: Hashable, Sendable {
    /// The flag byte as sent.
    public let flags: Flags
    /// The rate in beats per minute, see ``HeartRateMeasurement/beatsPerMinute``.
    public let beatsPerMinute: UInt16
    /// Energy in kilojoules, see ``HeartRateMeasurement/energyKilojoules``.
    public let energyKilojoules: UInt16?
    /// The offset of the first RR interval, counted in bytes from the flag byte: 2...5.
    public let rrOffset: Int
    /// The number of whole RR intervals; 0 where bit 4 is clear.
    public let rrCount: Int

    /// Reads flags, rate and energy of one 2A37 value, and counts its RR intervals. Any length is allowed.
    ///
    /// Throws ``DecodingError`` where one of the first three fields is cut off; nothing else can be wrong.
    public init(decoding bytes: Span<UInt8>) throws(DecodingError) {
      guard bytes.count > 0 else { throw .truncated(field: .flags, needed: 1, available: 0) }
      flags = Flags(rawValue: bytes[0])
      var offset = 1
      if flags.contains(.heartRateIsUInt16) {
        guard bytes.count >= 3 else { throw .truncated(field: .heartRate, needed: 3, available: bytes.count) }
        beatsPerMinute = Self.uint16(at: 1, in: bytes)
        offset = 3
      } else {
        guard bytes.count >= 2 else { throw .truncated(field: .heartRate, needed: 2, available: bytes.count) }
        beatsPerMinute = UInt16(bytes[1])
        offset = 2
      }
      if flags.contains(.energyExpendedPresent) {
        guard bytes.count >= offset + 2 else {
          throw .truncated(field: .energyExpended, needed: offset + 2, available: bytes.count)
        }
        energyKilojoules = Self.uint16(at: offset, in: bytes)
        offset += 2
      } else {
        energyKilojoules = nil
      }
      rrOffset = offset
      rrCount = flags.contains(.rrIntervalsPresent) ? (bytes.count - offset) / 2 : 0
    }

    /// Whether the sensor says that it touches the skin.
    public var contact: Contact { flags.contact }

    /// RR interval `index` (0..<``rrCount``, oldest first) in units of 1/1024 s, out of the `bytes` that this was
    /// decoded from.
    public func rrTicks(_ index: Int, in bytes: Span<UInt8>) -> UInt16 {
      Self.uint16(at: rrOffset + 2 * index, in: bytes)
    }

    private static func uint16(at offset: Int, in bytes: Span<UInt8>) -> UInt16 {
      UInt16(bytes[offset]) | UInt16(bytes[offset + 1]) << 8
    }
  }
}
