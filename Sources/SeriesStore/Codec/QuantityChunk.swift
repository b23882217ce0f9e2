/// A part of a quantity series, packed into one blob: timestamps, values, and the optional fields of some values.
///
/// Layout (Documentation/store-format.md, "Quantity chunk").
struct QuantityChunk: Hashable, Sendable {
  /// The first byte after the checksum.
  static let layout: UInt8 = 0x11
  /// The most quantities in one chunk.
  static let capacity = 65536

  /// Start of each quantity in microseconds since 1970, not decreasing.
  var times: [Int64] = []
  var values: [Double] = []
  /// The duration of each quantity in microseconds; empty if none has a duration.
  var durations: [Int64] = []
  /// Raw ``HealthModel/SensorContact`` of each quantity; empty if none is known.
  var contacts: [UInt8] = []
  /// Energies in kilojoules, by ascending index of their quantities.
  var energies: [Energy] = []

  struct Energy: Hashable, Sendable {
    var index: Int
    var kilojoules: UInt16
  }

  /// A byte that describes a chunk's content.
  struct Content: OptionSet {
    let rawValue: UInt8
    /// Stamps and durations are whole milliseconds, and stored as such.
    static let milliseconds = Content(rawValue: 1 << 0)
    static let durations = Content(rawValue: 1 << 1)
    static let contacts = Content(rawValue: 1 << 2)
    static let energies = Content(rawValue: 1 << 3)
    /// Values are stored as bit patterns, not as decimal numbers.
    static let patterns = Content(rawValue: 1 << 4)

    /// Timestamps are predicted by slots instead of a clock.
    static let slots = Content(rawValue: 1 << 5)

    static let known: Content = [.milliseconds, .durations, .contacts, .energies, .patterns, .slots]
  }

  /// The decimal scales tried for values: 10⁰ to 10⁶.
  static let scales: [Double] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]
}
