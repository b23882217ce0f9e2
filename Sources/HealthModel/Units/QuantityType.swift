/// The type of a quantity: a name, the unit of stored values, and the style of their aggregation.
///
/// Types are open. Known ones are static members. A program creates its own with ``init(_:unit:style:styleVersion:)`` and
/// registers them (``QuantityTypeRegistry``). Types of other programs are as the store's file describes them
/// (``init(stored:unit:style:styleVersion:)``).
public struct QuantityType: Hashable, Sendable, CustomStringConvertible {
  /// HealthKit's name without its prefix: `heartRate`.
  public let identifier: String
  /// The unit of stored values; compatible units are accepted and converted.
  public let unit: Unit
  /// The style by which values are aggregated.
  public let style: AggregationStyle
  /// The version of the style, raised when its result for this type changes; 1 or more.
  public let styleVersion: Int

  /// A program's own type.
  ///
  /// - Parameters:
  ///   - identifier: 1 to 100 of the ASCII letters, digits, `.`, `_` and `-`, the first a letter. A reverse-domain name
  ///     (`org.example.mood`) will never clash with a type of a later version.
  ///   - unit: The unit of stored values.
  ///   - style: The style by which they are aggregated.
  ///   - styleVersion: The version of the style: 1 at first.
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

  /// The library's type with that identifier; nil without such a type.
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

  /// The name of beats, which are not quantities: no quantity type may have it.
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

/// A way to aggregate the quantities of a type. A style has a version, since its meaning may change.
///
/// Styles are open: a store may hold one from a newer program. Its values can be read, but not averaged or summed.
public struct AggregationStyle: RawRepresentable, Hashable, Sendable, CustomStringConvertible, Codable {
  /// The name in the store's file.
  public let rawValue: String

  /// The style with that name, known or not.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// The sum; a quantity that spans a border is divided by time.
  public static let cumulative = AggregationStyle(rawValue: "cumulative")
  /// The plain mean.
  public static let discreteArithmetic = AggregationStyle(rawValue: "discreteArithmetic")
  /// The mean weighted by each quantity's duration; the plain mean where all durations are zero.
  ///
  /// Apple calls it "temporally weighted integration". What that leaves open is defined by ``WeightingPolicy``.
  public static let discreteTemporallyWeighted = AggregationStyle(rawValue: "discreteTemporallyWeighted")
  /// `10 · log₁₀(Σ dᵢ · 10^(Lᵢ/10) / Σ dᵢ)` with the durations d; equal weights where all are zero.
  public static let discreteEquivalentContinuousLevel = AggregationStyle(
    rawValue: "discreteEquivalentContinuousLevel")
  /// The style of a type of which only the identifier is known.
  public static let unknown = AggregationStyle(rawValue: "unknown")

  private static let known: Set<AggregationStyle> = [
    .cumulative, .discreteArithmetic, .discreteTemporallyWeighted, .discreteEquivalentContinuousLevel,
  ]

  /// Whether this program can compute the style.
  public var isKnown: Bool { Self.known.contains(self) }

  /// Whether sums are meaningful and averages are not.
  public var isCumulative: Bool { self == .cumulative }

  /// The name.
  public var description: String { rawValue }
}

/// A reason why a program's own quantity type is not valid.
@nonexhaustive
public enum QuantityTypeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// An identifier is 1 to 100 letters, digits, `.`, `_` and `-` of ASCII, the first a letter.
  case invalidIdentifier(String)
  /// This program does not know the unit.
  case unknownUnit(String)
  /// This program does not know the style.
  case unknownStyle(String)
  /// Versions of a style begin with 1.
  case invalidStyleVersion(Int)
  /// Another type has this identifier already.
  case alreadyRegistered(String)

  /// One line for a person.
  public var description: String {
    switch self {
    case .invalidIdentifier(let text):
      "'\(text)' names no type: use letters, digits, '.', '_' and '-', a letter first, 100 at most"
    case .unknownUnit(let symbol): "a type needs a unit that is known; '\(symbol)' is not"
    case .unknownStyle(let name): "a type needs a style that is known; '\(name)' is not"
    case .invalidStyleVersion(let version): "\(version) is no version of a style: they begin with 1"
    case .alreadyRegistered(let identifier): "another type is registered as '\(identifier)'"
    }
  }
}

extension QuantityType: Codable {
  private enum Key: CodingKey { case identifier, unit, style, styleVersion }

  /// All properties of the type; a type of another program is decoded like one of this program.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    let unit = try container.decode(String.self, forKey: .unit)
    self = QuantityTypeRegistry.standard.type(
      identifier: try container.decode(String.self, forKey: .identifier), storedUnit: unit,
      style: try container.decode(AggregationStyle.self, forKey: .style).rawValue,
      styleVersion: try container.decode(Int.self, forKey: .styleVersion))
  }

  /// All properties of the type.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(identifier, forKey: .identifier)
    try container.encode(unit, forKey: .unit)
    try container.encode(style, forKey: .style)
    try container.encode(styleVersion, forKey: .styleVersion)
  }
}
