package import FoundationEssentials
package import HealthModel
internal import Support

/// A workout of a foreign file with what was measured beside the heart.
package struct ForeignRide: Hashable, Sendable {
  /// Values of one type, by time.
  package struct Series: Hashable, Sendable {
    /// The identity of the series, the same in every file that has it.
    package var digest: [UInt8]
    package var type: QuantityType
    package var values: [SampleDraft.QuantityValue]
  }

  /// The identity of the workout, the same in every file that has it: 32 bytes.
  package var digest: [UInt8]
  /// A greater one has more.
  package var version: Int64
  package var source: SourceRevision
  package var device: Device
  /// The workout; its identifier is made anew where it is stored.
  package var workout: Workout
  package var series: [Series]
  /// The identity of the route, and its locations; empty without a route.
  package var routeDigest: [UInt8]
  package var route: [RouteLocation]
  /// The sessions that have the heart of it.
  package var sessions: [UUID] = []
  /// The workout of this program's that the file copies.
  package var copied: UUID?
}

/// Makes workouts of what devices measure beside the heart. Memory is bounded.
struct RideAssembly: Sendable {
  private struct Value {
    var time: Timestamp
    var value: Double
  }

  /// The most values of a recording: ten in each second of two days.
  private static let mostValues = 1_500_000
  private static let mostLocations = 1 << 18
  /// So far outside of what the device says, values still belong to it.
  private static let edge: Int64 = 600_000_000
  /// Formats without a timer end a track for other reasons, too.
  private static let leastPause: Int64 = 10_000_000

  private let format: ForeignFormat
  private var device = Device()
  private var source: SourceRevision
  private var identity: RecordingIdentity?
  private var activity: WorkoutActivityType?
  private var parts: [RidePart] = []
  private var stretches: [RideStretch] = []
  private var timers: [(isRunning: Bool, time: Timestamp)] = []
  private var locations: [RouteLocation] = []
  private var values: [RideQuantity: [Value]] = [:]
  private var count = 0
  private var span: TimeSpan?
  private var leftOut: [String: Int] = [:]

  init(_ format: ForeignFormat) {
    self.format = format
    source = SourceRevision(identifier: format.rawValue, name: format.rawValue)
  }

  mutating func begin() { self = RideAssembly(format) }

  mutating func take(_ element: ForeignElement) {
    switch element {
    case .identity(let identity): self.identity = identity
    case .device(let device): self.device.merge(device)
    case .source(let source): self.source = source
    case .activity(let activity): self.activity = self.activity ?? activity
    case .rate(let time, _), .moment(let time): widen(time)
    case .timer(let isRunning, let time):
      if timers.count < 2 * Workout.mostEvents { timers.append((isRunning, time)) }
    case .part(let part): if parts.count < Workout.mostActivities { parts.append(part) }
    case .stretch(let stretch):
      if stretches.count < Workout.mostEvents / 2 { stretches.append(stretch) } else { leave("lap above 5000") }
    case .location(let location):
      guard (try? location.validate()) != nil else { return leave("location that is out of range") }
      guard locations.count < Self.mostLocations else { return leave("location above \(Self.mostLocations)") }
      if let last = locations.last, location.time < last.time { return leave("location out of order") }
      widen(location.time)
      locations.append(location)
    case .quantity(let quantity, let value, let time):
      guard count < Self.mostValues else { return leave("\(quantity.rawValue) above \(Self.mostValues) values") }
      if let last = values[quantity]?.last, time < last.time { return leave("\(quantity.rawValue) out of order") }
      count += 1
      values[quantity, default: []].append(Value(time: time, value: value))
    default: break
    }
  }

  private mutating func leave(_ reason: String) { leftOut[reason, default: 0] += 1 }

  private mutating func widen(_ time: Timestamp) {
    guard let span else { return self.span = TimeSpan(at: time) }
    if time >= span.start, time <= span.end { return }
    self.span = TimeSpan(start: min(span.start, time), end: max(span.end, time))
  }

