import HealthModel

/// A part of a workout's route, packed into one blob: a column for each property of its locations.
///
/// Layout (Documentation/store-format.md, "Location chunk"): CRC-32C of the rest, little endian; layout byte; the count as a
/// variable-length integer; for each column a byte that says its form, and its first number; then the columns one after the
/// other, as bits.
struct LocationChunk: Hashable {
  /// The first byte after the checksum.
  static let layout: UInt8 = 0x41
  /// The most locations in one chunk: about an hour of one a second.
  static let capacity = 4096

  var locations: ArraySlice<RouteLocation>

  init(_ locations: ArraySlice<RouteLocation>) {
    self.locations = locations
  }

  /// What a column's byte says: the decimal scale or that its values are bit patterns, the halves of its prediction, and which
  /// locations have a value.
  struct Form: Hashable {
    enum Presence: UInt8 { case none, all, some }

    /// 0 to 9 decimals, of the times zeros at the end in microseconds; nil for bit patterns.
    var scale: Int?
    var halves: UInt8 = 0
    var presence = Presence.all
    /// The first number of a column that has any; nil for bit patterns.
    var first: Int64?

    private static let patterns: UInt8 = 15

    init(scale: Int?, presence: Presence = .all) {
      self.scale = scale
      self.presence = presence
    }

    /// Reads the form of a column with a scale below `scales`.
    init(from head: inout ByteReader, below scales: Int) throws(ChunkError) {
      let byte = try head.read()
      let scale = byte & 15
      guard scale < scales || scale == Self.patterns else { throw .invalid(field: "scale") }
      self.scale = scale == Self.patterns ? nil : Int(scale)
      halves = byte >> 4 & 3
      guard halves <= NumberColumn.mostHalves else { throw .invalid(field: "prediction") }
      guard let presence = Presence(rawValue: byte >> 6) else { throw .invalid(field: "presence") }
      self.presence = presence
      if presence != .none, self.scale != nil { first = try head.readSigned() }
    }

    func write(to head: inout ByteWriter) {
      head.put((scale.map { UInt8($0) } ?? Self.patterns) | halves << 4 | presence.rawValue << 6)
      if let first { head.putSigned(first) }
    }
  }

  /// The properties of a location that it may lack, in the order of their columns.
  static let optional: [any WritableKeyPath<RouteLocation, Double?> & Sendable] = [
    \.altitude, \.horizontalAccuracy, \.verticalAccuracy, \.speed, \.course,
  ]
  /// Those that each has.
  static let needed: [any WritableKeyPath<RouteLocation, Double> & Sendable] = [\.latitude, \.longitude]

  /// Powers of ten: of degrees the ninth decimal is a tenth of a millimetre.
  static let scales: [Double] = [
    1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000, 1_000_000_000,
  ]
  /// The divisors of times: up to whole seconds.
  static let units: [Int64] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]
}
