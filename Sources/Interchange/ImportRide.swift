internal import FoundationEssentials
internal import HealthInterchange
internal import HealthModel
internal import Reports
internal import SeriesStore
import Support

/// The outcome for a workout that a file brings.
struct ImportedRideRow {
  /// The identifier under which the store has the workout, or would have it.
  let id: UUID
  let outcome: CommitOutcome
  /// The workout of which the file is a copy, or which is the same in another format.
  let original: UUID?
  let workout: Workout
  /// The types of the series, and their numbers of values.
  let series: [(type: String, count: Int)]
  let locations: Int

  init(_ ride: ForeignRide, _ outcome: CommitOutcome, original: UUID? = nil) {
    id = ImportIdentity(digest: ride.digest).id(version: ride.version)
    (self.outcome, self.original, workout) = (outcome, original, ride.workout)
    series = ride.series.map { ($0.type.identifier, $0.values.count) }
    locations = ride.route.count
  }

  /// The outcome as a line for people.
  func text(isDry: Bool) -> String {
    let name = ImportReport.Row.name(id)
    switch outcome {
    case .stored: return "\(name) \(isDry ? "would be " : "")stored: \(contents)"
    case .replaced: return "\(name) \(isDry ? "would replace" : "replaced") a form of itself that has less: \(contents)"
    case .unchanged:
      return "\(name) is known already\(original.map { " with \(ImportReport.Row.name($0))" } ?? ""), nothing new"
    case .deletedBefore: return "\(name) was deleted before, nothing stored; --restore brings it back"
    }
  }

  private var laps: Int { workout.events.count { $0.type == .lap || $0.type == .segment } }

  /// `cycling, 12 laps, 3600 locations, cyclingPower`.
  private var contents: String {
    let counts = [(workout.activities.count, "part"), (laps, "lap"), (locations, "location")]
    let parts = counts.filter { $0.0 > 0 }.map { count, noun in Count.of(count, noun) }
    return (["\(workout.configuration.activityType)"] + parts + series.map(\.type)).joined(separator: ", ")
  }

  var json: JSONValue {
    [
      "workout": .string(id.uuidString.lowercased()), "outcome": .string(outcome.rawValue),
      "type": .string("\(workout.configuration.activityType)"), "start": .string(workout.start.iso8601()),
      "end": .string(workout.end.iso8601()), "activities": .integer(workout.activities.count),
      "laps": .integer(laps), "locations": .integer(locations),
      "series": .object(series.map { JSONValue.Member($0.type, .integer(Int64($0.count))) }),
      "copyOf": .string(original?.uuidString.lowercased()),
    ]
  }
}

extension ImportDestination {
  /// Stores a workout with its series and its route, or returns the outcome that storing would have. `rows` are the outcomes of the file's
  /// sessions.
  @concurrent mutating func answer(
    to ride: ForeignRide, beside rows: [ImportReport.Row]
  ) async throws -> ImportedRideRow {
    let store = try opened()
    // Its heart is there in another format, and so is it.
    if let other = rows.first(where: { $0.answer.isOtherFormat && ride.sessions.contains($0.session.id) }) {
      return ImportedRideRow(ride, .unchanged, original: other.answer.original)
    }
    if let copied = ride.copied, let store {
      if !restore, try await store.wasDeleted(copied) { return ImportedRideRow(ride, .deletedBefore) }
      if try await !store.identifiers(SampleQuery(.identifier([copied]))).isEmpty {
        return ImportedRideRow(ride, .unchanged, original: copied)
      }
    }
    let identity = ImportIdentity(digest: ride.digest)
    var workout = ImportedItem(
      identity, from: ride.source,
      .workout(
        ImportedWorkout(
          ride.workout, version: ride.version, device: ride.device,
          series: ride.series.map { ImportIdentity(digest: $0.digest) }, sessions: ride.sessions)))
    guard let store, !isDry else {
      let known = plannedRides[ride.digest]
      plannedRides[ride.digest] = max(known ?? 0, ride.version)
      if let known { return ImportedRideRow(ride, ride.version > known ? .replaced : .unchanged) }
      let outcome = try await store?.outcomes(ofImporting: [workout], restore: restore).first?.outcome
      return ImportedRideRow(ride, outcome ?? .stored)
    }
    // A workout that was deleted stays away with all that was measured in it.
    let outcome = try await store.outcomes(ofImporting: [workout], restore: restore).first?.outcome ?? .stored
    guard outcome == .stored || outcome == .replaced else { return ImportedRideRow(ride, outcome) }
    var items: [ImportedItem] = []
    for series in ride.series {
      var item = ImportedItem(
        ImportIdentity(digest: series.digest), from: ride.source,
        .series(
          ImportedSeries(
            series.type, device: ride.device, metadata: [:], values: series.values, isContinued: false)))
      item.pack()
      items.append(item)
    }
    workout.source = ride.source
    items.append(workout)
    if !ride.route.isEmpty {
      items.append(
        ImportedItem(
          ImportIdentity(digest: ride.routeDigest), from: ride.source,
          .route(ImportedRoute(identity, comesWithWorkout: true, device: ride.device, locations: ride.route))))
    }
    _ = try await store.save(imported: items, restore: restore)
    return ImportedRideRow(ride, outcome)
  }
}
