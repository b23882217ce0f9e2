/// A stretch of a quantity series as it is packed into one blob: stamps, values, and what some values carry beside them.
///
/// Layout (Documentation/store-format.md, "Quantity chunk").
struct QuantityChunk: Hashable, Sendable {
  /// The first byte after the checksum.
  static let layout: UInt8 = 0x11
  /// The most quantities that go into one chunk.
  static let capacity = 65536

  /// Start of each quantity in microseconds since 1970, not decreasing.
  var times: [Int64] = []
  var values: [Double] = []
  /// Microseconds that each quantity lasts; empty where none has a duration.
  var durations: [Int64] = []
  /// Raw ``HealthModel/SensorContact`` of each; empty where none says anything.
  var contacts: [UInt8] = []
  /// Kilojoules of those that carry them, by ascending index.
  var energies: [Energy] = []

  struct Energy: Hashable, Sendable {
    var index: Int
    var kilojoules: UInt16
  }

  /// What a chunk holds and how, in one byte.
  struct Content: OptionSet {
    let rawValue: UInt8
    /// Stamps and durations are whole milliseconds, and stored as such.
    static let milliseconds = Content(rawValue: 1 << 0)
    static let durations = Content(rawValue: 1 << 1)
    static let contacts = Content(rawValue: 1 << 2)
    static let energies = Content(rawValue: 1 << 3)
    /// Values are bit patterns, not decimal numbers.
    static let patterns = Content(rawValue: 1 << 4)

    /// Stamps come in slots, not by a clock.
    static let slots = Content(rawValue: 1 << 5)

    static let known: Content = [.milliseconds, .durations, .contacts, .energies, .patterns, .slots]
  }

  /// 10⁰ to 10⁶: the decimal scales that are tried for values.
  static let scales: [Double] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000]
}
