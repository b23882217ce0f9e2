/// The type of a sample: a name, and the kind of its content.
///
/// Open: for a sample of a newer program, name and kind are as in the file.
public struct SampleType: Hashable, Sendable, CustomStringConvertible {
  /// The name in the file: HealthKit's without its prefix.
  public let identifier: String
  /// The form of its content.
  public let kind: SampleKind
  /// Unit and style of a quantity type, as far as they are known (``QuantityType/isKnown``); nil for other kinds.
  public let quantityType: QuantityType?

  /// The type with that name and kind, known to this program or not.
  public init(identifier: String, kind: SampleKind) {
    self.identifier = identifier
    self.kind = kind
    quantityType =
      kind == .quantity ? QuantityType(identifier: identifier) ?? QuantityType(stored: identifier) : nil
  }

  /// The library's type of samples with that identifier, of whatever kind; nil without such a type.
  public init?(identifier: String) {
    if let type = QuantityType(identifier: identifier) {
      self = .quantity(type)
    } else if identifier == Self.heartbeatSeries.identifier {
      self = .heartbeatSeries
    } else if identifier == Self.workout.identifier {
      self = .workout
    } else if identifier == Self.workoutRoute.identifier {
      self = .workoutRoute
    } else if identifier == Self.audiogram.identifier {
      self = .audiogram
    } else if identifier == Self.visionPrescription.identifier {
      self = .visionPrescription
    } else if CategoryType.standard.contains(where: { $0.identifier == identifier }) {
      self = .category(CategoryType(identifier: identifier))
    } else if let type = CorrelationType(identifier: identifier) {
      self = .correlation(type)
    } else if ClinicalType.standard.contains(where: { $0.identifier == identifier }) {
      self = .clinical(ClinicalType(identifier: identifier))
    } else {
      return nil
    }
  }

  private init(_ type: QuantityType) {
    identifier = type.identifier
    kind = .quantity
    quantityType = type
  }

  /// Values of a quantity type; a single value is a series of one.
  public static func quantity(_ type: QuantityType) -> SampleType {
    SampleType(type)
  }

  /// The type of category samples of `type`.
  public static func category(_ type: CategoryType) -> SampleType {
    SampleType(identifier: type.identifier, kind: .category)
  }

  /// The type of correlations of `type`.
  public static func correlation(_ type: CorrelationType) -> SampleType {
    SampleType(identifier: type.identifier, kind: .correlation)
  }

  /// The type of clinical records of `type`.
  public static func clinical(_ type: ClinicalType) -> SampleType {
    SampleType(identifier: type.identifier, kind: .clinicalRecord)
  }

  /// Beats.
  public static let heartbeatSeries = SampleType(identifier: "heartbeatSeries", kind: .heartbeatSeries)
  /// A workout, whatever its activity type.
  public static let workout = SampleType(identifier: "workout", kind: .workout)
  /// The way along which a person moved in a workout.
  public static let workoutRoute = SampleType(identifier: "workoutRoute", kind: .workoutRoute)
  /// Hearing thresholds by frequency.
  public static let audiogram = SampleType(identifier: "audiogram", kind: .audiogram)
  /// Lenses for glasses or contacts.
  public static let visionPrescription = SampleType(identifier: "visionPrescription", kind: .visionPrescription)
  /// A recording session in the list of changes.
  public static let session = SampleType(identifier: "session", kind: .session)

  /// Whether reading is allowed sample by sample only, and never as a whole: so it is for prescriptions and clinical records.
  public var requiresPerObjectAuthorization: Bool { kind == .visionPrescription || kind == .clinicalRecord }

  /// Whether other programs may save samples of the type. Clinical records come by import only: a program's own text is no
  /// document of a health provider.
  public var canBeShared: Bool { kind != .clinicalRecord }

  /// The name in the file.
  public var description: String { identifier }
}

