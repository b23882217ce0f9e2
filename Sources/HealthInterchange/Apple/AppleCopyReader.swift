internal import HealthModel

/// An `export.xml` that was written here: the recordings in it, each under its own name. Apple's own exports are ``AppleHealthReader``'s.
package struct AppleCopyReader: RecordingReader {
  package static let format = ForeignFormat.apple

  package static func recognizes(_ beginning: [UInt8]) -> Bool {
    let text = String(decoding: beginning.prefix(4096), as: UTF8.self)
    guard let root = text.firstRange(of: "<HealthData") else { return false }
    return text[root.upperBound...].contains("<?\(RecordingAnnouncement.target) ")
  }

  private let contents: AppleCopyContents
  private let stream: XMLStream

  package init() {
    contents = AppleCopyContents()
    stream = XMLStream(contents)
    contents.stream = stream
  }

  package var account: ReadingAccount { contents.account }

  package mutating func read(_ bytes: [UInt8], into elements: inout [ForeignElement]) throws(FileDamage) {
    defer { elements += contents.take() }
    try stream.read(bytes)
  }

  package mutating func finish(into elements: inout [ForeignElement]) throws(FileDamage) {
    defer { elements += contents.take() }
    try stream.read([], isLast: true)
    if let damage = contents.outside { throw damage }
  }
}

/// The recordings that the elements of such a file stand for.
final class AppleCopyContents: XMLContents {
  static let hasTexts = false

  private(set) var account = ReadingAccount()
  /// The stream, which knows the place in the file.
  weak var stream: XMLStream?
  private var depth = 0
  private var elements: [ForeignElement] = []
  /// The announcement of the recording under way; nil outside of recordings.
  private var announcement: RecordingAnnouncement?
  private var hasOrigin = false
  /// The origin that the recording's own records name.
  private var origin: Origin?
  /// The first element that belongs to no recording, by line and name, and the number of such elements.
  private var stranger: (line: String, name: String)?
  private var strangers = 0
  /// The marks in front of the next record.
  private var isContinued = false
  private var isAfterGap = false
  /// The time of the record under way, and its zone.
  private var span: TimeSpan?
  private var zone: Int64 = 0
  private var lastTick: Int64?

  /// The longest interval, in hundredths of a second; a longer time is a gap.
  private static let longestTicks: Int64 = 30_000

  private struct Origin: Equatable {
    var source: String
    var device: String?
  }

  /// The elements that belong to no recording, once all was read.
  var outside: FileDamage? {
    guard let stranger else { return nil }
    let more = strangers > 1 ? ", and \(strangers - 1) more" : ""
    return FileDamage(
      stranger.line,
      "\(stranger.name) is outside of what sensord wrote\(more); import the export that it is from by itself")
  }

  func take() -> [ForeignElement] {
    defer { elements = [] }
    return elements
  }

  func instruction(_ target: String, _ data: String) {
    guard target == RecordingAnnouncement.target else { return }
    switch data {
    case AppleWriter.continued: isContinued = true
    case RecordingAnnouncement.gap: isAfterGap = true
    case AppleWriter.end: leave()
    default: if let said = RecordingAnnouncement(data) { begin(said) }
    }
  }

  private func begin(_ said: RecordingAnnouncement) {
    announcement = said
    (hasOrigin, origin, isContinued, isAfterGap, span) = (false, nil, false, false, nil)
    lastTick = nil
    elements.append(.recording)
    elements.append(.ticks(perSecond: Int32(AppleWriter.ticksPerSecond), from: Timestamp(microseconds: 0)))
    elements.append(.identity(said.identity))
  }

  /// The recording has ended.
  private func leave() {
    (announcement, span, isContinued, isAfterGap) = (nil, nil, false, false)
  }

  /// Whether an element belongs to the recording under way, which another's ends.
  private func isOfRecording(_ element: XMLElement, _ name: String) -> Bool {
    if depth == 2, announcement != nil, let source = element["sourceName"] {
      let found = Origin(source: source, device: element["device"])
      if found != origin ?? found { leave() } else { origin = found }
    }
    guard announcement == nil else { return true }
    // Elements inside are skipped with it.
    guard depth == 2 else { return false }
    account.leave(out: "\(name == "Record" ? "record" : String(name.prefix(60))) that is in no recording")
    strangers += 1
    if stranger == nil {
      let type = element["type"] ?? element["workoutActivityType"] ?? name
      stranger = (stream?.line ?? "line 0", String(type.prefix(60)))
    }
    return false
  }

