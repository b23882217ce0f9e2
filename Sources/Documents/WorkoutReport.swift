import FoundationEssentials
package import HealthModel
package import Support

/// One workout in full: the answer of `sensord show`.
package struct WorkoutReport: Hashable, Sendable {
  package var entry: WorkoutEntry
  /// The recovery, computed from the beats; nil where no session belongs to the workout.
  package var recovery: Result<HeartRateRecovery, RecoveryRefusal>?
  /// The time of the rate in each zone, without pauses; nil where no zones are configured.
  package var zones: ZoneTimes?
  /// The routes of the workout, oldest first.
  package var routes: [Route]
  /// The heart rates of laps and segments, by their times, without pauses.
  package var lapRates: [TimeSpan: WorkoutStatistics]

  package init(
    _ entry: WorkoutEntry, recovery: Result<HeartRateRecovery, RecoveryRefusal>?, zones: ZoneTimes?, routes: [Route],
    lapRates: [TimeSpan: WorkoutStatistics]
  ) {
    self.entry = entry
    self.recovery = recovery
    self.zones = zones
    self.routes = routes
    self.lapRates = lapRates
  }

  /// The facts of a route.
  package struct Route: Hashable, Sendable {
    package var sample: HealthSample
    /// The length in metres.
    package var length: Double

    package init(_ sample: HealthSample, through locations: [RouteLocation]) {
      self.sample = sample
      length = WorkoutRoute(of: sample.id, locations).length
    }

    fileprivate var json: JSONValue {
      [
        "id": .string(sample.id.uuidString.lowercased()), "start": .string(sample.start.iso8601()),
        "end": .string(sample.end.iso8601()), "locationCount": .integer(sample.count),
        "lengthMeters": .number(length),
      ]
    }
  }

  package var workout: Workout { entry.workout }

  /// The reason of a missing recovery; nil for a workout with a recovery, or without beats to compute it from.
  package var refusal: RecoveryRefusal? {
    guard entry.recovery == nil, case .failure(let refusal) = recovery else { return nil }
    return refusal
  }

  /// The fall of the rate: as it was saved, or else as computed from the beats.
  package var fall: Double? { entry.recovery ?? (try? recovery?.get())?.fall }

  /// An event, and the place of the activity that the event belongs to, from 1; nil for an event of the workout.
  package struct Event: Hashable, Sendable {
    package var event: WorkoutEvent
    package var activity: Int?
    /// The heart rates of a lap or segment.
    package var rates: WorkoutStatistics?
  }

  /// All events in order of time.
  package var events: [Event] {
    let own = workout.activities.enumerated().flatMap { place, activity in
      activity.events.map { Event(event: $0, activity: place + 1, rates: rates(of: $0)) }
    }
    let all = workout.events.map { Event(event: $0, activity: nil, rates: rates(of: $0)) } + own
    return all.enumerated().sorted {
      ($0.element.event.span.start, $0.offset) < ($1.element.event.span.start, $1.offset)
    }.map(\.element)
  }

  private func rates(of event: WorkoutEvent) -> WorkoutStatistics? {
    event.type == .lap || event.type == .segment ? lapRates[event.span] : nil
  }

  /// The metadata in the order of the keys.
  package var metadata: [(key: String, value: MetadataValue)] { workout.metadata.inOrder }

  /// The object of `show --json`.
  package var json: JSONValue {
    var members = entry.members
    members.append(.init("statistics", .array(workout.allStatistics.map(Self.json))))
    members.append(
      .init(
        "recovery",
        [
          "heartRateRecoveryOneMinute": .number(fall), "saved": .bool(entry.recovery != nil),
          "refused": .string(refusal?.code), "reason": .string(refusal?.description),
        ]))
    members.append(.init("events", .array(workout.events.map(json))))
    members.append(.init("activities", .array(workout.activities.map(json))))
    members.append(.init("routes", .array(routes.map(\.json))))
    if let zones { members.append(.init("zones", zones.json)) }
    members.append(.init("metadata", Self.json(metadata)))
    return .object(members)
  }

  private func json(_ activity: WorkoutActivity) -> JSONValue {
    .object(
      [.init("id", .string(activity.id.uuidString.lowercased()))] + activity.configuration.members + [
        .init("start", .string(activity.start.iso8601())),
        .init("end", .string(activity.end.iso8601())),
        .init("seconds", .number(workout.duration(of: activity).seconds)),
        .init("statistics", .array(activity.allStatistics.map(Self.json))),
        .init("events", .array(activity.events.map(json))),
        .init("metadata", Self.json(activity.metadata.inOrder)),
      ])
  }

  private func json(_ event: WorkoutEvent) -> JSONValue {
    [
      "type": .string("\(event.type)"), "eventType": .integer(event.type.rawValue),
      "start": .string(event.span.start.iso8601()), "end": .string(event.span.end.iso8601()),
      "heartRate": rates(of: event).map { WorkoutEntry.json($0) } ?? .null,
      "metadata": Self.json(event.metadata.inOrder),
    ]
  }

  private static func json(_ figures: WorkoutStatistics) -> JSONValue {
    [
      "type": .string(figures.type.identifier), "unit": .string(figures.type.unit.symbol),
      "count": .integer(figures.count), "sum": .number(figures.sum), "average": .number(figures.average),
      "minimum": .number(figures.minimum), "maximum": .number(figures.maximum),
      "mostRecent": .number(figures.mostRecent),
    ]
  }

  private static func json(_ metadata: [(key: String, value: MetadataValue)]) -> JSONValue {
    .object(metadata.map { .init($0.key, $0.value.plain) })
  }
}

