internal import FoundationEssentials
internal import HealthModel
internal import SeriesStore

/// One session as lists show it, be it stored or still open.
struct ListedSession: Hashable {
  var id: UUID
  var deviceName: String?
  var deviceAddress: String?
  /// What the sensor told of itself.
  var device: Device
  /// Microseconds since 1970 (UTC).
  var start: Int64
  /// Up to where it reaches; the latest value of an open one.
  var end: Int64
  /// Nil while it is open.
  var endReason: String?
  var rates: HeartRateSummary
  var beats: HeartbeatSummary
  /// Of beats or, where there are none, of rates.
  var gaps: Int
  var coverage: Coverage?
  var variability: HeartRateVariabilitySummary
  var quality: Metadata

  /// How long it is; 0 at least, whatever a damaged store says.
  var microseconds: Int64 { max(0, Timestamp(microseconds: end).microseconds(since: Timestamp(microseconds: start))) }

  /// How many RR intervals the sensor computed from its rate; a session with such has no beats.
  var inventedIntervals: Int64 { RecordedSession.inventedIntervals(in: quality) }

  /// Why no figure of heart rate variability is given, whatever is asked for; nil where the beats decide.
  var variabilityRefusal: VariabilityRefusal? { inventedIntervals > 0 ? .inventedIntervals : nil }

  init(_ summary: SessionSummary) {
    id = summary.id
    deviceName = summary.device.name
    deviceAddress = summary.device.localIdentifier
    device = summary.device
    start = summary.start.microseconds
    end = summary.end.microseconds
    endReason = summary.endReason
    rates = summary.heartRate
    beats = summary.heartbeats
    gaps = summary.gapCount
    coverage = summary.coverage
    variability = summary.variability
    quality = summary.quality
  }

  /// A session of a journal; its end reason is empty while it is open.
  init(_ session: RecordedSession) {
    id = session.id
    deviceName = session.device.name
    deviceAddress = session.device.localIdentifier
    device = session.device
    start = session.start.microseconds
    end = session.end.microseconds
    endReason = session.endReason.isEmpty ? nil : session.endReason
    rates = HeartRateSummary(session.rates)
    beats = HeartbeatSummary(
      count: session.heartbeats.beats.count, gaps: session.heartbeats.gapCount, runs: session.heartbeats.runs.count)
    gaps = session.gaps.count
    coverage = session.coverage
    variability = session.variability
    quality = session.quality
  }
}

extension ListedSession: Comparable {
  /// By start; equal starts by identifier, so that the order is always the same.
  static func < (first: ListedSession, second: ListedSession) -> Bool {
    (first.start, first.id.uuidString) < (second.start, second.id.uuidString)
  }
}

extension HeartRateSummary {
  /// The figures of values that are not in a store yet.
  fileprivate init(_ values: [HeartRateValue]) {
    let rates = values.map { Double($0.beatsPerMinute) }
    self.init(
      count: rates.count, average: rates.isEmpty ? nil : rates.reduce(0, +) / Double(rates.count),
      minimum: rates.min(), maximum: rates.max(), mostRecent: rates.last, mostRecentTime: values.last?.time)
  }
}

extension ListedSession {
  /// The object that `sessions --json` lists; keys and their order are fixed by Documentation/command-line.md.
  var members: [JSONValue.Member] {
    let isOpen = endReason == nil
    return [
      .init("id", .string(id.uuidString.lowercased())),
      .init("device", ["name": .string(deviceName), "address": .string(deviceAddress)]),
      .init("start", .string(Timestamp(microseconds: start).iso8601())),
      .init("end", isOpen ? .null : .string(Timestamp(microseconds: end).iso8601())),
      .init("endReason", .string(endReason)),
      .init(
        "heartRate",
        [
          "count": .integer(rates.count), "average": .number(rates.average), "minimum": .number(rates.minimum),
          "maximum": .number(rates.maximum), "mostRecent": .number(rates.mostRecent),
        ]),
      .init(
        "heartbeats",
        [
          "count": .integer(beats.count), "gaps": .integer(beats.gaps), "runs": .integer(beats.runs),
          "invented": .integer(inventedIntervals),
          "coverage": ["floor": .number(coverage?.floor), "ceiling": .number(coverage?.ceiling)],
        ]),
      .init("gaps", .integer(gaps)),
      .init(
        "hrv",
        [
          "sdnnMilliseconds": .number(variability.sdnnMilliseconds),
          "rmssdMilliseconds": .number(variability.rmssdMilliseconds), "pnn50": .number(variability.pnn50),
        ]),
    ]
  }

  /// The rows of `sensord sessions`.
  static func table(_ sessions: [ListedSession], columns: Int) -> String {
    var table = TextTable([
      .init("Session"), .init("Start"), .init("Length", .right), .init("Sensor", shrinks: true),
      .init("Avg", .right), .init("Min-Max", .right), .init("Beats", .right), .init("Gaps", .right),
    ])
    for session in sessions {
      let length = DurationText.clock(microseconds: session.microseconds)
      table.add([
        session.shortName, LocalTime.minute(session.start), session.endReason == nil ? length + "+" : length,
        session.deviceName ?? session.deviceAddress ?? "", whole(session.rates.average), session.span,
        "\(session.beats.count)" + (session.inventedIntervals > 0 ? "*" : ""), "\(session.gaps)",
      ])
    }
    var notes: [String] = []
    if sessions.contains(where: { $0.endReason == nil }) { notes.append("+ still recording\n") }
    if sessions.contains(where: { $0.inventedIntervals > 0 }) {
      notes.append("* no beats: \(VariabilityRefusal.inventedIntervals)\n")
    }
    return table.rendered(columns: columns) + (notes.isEmpty ? "" : "\n" + notes.joined())
  }

  /// The first eight digits of the identifier, which name a session well enough.
  var shortName: String { String(id.uuidString.lowercased().prefix(8)) }

  private var span: String {
    guard let minimum = rates.minimum, let maximum = rates.maximum else { return "" }
    return "\(Self.whole(minimum))-\(Self.whole(maximum))"
  }

  private static func whole(_ value: Double?) -> String {
    value.map { String(Int(($0 + 0.5).clamped(to: 0...100_000))) } ?? ""
  }
}

extension Double {
  /// The nearest value inside `range`; its lower bound for NaN.
  func clamped(to range: ClosedRange<Double>) -> Double {
    self >= range.lowerBound ? Swift.min(self, range.upperBound) : range.lowerBound
  }
}