extension SampleType {
  /// The library's types.
  package static let standard: [SampleType] =
    QuantityType.all.map { .quantity($0) } + [
      .heartbeatSeries, .workout, .workoutRoute, .audiogram, .visionPrescription,
    ]
    + CategoryType.standard.map { .category($0) }
    + CorrelationType.standard.map { .correlation($0) }
    + ClinicalType.standard.map { .clinical($0) }
}

/// The kind of a sample: the form of its content.
///
/// Open: a store may have kinds of which this program only knows the name. What all samples have in common works for those
/// too.
public struct SampleKind: RawRepresentable, Hashable, Sendable, Codable {
  /// The name in the file.
  public let rawValue: String

  /// The kind with that name.
  public init(rawValue: String) {
    self.rawValue = rawValue
  }

  /// A series of values of a quantity type; a single value is a series of one.
  public static let quantity = SampleKind(rawValue: "quantity")
  /// Beats.
  public static let heartbeatSeries = SampleKind(rawValue: "heartbeatSeries")
  /// One integer whose meaning depends on the type.
  public static let category = SampleKind(rawValue: "category")
  /// Samples that together are one measurement.
  public static let correlation = SampleKind(rawValue: "correlation")
  /// An exercise with its events, activities and figures.
  public static let workout = SampleKind(rawValue: "workout")
  /// The places of a person in a workout.
  public static let workoutRoute = SampleKind(rawValue: "workoutRoute")
  /// Hearing thresholds by frequency.
  public static let audiogram = SampleKind(rawValue: "audiogram")
  /// Lenses for glasses or contacts.
  public static let visionPrescription = SampleKind(rawValue: "visionPrescription")
  /// A document of a health provider.
  public static let clinicalRecord = SampleKind(rawValue: "clinicalRecord")
  /// A recording session: not a sample, but an object in the list of changes.
  public static let session = SampleKind(rawValue: "session")
}

extension SampleKind {
  /// Whether files, such as a scan or a photograph, may be attached to samples of this kind: to those that stand for a document.
  /// Only this property knows the kinds.
  public var takesAttachments: Bool {
    switch rawValue {
    case "visionPrescription", "clinicalRecord": true
    default: false
    }
  }
}

/// The type of a sample that consists of others: a name, and the quantity types of its required parts.
///
/// Open: any name and parts are a type.
public struct CorrelationType: Hashable, Sendable, CustomStringConvertible, Codable {
  /// HealthKit's name without its prefix: `bloodPressure`.
  public let identifier: String
  /// The required parts: at least one sample of each type.
  public let parts: [QuantityType]

  /// The type of that name with those parts.
  public init(identifier: String, parts: [QuantityType]) {
    self.identifier = identifier
    self.parts = parts
  }

  /// The name.
  public var description: String { identifier }
}

extension CorrelationType {
  /// One measurement of blood pressure: systolic and diastolic.
  public static let bloodPressure = CorrelationType(
    identifier: "bloodPressure", parts: [.bloodPressureSystolic, .bloodPressureDiastolic])
}

extension CorrelationType {
  /// The library's types.
  static let standard: [CorrelationType] = [bloodPressure]

  /// The library's type with that identifier; nil without such a type.
  public init?(identifier: String) {
    guard let type = Self.standard.first(where: { $0.identifier == identifier }) else { return nil }
    self = type
  }
}

extension SampleType: Codable {
  private enum Key: CodingKey { case identifier, kind, quantityType }

  /// Name and kind, and all properties of a quantity type; any name and kind are a type.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    if let type = try container.decodeIfPresent(QuantityType.self, forKey: .quantityType) {
      self = .quantity(type)
    } else {
      self.init(
        identifier: try container.decode(String.self, forKey: .identifier),
        kind: try container.decode(SampleKind.self, forKey: .kind))
    }
  }

  /// Name and kind, and all properties of a quantity type.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: Key.self)
    try container.encode(identifier, forKey: .identifier)
    try container.encode(kind, forKey: .kind)
    try container.encodeIfPresent(quantityType, forKey: .quantityType)
  }
}
