import ClientInterfaces
import DBus
public import FoundationEssentials
public import HealthModel

/// The figures of one type of a workout that goes on. They are provisional, as all live values are.
public struct LiveWorkoutStatistics: Hashable, Sendable {
  /// What the workout is; nil where the recorder does not tell.
  public var activityType: WorkoutActivityType?
  /// What the activity under way is; nil where none is.
  public var currentActivityType: WorkoutActivityType?
  /// Since the workout began; nil where nothing of the type was collected, or this program may not read it.
  public var workout: WorkoutStatistics?
  /// Since the activity under way began; nil also where none is.
  public var activity: WorkoutStatistics?
}

extension LiveWorkout {
  /// Saves samples and collects them: they count in the figures of the workout, and of the activities in which they lie.
  ///
  /// - Returns: Their identifiers in the store, in the same order.
  /// - Throws: As ``SensordClient/save(_:)-([SampleDraft])`` does, and ``ClientError/ended``.
  @discardableResult
  @concurrent public func addSamples(_ samples: [SampleDraft]) async throws(ClientError) -> [UUID] {
    let answer = try await call("AddSamples", [.array(samples.map(\.value), of: "a{sv}")])
    let ids = (answer.first?.strings ?? []).compactMap { UUID(uuidString: $0) }
    guard ids.count == samples.count else { throw .unreadable }
    return ids
  }

  /// Collects whatever this program saves of these types from now on, by ``SensordClient/save(_:)-([SampleDraft])`` for instance.
  ///
  /// Heart rates, beats and energy of the sensor are collected in any case.
  @concurrent public func enableCollection(for types: Set<SampleType>) async throws(ClientError) {
    try await collect(types, [])
  }

  /// Collects them no more by itself; what was collected stays.
  @concurrent public func disableCollection(for types: Set<SampleType>) async throws(ClientError) {
    try await collect([], types)
  }

  @concurrent private func collect(_ on: Set<SampleType>, _ off: Set<SampleType>) async throws(ClientError) {
    func names(_ types: Set<SampleType>) -> Value { .strings(types.map(\.identifier).sorted()) }
    _ = try await call("Collect", [names(on), names(off)])
  }

  /// The figures of a type so far, pauses left out: heart rates as the sensor sends them, everything else as it was added.
  ///
  /// - Throws: ``ClientError/unknownType``, ``ClientError/ended``, and others.
  @concurrent public func statistics(for type: QuantityType) async throws(ClientError) -> LiveWorkoutStatistics {
    let answer = try await call("Statistics", [.string(type.identifier)])
    guard let figures = answer.first.flatMap({ WorkoutFigures($0, of: type) }) else { throw .unreadable }
    return LiveWorkoutStatistics(
      activityType: figures.activityType, currentActivityType: figures.currentActivityType,
      workout: figures.workout?.statistics, activity: figures.activity?.statistics)
  }
}