  /// The workouts of the recording; none of a file that has the heart alone.
  mutating func finish(_ account: inout ReadingAccount) -> [ForeignRide] {
    for (reason, count) in leftOut { account.leave(out: reason, count) }
    guard !parts.isEmpty || !locations.isEmpty || !values.isEmpty, format != .apple else { return [] }
    var rides: [ForeignRide] = []
    let groups = groups
    for group in groups {
      do throws(WorkoutError) {
        if let ride = try ride(group, isOnly: groups.count == 1, &account) { rides.append(ride) }
      } catch {
        account.leave(out: "workout: \(error)")
      }
    }
    return rides
  }

  // MARK: Parts

  private static let race: Set<WorkoutActivityType> = [.swimming, .cycling, .running, .transition]

  /// The parts that make one workout each.
  private var groups: [[RidePart]] {
    var dated = parts.filter { $0.span != nil }.sorted { one, other in
      guard let one = one.span, let other = other.span else { return false }
      return (one.start, one.end) < (other.start, other.end)
    }
    guard !dated.isEmpty else {
      guard let span else { return [] }
      var whole = parts.first ?? RidePart(activity: activity)
      (whole.span, whole.activity) = (span, whole.activity ?? activity)
      return [[whole]]
    }
    // The sum of a race stands beside its parts.
    if dated.count > 1 { dated.removeAll { $0.activity == .swimBikeRun } }
    let kinds = Set(dated.map { $0.activity ?? .other })
    return kinds.count == 1 || kinds.isSubset(of: Self.race) ? [dated] : dated.map { [$0] }
  }

  private func ride(
    _ group: [RidePart], isOnly: Bool, _ account: inout ReadingAccount
  ) throws(WorkoutError) -> ForeignRide? {
    guard let start = group.compactMap(\.span?.start).min(), let end = group.compactMap(\.span?.end).max(),
      var whole = TimeSpan(start: start, end: end)
    else { return nil }
    if isOnly, let span {
      let begin = span.start.microseconds(since: start) > -Self.edge ? min(start, span.start) : start
      let over = span.end.microseconds(since: end) < Self.edge ? max(end, span.end) : end
      whole = TimeSpan(start: begin, end: over) ?? whole
    }
    let digest = Self.digest([identityText(whole.start)])
    let kinds = Set(group.map { $0.activity ?? .other })
    let activity = kinds.count == 1 ? kinds.first ?? .other : .swimBikeRun
    let parts = Self.apart(group, in: whole)
    var series: [ForeignRide.Series] = []
    for (type, values) in allSeries(parts, in: whole, isOnly, &account).sorted(by: { $0.key < $1.key }) {
      series.append(
        ForeignRide.Series(
          digest: Self.digest([identityText(whole.start), type]), type: values.type, values: values.values))
    }
    let route = locations.filter { $0.time >= whole.start && $0.time <= whole.end }
    if isOnly, route.count < locations.count {
      account.leave(out: "location outside of its workout", locations.count - route.count)
    }
    let events = events(in: whole, isSwum: kinds.contains(.swimming))
    let activities = parts.count > 1 ? Self.activities(parts, of: activity, digest) : []
    var metadata: Metadata = ["importedFormat": .text(format.rawValue)]
    if let sport = group.count == 1 ? group.first?.sport : nil { metadata["importedSport"] = .text(sport) }
    if let name = group.lazy.compactMap(\.name).first { metadata["name"] = .text(name) }
    if case .workout(let id) = identity { metadata[ImportedMetadata.workout] = .text(id.uuidString.lowercased()) }
    let configuration = Self.configuration(activity, group.count == 1 ? group.first : nil)
    let workout = Workout(
      configuration, over: whole, events: events, activities: activities, metadata: metadata)
    try workout.validate()
    let count = series.reduce(route.count + events.count + activities.count + metadata.count) { $0 + $1.values.count }
    var ride = ForeignRide(
      digest: digest, version: 1 + Int64(count), source: source, device: device, workout: workout, series: series,
      routeDigest: Self.digest([identityText(whole.start), "route"]), route: route)
    if case .workout(let id) = identity { ride.copied = id }
    return ride
  }

