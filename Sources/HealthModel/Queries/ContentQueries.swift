public import FoundationEssentials

/// The content of one sample beside the members that all samples have, which a ``ContentQuery`` reads: beats, locations, the points
/// of an audiogram, the lenses of a prescription, a clinical record. Other types cannot be queried.
public protocol QueriedContent: Equatable, Sendable {
  /// The kind of the content.
  static var kind: ContentKind { get }
}

/// The kinds of ``QueriedContent``.
public enum ContentKind: String, Hashable, Sendable, CaseIterable {
  /// A ``HeartbeatSeries``.
  case heartbeats
  /// The ``RouteLocation``s of a route.
  case locations
  /// An ``Audiogram``.
  case audiogram
  /// A ``VisionPrescription``.
  case prescription
  /// A ``ClinicalRecord``.
  case record

  /// The kind of the samples that have such content.
  package var samples: SampleKind {
    switch self {
    case .heartbeats: .heartbeatSeries
    case .locations: .workoutRoute
    case .audiogram: .audiogram
    case .prescription: .visionPrescription
    case .record: .clinicalRecord
    }
  }
}

/// The content of one sample; `StoreError.Code.notFound` if it is not in the store.
public struct ContentQuery<Content: QueriedContent>: HealthQuery {
  /// The content.
  public typealias Output = Content

  /// The sample's identifier, not its session's or its workout's.
  public let sample: UUID

  /// Asks for the content of that sample.
  public init(_ sample: UUID) {
    self.sample = sample
  }

  /// Whether the change is about a sample with such content.
  public func isConcerned(by change: StoreChange) -> Bool {
    change.type.map { $0.kind == Content.kind.samples } ?? true
  }
}

/// The beats of one heartbeat series.
public typealias HeartbeatQuery = ContentQuery<HeartbeatSeries>

/// The locations of one route, in order of time.
///
/// The routes of a workout are the samples of the type ``SampleType/workoutRoute`` that are
/// ``SamplePredicate/collected(in:)`` it.
public typealias WorkoutRouteQuery = ContentQuery<[RouteLocation]>

/// The points of one audiogram.
public typealias AudiogramQuery = ContentQuery<Audiogram>

/// The lenses of one prescription.
public typealias VisionPrescriptionQuery = ContentQuery<VisionPrescription>

/// One clinical record with its document.
public typealias ClinicalRecordQuery = ContentQuery<ClinicalRecord>

extension HeartbeatSeries: QueriedContent {
  /// The beats of a series.
  public static var kind: ContentKind { .heartbeats }
}

extension [RouteLocation]: QueriedContent {
  /// The locations of a route.
  public static var kind: ContentKind { .locations }
}

extension Audiogram: QueriedContent {
  /// The points of an audiogram.
  public static var kind: ContentKind { .audiogram }
}

extension VisionPrescription: QueriedContent {
  /// The lenses of a prescription.
  public static var kind: ContentKind { .prescription }
}

extension ClinicalRecord: QueriedContent {
  /// The document of a clinical record.
  public static var kind: ContentKind { .record }
}