extension Metadata {
  fileprivate var inOrder: [(key: String, value: MetadataValue)] {
    sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

/// A stored workout as lists show it.
package struct WorkoutEntry: Hashable, Sendable {
  package var workout: Workout
  /// The program that saved it.
  package var source: SourceRevision
  /// The hardware that measured.
  package var device: Device?
  /// The fall of the heart rate in the minute after the workout, in beats a minute; nil where no fall was saved.
  package var recovery: Double?

  /// Whether the dates are in doubt, since the clock was not set.
  package var isDoubtful: Bool
  /// The source of the heart rates where they are not the workout's own.
  package var heartSource: DataSource?

  package init(
    _ workout: Workout, source: SourceRevision, device: Device?, recovery: Double?, isDoubtful: Bool = false,
    heartSource: DataSource? = nil
  ) {
    self.heartSource = heartSource
    self.workout = workout
    self.source = source
    self.device = device
    self.recovery = recovery
    self.isDoubtful = isDoubtful
  }

  /// The first eight digits of the identifier, which name a workout well enough.
  package var shortName: String { String(workout.id.uuidString.lowercased().prefix(8)) }

  /// The object that `workouts --json` lists; keys and their order are fixed by Documentation/command-line.md.
  package var members: [JSONValue.Member] {
    [.init("id", .string(workout.id.uuidString.lowercased()))] + workout.configuration.members + [
      .init("start", .string(workout.start.iso8601())),
      .init("end", .string(workout.end.iso8601())),
      .init("seconds", .number(workout.duration.seconds)),
      .init("activityCount", .integer(workout.activities.count)),
      .init("heartRate", Self.json(workout.statistics(for: .heartRate))),
      .init("heartRateRecoveryOneMinute", .number(recovery)),
      .init("source", .string(source.identifier)),
      .init("device", ["name": .string(device?.name), "address": .string(device?.localIdentifier)]),
    ] + (heartSource.map { [.init("heartRateSource", .string($0.description))] } ?? [])
      + (isDoubtful ? [JSONValue.clockNotSet] : [])
  }

  /// The object of heart rates.
  static func json(_ rates: WorkoutStatistics?) -> JSONValue {
    [
      "average": .number(rates?.average), "minimum": .number(rates?.minimum), "maximum": .number(rates?.maximum),
    ]
  }
}

extension WorkoutConfiguration {
  /// The members that describe a workout or an activity.
  var members: [JSONValue.Member] {
    [
      .init("type", .string("\(activityType)")), .init("activityType", .integer(activityType.rawValue)),
      .init("location", .integer(location.rawValue)), .init("swimmingLocation", .integer(swimmingLocation.rawValue)),
      .init("lapLengthMeters", .number(try? lapLength?.value(in: .meter))),
    ]
  }
}

extension Duration {
  /// The length in seconds, to the microsecond.
  var seconds: Double { Double(wholeMicroseconds) / 1e6 }
}
