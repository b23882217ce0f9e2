internal import Bits
internal import FoundationEssentials
internal import HealthModel

/// A workout as it is being read.
struct AppleWorkout {
  struct Event {
    var type: WorkoutEventType?
    var name: String
    var span: TimeSpan?
    var isOfActivity: Bool
    var metadata: [(key: String, value: String)] = []
  }

  struct Activity {
    var type: WorkoutActivityType?
    var span: TimeSpan?
    var events: [WorkoutEvent] = []
    var metadata: [(key: String, value: String)] = []
    var figures: Metadata = [:]
  }

  let fields: AppleFields
  let type: WorkoutActivityType?
  let span: TimeSpan?
  /// The duration in the file, which may differ from the time without the pauses in the file.
  let duration: Quantity?
  var metadata: [(key: String, value: String)] = []
  var figures: Metadata = [:]
  var events: [WorkoutEvent] = []
  var activities: [Activity] = []
  var event: Event?
  var activity: Activity?
  /// The names of the files of its routes.
  var routes: [String] = []
  /// The reasons for which parts of the workout are left out.
  var leftOut: [String] = []

  init(_ element: XMLElement) {
    var fields = AppleFields(element)
    fields.type = element["workoutActivityType"] ?? ""
    self.fields = fields
    type = AppleNames.activity(fields.type)
    span = element.span.start.flatMap { start in element.span.end.flatMap { TimeSpan(start: start, end: $0) } }
    duration = element.quantity("duration", unit: "durationUnit")
    if element["duration"] != nil, (try? duration?.value(in: .second)) == nil {
      leftOut.append("duration of a workout: no number, or in no unit of time")
    }
    for name in ["totalDistance", "totalEnergyBurned", "totalSwimmingStrokeCount", "totalFlightsClimbed"] {
      if let total = element.quantity(name, unit: name + "Unit") {
        figures[name] = .quantity(total)
      } else if element[name] != nil {
        leftOut.append("\(name) of a workout: no number, or in an unknown unit")
      }
    }
  }

  mutating func beginActivity(_ element: XMLElement) {
    var activity = Activity()
    activity.type = element["workoutActivityType"].flatMap(AppleNames.activity)
    activity.span = element.span.start.flatMap { start in element.span.end.flatMap { TimeSpan(start: start, end: $0) } }
    self.activity = activity
  }

  mutating func endActivity() {
    if let activity, activities.count < Workout.mostActivities {
      activities.append(activity)
    } else {
      leftOut.append("activity of a workout above \(Workout.mostActivities)")
    }
    activity = nil
  }

  mutating func beginEvent(_ element: XMLElement, inActivity: Bool) {
    let name = element["type"] ?? ""
    var span = element.moment("date").map { TimeSpan(at: $0) }
    if let start = span?.start, element["duration"] != nil {
      let length = element.quantity("duration", unit: "durationUnit")
      if let seconds = try? length?.value(in: .second), seconds >= 0, seconds < 1e9 {
        span = TimeSpan(start: start, end: start.advanced(byMicroseconds: Int64((seconds * 1e6).rounded())))
      } else {
        leftOut.append("duration of an event: no number, or in no unit of time")
      }
    }
    event = Event(type: AppleNames.event(name), name: name, span: span, isOfActivity: inActivity)
  }

  mutating func endEvent() {
    guard let event else { return }
    self.event = nil
    guard let type = event.type, let span = event.span else {
      return leftOut.append("event of a workout: \(event.name.prefix(60))")
    }
    let made = WorkoutEvent(type, over: span, metadata: AppleOrigin.metadata(event.metadata))
    guard events.count < Workout.mostEvents, activity?.events.count ?? 0 < Workout.mostEvents else {
      return leftOut.append("event of a workout above \(Workout.mostEvents)")
    }
    if event.isOfActivity { activity?.events.append(made) } else { events.append(made) }
  }

  /// Adds figures that Apple computed. The file does not name their samples, so the figures stay as they are.
  mutating func addStatistics(_ element: XMLElement, inActivity: Bool) {
    let type = AppleNames.short(element["type"] ?? "")
    guard let unit = element["unit"].flatMap(AppleNames.unit) else {
      return leftOut.append("figure of a workout in an unknown unit: \(type.prefix(60))")
    }
    for figure in ["sum", "average", "minimum", "maximum"] {
      guard let number = element.number(figure) else { continue }
      let value = MetadataValue.quantity(Quantity(number, unit))
      if inActivity { activity?.figures["\(type).\(figure)"] = value } else { figures["\(type).\(figure)"] = value }
    }
  }
}

