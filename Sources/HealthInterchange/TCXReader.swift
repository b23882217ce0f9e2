internal import HealthModel

/// TCX: activities with their laps, tracks and heart rates. Courses and planned workouts are passed over.
package struct TCXReader: RecordingReader {
  package static let format = ForeignFormat.tcx

  package static func recognizes(_ beginning: [UInt8]) -> Bool {
    String(decoding: beginning.prefix(4096), as: UTF8.self).contains("<TrainingCenterDatabase")
  }

  private let contents: TCXContents
  private let stream: XMLStream

  package init() {
    contents = TCXContents()
    stream = XMLStream(contents)
  }

  package var account: ReadingAccount { contents.account }

  package mutating func read(_ bytes: [UInt8], into elements: inout [ForeignElement]) throws(FileDamage) {
    defer { elements += contents.take() }
    try stream.read(bytes)
  }

  package mutating func finish(into elements: inout [ForeignElement]) throws(FileDamage) {
    defer { elements += contents.take() }
    try stream.read([], isLast: true)
  }
}

/// The recordings that the elements of TCX stand for.
final class TCXContents: XMLContents {
  private(set) var account = ReadingAccount()
  private var elements: [ForeignElement] = []
  private var path: [String] = []
  private var text = ElementText()
  private var time: Timestamp?
  private var rate: UInt16?
  private var hasValue = false
  private var place: (latitude: Double?, longitude: Double?) = (nil, nil)
  private var altitude: Double?
  private var speed: Double?
  private var quantities: [(RideQuantity, Double)] = []
  private var isTrackOpen = false
  /// The laps of the activity under way: where each begins, and its sums.
  private var lap: (start: Timestamp?, seconds: Double?, distance: Double?, energy: Double?) = (nil, nil, nil, nil)
  /// One recording for several sports.
  private var isMultiSport = false
  private var isBegun = false
  private var part: (activity: WorkoutActivityType?, sport: String?, first: Timestamp?)?
  private var last: Timestamp?
  /// The announcement in front of the next activity, and the source of the activity under way.
  private var announced: (identity: RecordingIdentity, source: SourceRevision?)?
  private var source: SourceRevision?

  /// The elements that are skipped and reported, once for each element.
  private static let leftOut: Set<String> = [
    "Course", "Workout", "LX", "MaximumSpeed",
  ]

  func take() -> [ForeignElement] {
    defer { elements = [] }
    return elements
  }

  private var parent: String? { path.last }

  func begin(_ element: XMLElement) {
    let name = element.name
    text.removeAll()
    switch name {
    case "MultiSportSession": (isMultiSport, isBegun) = (true, false)
    case "Activity": beginActivity(element["Sport"])
    case "Transition" where isMultiSport: part = (.transition, nil, nil)
    case "Lap": lap = (element["StartTime"].flatMap { Timestamp(iso8601: $0) }, nil, nil, nil)
    case "Trackpoint":
      (time, rate, place, altitude, speed, quantities) = (nil, nil, (nil, nil), nil, nil, [])
    case "HeartRateBpm": hasValue = false
    case _ where Self.leftOut.contains(name): account.leave(out: name)
    default: break
    }
    path.append(name)
  }

  private func beginActivity(_ sport: String?) {
    let activity = sport.flatMap(TCXNames.activity)
    part = (activity, sport, nil)
    guard !isMultiSport || !isBegun else { return }
    isBegun = true
    elements.append(.recording)
    source = announced?.source
    if let announced { elements.append(.identity(announced.identity)) }
    announced = nil
    elements.append(.source(source ?? SourceRevision(identifier: "tcx", name: "TCX")))
    if let activity { elements.append(.activity(activity)) }
  }

  /// Ends an activity, or the way between two of several.
  private func endPart() {
    guard let part else { return }
    var ended = RidePart(activity: part.activity)
    ended.sport = part.sport
    if isMultiSport, let first = part.first, let last { ended.span = TimeSpan(start: first, end: last) }
    // A part without a point was not there.
    if !isMultiSport || ended.span != nil { elements.append(.part(ended)) }
    self.part = nil
  }

  func instruction(_ target: String, _ data: String) {
    guard target == RecordingAnnouncement.target else { return }
    if data == RecordingAnnouncement.gap { elements.append(.lostRates) }
    guard let said = RecordingAnnouncement(data) else { return }
    let source = said.source.flatMap { SourceRevision(saidToHaveRecorded: $0, name: nil, version: said.version) }
    announced = (said.identity, source)
  }

  func text(_ bytes: [UInt8]) {
    text.append(bytes)
  }