  private func identityText(_ start: Timestamp) -> String {
    if case .workout(let id) = identity { return "workout\n\(id.uuidString)" }
    return "\(format.rawValue)\n\(format == .fit ? source.identifier : "")\n\(start.microseconds)"
  }

  private static func digest(_ texts: [String]) -> [UInt8] {
    var hash = SHA256()
    hash.add(Array("sensord ride\n\(texts.joined(separator: "\n"))".utf8)[...])
    return hash.digest()
  }

  /// The parts one behind the other, whatever their rounded times are.
  private static func apart(_ group: [RidePart], in whole: TimeSpan) -> [RidePart] {
    var parts: [RidePart] = []
    for var part in group {
      guard let span = part.span else { continue }
      let start = max(span.start, parts.last?.span?.end ?? whole.start)
      guard let cut = TimeSpan(start: start, end: min(max(span.end, start), whole.end)) else { continue }
      part.span = cut
      parts.append(part)
    }
    return parts
  }

  private static func configuration(_ activity: WorkoutActivityType, _ part: RidePart?) -> WorkoutConfiguration {
    var configuration = WorkoutConfiguration(activity)
    guard let part else { return configuration }
    (configuration.location, configuration.swimmingLocation) = (part.location, part.swimmingLocation)
    if activity == .swimming, let length = part.poolLength, length > 0, length <= 10_000 {
      configuration.lapLength = Quantity(length, .meter)
      if part.swimmingLocation == .unknown { configuration.swimmingLocation = .pool }
    }
    return configuration
  }

  private static func activities(
    _ parts: [RidePart], of whole: WorkoutActivityType, _ digest: [UInt8]
  ) -> [WorkoutActivity] {
    parts.enumerated().compactMap { place, part in
      guard let span = part.span else { return nil }
      var metadata: Metadata = [:]
      if let sport = part.sport { metadata["importedSport"] = .text(sport) }
      let digits = digest.map { "\($0)" }.joined(separator: " ")
      return WorkoutActivity(
        id: UUID(madeOf: "sensord ride\n\(digits)\n\(place)"), configuration(part.activity ?? whole, part), over: span,
        metadata: metadata)
    }
  }

  // MARK: Events

  private func events(in whole: TimeSpan, isSwum: Bool) -> [WorkoutEvent] {
    var events: [WorkoutEvent] = []
    var stop: Timestamp?
    for timer in timers.sorted(by: { $0.time < $1.time }) where timer.time >= whole.start && timer.time <= whole.end {
      guard timer.isRunning else {
        stop = stop ?? timer.time
        continue
      }
      if let began = stop, format == .fit ? timer.time > began : timer.time.microseconds(since: began) > Self.leastPause
      {
        events += [WorkoutEvent(.pause, at: began), WorkoutEvent(.resume, at: timer.time)]
      }
      stop = nil
    }
    let lengths = stretches.filter { $0.kind == .length }
    let laps = stretches.filter { $0.kind == .lap }
    if laps.count > 1 { events += Self.events(laps, lengths.isEmpty ? .lap : .segment, in: whole) }
    return events + Self.events(lengths, .lap, in: whole)
  }

  /// Laps and lengths of a time, one behind the other.
  private static func events(
    _ stretches: [RideStretch], _ type: WorkoutEventType, in whole: TimeSpan
  ) -> [WorkoutEvent] {
    var last = whole.start
    return stretches.sorted { ($0.span.start, $0.span.end) < ($1.span.start, $1.span.end) }.compactMap { stretch in
      guard stretch.span.start <= whole.end, stretch.span.end >= whole.start,
        let span = TimeSpan(start: max(stretch.span.start, last), end: min(stretch.span.end, whole.end))
      else { return nil }
      last = span.end
      var metadata: Metadata = [:]
      if let strokes = stretch.strokes {
        let seconds = Double(stretch.span.microseconds) / 1e6
        metadata[WorkoutEvent.swolfScoreKey] = .quantity(Quantity(strokes + seconds, .count))
      }
      return WorkoutEvent(type, over: span, metadata: metadata)
    }
  }