extension AppleContents {
  func endWorkout() {
    guard let read = workout else { return }
    workout = nil
    guard let span = read.span, Timestamp.calendarRange.contains(span.end) else {
      return account.reading.leave(out: "workout without a time")
    }
    guard let type = read.type else {
      return account.reading.leave(out: "workout of the type \(read.fields.type.prefix(60))")
    }
    let digest = Self.digest(read, span)
    guard isAskedFor("workout", until: span.end) else {
      // Routes that were asked for alone belong to a workout that the store has.
      return endRoutes(of: read, digest, isComing: false, over: span)
    }
    for reason in read.leftOut { account.reading.leave(out: reason) }
    let (events, laps) = Self.admitted(read.events, in: span)
    leave(out: "event outside its workout, or a lap within another", read.events.count - events.count)
    let activities = activities(of: read, type, in: span, digest: digest, laps: laps)
    var metadata = AppleOrigin.metadata(read.metadata).merging(read.figures) { $1 }
    // Programs that do not write pauses write the duration nevertheless.
    let timed = Workout(WorkoutConfiguration(type), over: span, events: events, activities: activities)
    if let said = read.duration, !Self.isSame(said, as: timed.duration) { metadata["duration"] = .quantity(said) }
    let version = 1 + events.count + activities.count + metadata.count
    let workout = Workout(
      id: Self.identifier(digest), Self.configuration(type, metadata), over: span, events: events,
      activities: activities, metadata: metadata)
    do throws(WorkoutError) {
      try workout.validate()
    } catch {
      return account.reading.leave(out: "workout: \(error)")
    }
    count("workout")
    let object = AppleObject(
      digest: digest, version: Int64(version), source: read.fields.sourceRevision,
      device: read.fields.device.flatMap(AppleNames.device), metadata: metadata, content: .workout(workout))
    objects.append(object)
    workoutSize += object.size
    endRoutes(of: read, digest, isComing: true, over: span)
  }

  /// Whether a file's duration is that of its times, to the second.
  private static func isSame(_ said: Quantity, as duration: Duration) -> Bool {
    guard let seconds = try? said.value(in: .second) else { return true }
    return abs(seconds - duration / .seconds(1)) <= 1
  }

  private func leave(out reason: String, _ count: Int) {
    if count > 0 { account.reading.leave(out: reason, count) }
  }

  /// Events within a span whose laps do not overlap, and where the last lap ends.
  private static func admitted(
    _ events: [WorkoutEvent], in span: TimeSpan, laps: [TimeSpan] = []
  ) -> (events: [WorkoutEvent], laps: [TimeSpan]) {
    var laps = laps
    let admitted = events.sorted { ($0.span.start, $0.span.end) < ($1.span.start, $1.span.end) }.filter { event in
      guard event.span.start >= span.start, event.span.end <= span.end else { return false }
      guard event.type == .lap else { return true }
      guard !laps.contains(where: { $0.start < event.span.end && event.span.start < $0.end }) else { return false }
      laps.append(event.span)
      return true
    }
    return (admitted, laps)
  }

  private func activities(
    of read: AppleWorkout, _ type: WorkoutActivityType, in span: TimeSpan, digest: [UInt8], laps: [TimeSpan]
  ) -> [WorkoutActivity] {
    var laps = laps
    var activities: [WorkoutActivity] = []
    for part in read.activities.sorted(by: { ($0.span?.start ?? span.end) < ($1.span?.start ?? span.end) }) {
      guard let own = part.span, own.start >= span.start, own.end <= span.end,
        activities.last.map({ $0.end <= own.start }) ?? true
      else {
        account.reading.leave(out: "activity outside its workout, or within another")
        continue
      }
      // The file does not have the sports of the parts of several sports.
      guard let activity = part.type ?? (type == .swimBikeRun ? nil : type),
        type == .swimBikeRun || activity == type
      else {
        account.reading.leave(out: "activity without a type, of a workout of several sports")
        continue
      }
      let events: [WorkoutEvent]
      (events, laps) = Self.admitted(part.events, in: own, laps: laps)
      leave(out: "event outside its activity, or a lap within another", part.events.count - events.count)
      var hash = SHA256()
      hash.add(
        (digest + [UInt8(truncatingIfNeeded: activities.count), UInt8(truncatingIfNeeded: activities.count >> 8)])[...])
      let metadata = AppleOrigin.metadata(part.metadata).merging(part.figures) { $1 }
      activities.append(
        WorkoutActivity(
          id: Self.identifier(hash.digest()), Self.configuration(activity, metadata), over: own, events: events,
          metadata: metadata))
    }
    return activities
  }

  private static func configuration(_ type: WorkoutActivityType, _ metadata: Metadata) -> WorkoutConfiguration {
    var configuration = WorkoutConfiguration(type)
    if case .integer(let isIndoor) = metadata["indoorWorkout"] {
      configuration.location = isIndoor == 0 ? .outdoor : .indoor
    }
    if case .integer(let place) = metadata["swimmingLocationType"] {
      configuration.swimmingLocation = WorkoutSwimmingLocation(rawValue: place)
    }
    if case .quantity(let length) = metadata["lapLength"], let meters = try? length.value(in: .meter), meters > 0,
      meters <= 10_000
    {
      configuration.lapLength = length
    }
    return configuration
  }

  private static func digest(_ read: AppleWorkout, _ span: TimeSpan) -> [UInt8] {
    let origin = AppleOrigin(read.fields, metadata: [], wanted: nil)
    return origin.digest([span.start.microseconds, span.end.microseconds])
  }

  private static func identifier(_ digest: [UInt8]) -> UUID {
    var bytes = digest
    bytes[6] = bytes[6] & 0x0F | 0x80
    bytes[8] = bytes[8] & 0x3F | 0x80
    return UUID(
      uuid: (
        bytes[0], bytes[1], bytes[2], bytes[3], bytes[4], bytes[5], bytes[6], bytes[7], bytes[8], bytes[9], bytes[10],
        bytes[11], bytes[12], bytes[13], bytes[14], bytes[15]
      ))
  }
}