  func end(_ name: String) {
    path.removeLast()
    let words = text.words
    text.removeAll()
    switch (name, parent) {
    case ("Time", "Trackpoint"):
      time = Timestamp(iso8601: words)
      if time == nil { leaveOut(time: words) }
    case ("Value", "HeartRateBpm") where path.dropLast().last == "Trackpoint":
      hasValue = true
      rate = rate(of: words)
    case ("HeartRateBpm", "Trackpoint") where !hasValue:
      // Some programs write the number without the element that the schema wants.
      account.leave(out: "HeartRateBpm without Value")
      if !words.isEmpty { rate = rate(of: words) }
    case ("Trackpoint", _): endTrackpoint()
    case ("Track", _):
      if let last, isTrackOpen { elements.append(.timer(isRunning: false, last)) }
      isTrackOpen = false
    case ("Lap", _): endLap()
    case ("Name", "Creator") where !words.isEmpty:
      if source == nil { elements.append(.source(SourceRevision(identifier: "tcx.\(words)", name: words))) }
      elements.append(.device(Device(name: words)))
    case ("TotalTimeSeconds", "Lap"): lap.seconds = number(words, 0...1e7)
    case ("DistanceMeters", "Lap"): lap.distance = number(words, 0...1e7)
    case ("Calories", "Lap"): lap.energy = number(words, 0...1e5)
    case ("Activity", _), ("Transition", _):
      endPart()
      if !isMultiSport { last = nil }
    case ("MultiSportSession", _): (isMultiSport, last) = (false, nil)
    case _ where path.contains("Trackpoint"): endValue(name, words)
    default: break
    }
  }

  private func number(_ words: String, _ limits: ClosedRange<Double>) -> Double? {
    Double(words).flatMap { limits.contains($0) ? $0 : nil }
  }

  /// Ends a value of a point other than its time and its rate.
  private func endValue(_ name: String, _ words: String) {
    func add(_ quantity: RideQuantity, _ limits: ClosedRange<Double>) {
      guard let number = number(words, limits) else { return account.leave(out: "\(name) that is none") }
      quantities.append((quantity, number))
    }
    switch name {
    case "LatitudeDegrees": place.latitude = number(words, -90...90)
    case "LongitudeDegrees": place.longitude = number(words, -180...180)
    case "AltitudeMeters":
      altitude = number(words, -12_000...100_000)
      add(.altitude, -12_000...100_000)
    case "DistanceMeters": add(.distance, 0...1e7)
    case "Cadence", "RunCadence": add(.cadence, 0...500)
    case "Watts": add(.power, 0...10_000)
    case "Speed":
      speed = number(words, 0...1000)
      add(.speed, 0...1000)
    case "SensorState", "Position", "Extensions", "TPX", "Time", "HeartRateBpm", "Value": break
    default: if Double(words) != nil { account.leave(out: String(name.prefix(60))) }
    }
  }

  private func endLap() {
    guard let last else { return }
    elements.append(.lap(last))
    guard let start = lap.start, start <= last else { return }
    // Its seconds are without pauses.
    let end = max(last, lap.seconds.map { start.advanced(byMicroseconds: Int64($0 * 1e6)) } ?? last)
    guard let span = TimeSpan(start: start, end: end.microseconds(since: last) < 1_000_000 ? end : last) else { return }
    elements.append(
      .stretch(RideStretch(kind: .lap, span: span, distance: lap.distance, energy: lap.energy)))
  }

  private func leaveOut(time words: String) {
    guard Timestamp(iso8601: words + "Z") != nil else { return account.leave(out: "Time that is none") }
    account.leave(out: "Time without a zone")
    account.note("its times have no zone, so nobody knows when they were: Z or +01:00 has to stand behind each Time")
  }

  /// A rate of the schema, to the nearest beat.
  private func rate(of words: String) -> UInt16? {
    let digits = Set("+-.0123456789eE".utf8)
    guard let number = words.utf8.allSatisfy(digits.contains) ? Double(words) : nil, number.isFinite else {
      account.leave(out: "heart rate that is no number")
      return nil
    }
    let rounded = number.rounded()
    guard rounded >= 1, rounded <= Self.mostRate else {
      account.leave(out: number < 0 ? "heart rate below 0" : rounded < 1 ? "heart rate of 0" : "heart rate above 255")
      return nil
    }
    if rounded != number { account.note("heart rates have fractions: they are rounded to whole beats a minute") }
    return UInt16(rounded)
  }

  /// The greatest rate of Garmin's schema: an unsigned byte.
  private static let mostRate = 255.0

  private func endTrackpoint() {
    guard let time else { return account.leave(out: "Trackpoint without a time") }
    if !isTrackOpen {
      elements.append(.timer(isRunning: true, time))
      isTrackOpen = true
    }
    last = time
    if part?.first == nil { part?.first = time }
    elements.append(rate.map { .rate(time, $0) } ?? .moment(time))
    for (quantity, value) in quantities { elements.append(.quantity(quantity, value, time)) }
    guard let latitude = place.latitude, let longitude = place.longitude else { return }
    elements.append(
      .location(
        RouteLocation(at: time, latitude: latitude, longitude: longitude, altitude: altitude, speed: speed)))
  }
}
