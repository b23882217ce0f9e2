/// What is measured: a name, the unit in which values are stored, and how they are aggregated.
///
/// Types are open. The known ones are static members; a program makes its own with
/// ``init(_:unit:style:styleVersion:)`` and registers it (``QuantityTypeRegistry``). Those of other programs are what the
/// store's file says of them (``init(stored:unit:style:styleVersion:)``).
public struct QuantityType: Hashable, Sendable, CustomStringConvertible {
  /// HealthKit's name without its prefix: `heartRate`.
  public let identifier: String
  /// The unit of stored values; every compatible one is accepted and converted.
  public let unit: Unit
  /// How values become one figure.
  public let style: AggregationStyle
  /// Raised when what the style computes for this type changes; 1 or more.
  public let styleVersion: Int

  /// A type of a program's own.
  ///
  /// - Parameters:
  ///   - identifier: 1 to 100 letters, digits, `.`, `_` and `-` of ASCII, the first a letter. A reverse-domain name
  ///     (`org.example.mood`) never becomes another type's in a later version.
  ///   - unit: In which values are stored.
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

  /// A type as a file describes it, whatever the program knows; nothing is checked.
  ///
  /// Where unit or style are unknown the type is opaque (``isKnown`` is false): its samples can be shown, counted and
  /// deleted, but its values can neither be converted nor summed up, and none can be added.
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

  /// The known type with that identifier; nil where the library has none by itself.
  public init?(identifier: String) {
    guard let type = QuantityTypeRegistry.standard[identifier] else { return nil }
    self = type
  }

  /// Values may be so great and no greater: any number of them, weighed with any durations, have a finite sum.
  public var greatestMagnitude: Double { style == .discreteEquivalentContinuousLevel ? 2000 : 1e270 }

  /// Whether unit and style are known, so that values can be added, converted and summed up.
  public var isKnown: Bool { unit.isKnown && style.isKnown }

  /// The identifier.
  public var description: String { identifier }

  /// What is no quantity, and no quantity may be called.
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
