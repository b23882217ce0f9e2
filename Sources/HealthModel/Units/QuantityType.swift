/// What is measured: a name, the unit of stored values, and how they are aggregated.
///
/// Types are open. Known ones are static members. A program creates its own with ``init(_:unit:style:styleVersion:)`` and
/// registers them (``QuantityTypeRegistry``). Types of other programs are as the store's file describes them
/// (``init(stored:unit:style:styleVersion:)``).
public struct QuantityType: Hashable, Sendable, CustomStringConvertible {
  /// HealthKit's name without its prefix: `heartRate`.
  public let identifier: String
  /// The unit of stored values; compatible units are accepted and converted.
  public let unit: Unit
  /// How values are aggregated.
  public let style: AggregationStyle
  /// Raised when the style's result for this type changes; 1 or more.
  public let styleVersion: Int

  /// A program's own type.
  ///
  /// - Parameters:
  ///   - identifier: 1 to 100 of the ASCII letters, digits, `.`, `_` and `-`, the first a letter. A reverse-domain name
  ///     (`org.example.mood`) will never clash with a type of a later version.
  ///   - unit: The unit of stored values.
  ///   - style: How they are aggregated.
  ///   - styleVersion: 1 at first.
  /// - Throws: ``QuantityTypeError`` where the identifier is no name, unit or style are not known, or the version is below 1.
  public init(
    _ identifier: String, unit: Unit, style: AggregationStyle, styleVersion: Int = 1
  ) throws(QuantityTypeError) {
    guard Self.isName(identifier) else { throw .invalidIdentifier(identifier) }
    guard identifier != Self.heartbeatSeries else { throw .alreadyRegistered(identifier) }
    guard unit.isKnown else { throw .unknownUnit(unit.symbol) }
    guard style.isKnown else { throw .unknownStyle(style.rawValue) }
    guard styleVersion >= 1 else { throw .invalidStyleVersion(styleVersion) }
    self.init(known: identifier, unit, style, styleVersion: styleVersion)
  }

  /// A type as a file describes it; nothing is checked.
  ///
  /// If unit or style are unknown the type is opaque (``isKnown`` is false): its samples can be shown, counted and deleted,
  /// but not converted, aggregated or added to.
  public init(
    stored identifier: String, unit: Unit = Unit(opaque: "unknown"), style: AggregationStyle = .unknown,
    styleVersion: Int = 1
  ) {
    self.init(known: identifier, unit, style, styleVersion: styleVersion)
  }

  init(known identifier: String, _ unit: Unit, _ style: AggregationStyle, styleVersion: Int = 1) {
    self.identifier = identifier
    self.unit = unit
    self.style = style
    self.styleVersion = styleVersion
  }

  /// The library's type with that identifier; nil if there is none.
  public init?(identifier: String) {
    guard let type = QuantityTypeRegistry.standard[identifier] else { return nil }
    self = type
  }

  /// The greatest magnitude of a value: any number of such values, weighted by any durations, have a finite sum.
  public var greatestMagnitude: Double { style == .discreteEquivalentContinuousLevel ? 2000 : 1e270 }

  /// Whether unit and style are known, so that values can be added, converted and summed up.
  public var isKnown: Bool { unit.isKnown && style.isKnown }

  /// The identifier.
  public var description: String { identifier }

  /// Not a quantity, so no quantity type may have this name.
  private static let heartbeatSeries = "heartbeatSeries"

  private static func isName(_ text: String) -> Bool {
    guard (1...100).contains(text.utf8.count), let first = text.utf8.first, isLetter(first) else { return false }
    return text.utf8.allSatisfy { byte in
      isLetter(byte) || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: ".")
        || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "-")
    }
  }

  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }
}
