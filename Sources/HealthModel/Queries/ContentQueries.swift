public import FoundationEssentials

/// The beats of one heartbeat series; `StoreError.Code.notFound` if it is not in the store.
public struct HeartbeatQuery: HealthQuery {
  /// The beats.
  public typealias Output = HeartbeatSeries

  /// The sample's identifier, not its session's.
  public let sample: UUID

  /// Asks for the beats of that sample.
  public init(_ sample: UUID) {
    self.sample = sample
  }

  /// Whether the change is about beats.
  public func isConcerned(by change: StoreChange) -> Bool {
    SamplePredicate.type(.heartbeatSeries).mayMean(change)
  }
}

/// The locations of one route, in order of time; `StoreError.Code.notFound` if it is not in the store.
///
/// The routes of a workout are the samples of the type ``SampleType/workoutRoute`` that are
/// ``SamplePredicate/collected(in:)`` it.
public struct WorkoutRouteQuery: HealthQuery {
  /// The locations.
  public typealias Output = [RouteLocation]

  /// The route's identifier, not its workout's.
  public let route: UUID

  /// Asks for the locations of that route.
  public init(_ route: UUID) {
    self.route = route
  }

  /// Whether the change is about a route.
  public func isConcerned(by change: StoreChange) -> Bool {
    SamplePredicate.type(.workoutRoute).mayMean(change)
  }
}

/// The points of one audiogram; `StoreError.Code.notFound` if it is not in the store.
public struct AudiogramQuery: HealthQuery {
  /// The audiogram.
  public typealias Output = Audiogram

  /// The identifier of the audiogram.
  public let audiogram: UUID

  /// Asks for the points of that audiogram.
  public init(_ audiogram: UUID) {
    self.audiogram = audiogram
  }

  /// Whether the change is about an audiogram.
  public func isConcerned(by change: StoreChange) -> Bool {
    SamplePredicate.type(.audiogram).mayMean(change)
  }
}

/// The lenses of one prescription; `StoreError.Code.notFound` if it is not in the store.
public struct VisionPrescriptionQuery: HealthQuery {
  /// The prescription.
  public typealias Output = VisionPrescription

  /// The identifier of the prescription.
  public let prescription: UUID

  /// Asks for the lenses of that prescription.
  public init(_ prescription: UUID) {
    self.prescription = prescription
  }

  /// Whether the change is about a prescription.
  public func isConcerned(by change: StoreChange) -> Bool {
    SamplePredicate.type(.visionPrescription).mayMean(change)
  }
}

/// One clinical record with its document; `StoreError.Code.notFound` if it is not in the store.
public struct ClinicalRecordQuery: HealthQuery {
  /// The record.
  public typealias Output = ClinicalRecord

  /// The identifier of the record.
  public let record: UUID

  /// Asks for that record.
  public init(_ record: UUID) {
    self.record = record
  }

  /// Whether the change is about a clinical record.
  public func isConcerned(by change: StoreChange) -> Bool {
    change.type.map { $0.kind == .clinicalRecord } ?? true
  }
}
