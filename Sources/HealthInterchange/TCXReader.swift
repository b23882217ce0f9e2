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
  private var isTrackOpen = false
  private var last: Timestamp?
  /// The announcement in front of the next activity, and the source of the activity under way.
  private var announced: (identity: RecordingIdentity, source: SourceRevision?)?
  private var source: SourceRevision?

  /// The elements that are skipped and reported, once for each element.
  private static let leftOut: Set<String> = [
    "Position", "AltitudeMeters", "DistanceMeters", "Cadence", "Course", "Workout", "MultiSportSession", "TPX", "LX",
    "Calories", "MaximumSpeed",
  ]
  /// The elements that the schema demands in a lap, so that a 0 there means nothing.
  private static let obligatory: Set<String> = ["Calories", "DistanceMeters"]

  func take() -> [ForeignElement] {
    defer { elements = [] }
    return elements
  }

  private var parent: String? { path.last }

  func begin(_ element: XMLElement) {
    let name = element.name
    text.removeAll()
    switch name {
    case "Activity":
      elements.append(.recording)
      source = announced?.source
      if let announced { elements.append(.identity(announced.identity)) }
      announced = nil
      elements.append(.source(source ?? SourceRevision(identifier: "tcx", name: "TCX")))
      if let activity = element["Sport"].flatMap(TCXNames.activity) { elements.append(.activity(activity)) }
    case "Trackpoint": (time, rate) = (nil, nil)
    case _ where Self.leftOut.contains(name):
      if parent != "Lap" || !Self.obligatory.contains(name) { account.leave(out: name) }
    default: break
    }
    path.append(name)
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
      rate = rate(of: words)
    case ("Trackpoint", _): endTrackpoint()
    case ("Track", _):
      if let last, isTrackOpen { elements.append(.timer(isRunning: false, last)) }
      isTrackOpen = false
    case ("Lap", _): if let last { elements.append(.lap(last)) }
    case ("Name", "Creator") where !words.isEmpty:
      if source == nil { elements.append(.source(SourceRevision(identifier: "tcx.\(words)", name: words))) }
      elements.append(.device(Device(name: words)))
    case (_, "Lap") where Self.obligatory.contains(name) && Double(words) != 0: account.leave(out: name)
    case ("Activity", _): last = nil
    default: break
    }
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
    elements.append(rate.map { .rate(time, $0) } ?? .moment(time))
  }
}