  // MARK: Series

  private typealias Collected = (type: QuantityType, values: [SampleDraft.QuantityValue])

  private func allSeries(
    _ parts: [RidePart], in whole: TimeSpan, _ isOnly: Bool, _ account: inout ReadingAccount
  ) -> [String: Collected] {
    var all: [String: Collected] = [:]
    func add(_ type: QuantityType, _ value: Double, _ span: TimeSpan) {
      all[type.identifier, default: (type, [])].values.append(SampleDraft.QuantityValue(value, over: span))
    }
    for quantity in RideQuantity.allCases {
      guard let values = values[quantity] else { continue }
      var (place, earlier) = (0, Value(time: whole.start, value: 0))
      for value in values {
        guard value.time >= whole.start, value.time <= whole.end else {
          if isOnly { account.leave(out: "\(quantity.rawValue) outside of its workout") }
          continue
        }
        while place + 1 < parts.count, parts[place + 1].span.map({ value.time >= $0.start }) ?? false { place += 1 }
        let activity = parts[place].activity ?? .other
        guard let (type, factor) = quantity.type(for: activity) else {
          account.leave(out: "\(quantity.rawValue) of \(activity)")
          continue
        }
        guard quantity.isSum else {
          add(type, value.value * factor, TimeSpan(at: value.time))
          continue
        }
        // Some devices begin again at 0 with each part.
        let added = value.value - (value.value < earlier.value ? 0 : earlier.value)
        if added > 0, let span = TimeSpan(start: earlier.time, end: value.time) { add(type, added, span) }
        earlier = value
      }
    }
    addSums(parts, in: whole, to: &all)
    return all
  }

  /// Adds what stands in laps, lengths and parts alone.
  private func addSums(_ parts: [RidePart], in whole: TimeSpan, to all: inout [String: Collected]) {
    func add(_ type: QuantityType?, _ value: Double?, _ span: TimeSpan?) {
      guard let type, let value, value > 0, let span,
        let cut = TimeSpan(start: max(span.start, whole.start), end: min(span.end, whole.end))
      else { return }
      all[type.identifier, default: (type, [])].values.append(SampleDraft.QuantityValue(value, over: cut))
    }
    let hasEnergy = values[.energy] != nil
    let isEnergyOfLaps = stretches.contains { $0.energy ?? 0 > 0 }
    for part in parts {
      guard let span = part.span else { continue }
      let type = RideQuantity.distance.type(for: part.activity ?? .other)?.type
      let own = stretches.filter {
        $0.span.start >= span.start && $0.span.start < max(span.end, span.start.advanced(byMicroseconds: 1))
      }
      let lengths = own.filter { $0.kind == .length }
      for length in lengths { add(.swimmingStrokeCount, length.strokes, length.span) }
      let isMeasured =
        all[type?.identifier ?? ""]?.values.contains { $0.span.start >= span.start && $0.span.end <= span.end } ?? false
      if !isMeasured {
        if let pool = part.poolLength, pool > 0, !lengths.isEmpty {
          for length in lengths { add(type, pool, length.span) }
        } else if own.contains(where: { $0.distance ?? 0 > 0 }) {
          for lap in own { add(type, lap.distance, lap.span) }
        } else {
          add(type, part.distance, span)
        }
      }
      guard !hasEnergy else { continue }
      if isEnergyOfLaps {
        for lap in own { add(.activeEnergyBurned, lap.energy, lap.span) }
      } else {
        add(.activeEnergyBurned, part.energy, span)
      }
    }
    for type in all.keys {
      all[type]?.values.sort { ($0.span.start, $0.span.end) < ($1.span.start, $1.span.end) }
    }
  }
}