  func begin(_ element: XMLElement) {
    depth += 1
    let name = element.name
    switch name {
    case "HealthData", "ExportDate", "Me": break
    default: guard isOfRecording(element, name) else { return }
    }
    switch name {
    case "Record": beginRecord(element)
    case "InstantaneousBeatsPerMinute": addBeat(element)
    case "Workout":
      addOrigin(element)
      if let activity = element["workoutActivityType"].flatMap(AppleNames.activity) {
        elements.append(.activity(activity))
      }
    case "WorkoutActivity": if let end = element.span.end { elements.append(.lap(end)) }
    case "WorkoutEvent": addEvent(element)
    // The contents of these elements are known from the values, or from the workout in its own store.
    case "HealthData", "ExportDate", "Me", "HeartRateVariabilityMetadataList", "MetadataEntry", "WorkoutStatistics":
      break
    default: account.leave(out: "element \(name.prefix(60))")
    }
  }

  func end(_ name: String) {
    depth -= 1
    guard name == "Record" else { return }
    (span, isContinued) = (nil, false)
  }

  private func addOrigin(_ element: XMLElement) {
    guard let announcement, !hasOrigin else { return }
    hasOrigin = true
    let fields = AppleFields(element)
    let said = announcement.source.flatMap {
      SourceRevision(
        saidToHaveRecorded: $0, name: fields.source.isEmpty ? nil : fields.source, version: announcement.version)
    }
    elements.append(.source(said ?? fields.sourceRevision))
    if let device = fields.device.flatMap(AppleNames.device) { elements.append(.device(device)) }
  }

  private func beginRecord(_ element: XMLElement) {
    addOrigin(element)
    var start: Timestamp?
    element.forEachAttribute { name, value in
      if name.isName("startDate"), let moment = AppleTime.moment(value) { (start, zone) = (moment.time, moment.zone) }
    }
    guard let start else { return account.leave(out: "record without a time") }
    switch element["type"] {
    case AppleNames.rate: addRate(element, at: start)
    case AppleNames.deviation: span = element.span.end.flatMap { TimeSpan(start: start, end: $0) }
    default: account.leave(out: "record of another type")
    }
  }

  private func addRate(_ element: XMLElement, at time: Timestamp) {
    guard let rate = element["value"].flatMap({ UInt16($0) }) else {
      return account.leave(out: "record without a value")
    }
    if isAfterGap { elements.append(.lostRates) }
    isAfterGap = false
    elements.append(.rate(time, rate))
  }

  private func addBeat(_ element: XMLElement) {
    guard let span else { return account.leave(out: "beat that is in no record") }
    var time: Timestamp?
    element.forEachAttribute { name, value in
      if name.isName("time") {
        time = AppleTime.ofDay(value).flatMap { AppleTime.moment(ofDay: $0, in: span, zone: zone) }
      }
    }
    guard let time else { return account.leave(out: "beat whose time is not in its record") }
    let tick = time.microseconds.nearestAppleTick
    // Within a record, and from one to the next that is announced as continued, nothing is missing.
    if isContinued, let lastTick, case let ticks = tick - lastTick, ticks > 0, ticks <= Self.longestTicks {
      elements.append(.nextBeat(UInt32(ticks), []))
    } else {
      elements.append(.firstBeat(tick, []))
    }
    (lastTick, isContinued) = (tick, true)
  }

  private func addEvent(_ element: XMLElement) {
    let type = element["type"] ?? ""
    guard AppleNames.event(type) == .lap, let start = element.moment("date") else {
      return account.leave(out: "event of a workout: \(type.prefix(60))")
    }
    let minutes = element.number("duration") ?? 0
    guard minutes >= 0, minutes < 1e6 else { return account.leave(out: "lap whose length is none") }
    elements.append(.lap(start.advanced(byMicroseconds: Int64(minutes * 60e6))))
  }
}

extension Int64 {
  /// The hundredths of a second of microseconds, to the nearest.
  var nearestAppleTick: Int64 {
    let step = 1_000_000 / AppleWriter.ticksPerSecond
    let (quotient, remainder) = (self + step / 2).quotientAndRemainder(dividingBy: step)
    return remainder < 0 ? quotient - 1 : quotient
  }
}
