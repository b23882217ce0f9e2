extension HeartRateMeasurement {
  /// Reads one 2A37 value: the flag byte, then whatever it announces, little endian.
  ///
  /// Only a missing flag byte, rate or energy is an error. There is no upper limit of the length, since it depends on the
  /// ATT MTU. If bit 4 is set and nothing follows, the list of intervals is empty. Bytes that belong to no field are kept
  /// in ``trailing``. (Heart Rate Service 1.0, section 3.1.1.)
  public init(decoding bytes: [UInt8]) throws(DecodingError) {
    try self.init(decoding: bytes.span)
  }

  /// The same for borrowed bytes; see ``init(decoding:)-([UInt8])``.
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

  /// Why a 2A37 value cannot be decoded. Says where the value ends, never what is in it.
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
