internal import Documents
internal import FoundationEssentials
internal import HealthModel
internal import SeriesStore

extension SessionSummary {
  /// The rows of `sensord sessions`; the dates of some of them are in doubt.
  static func table(_ sessions: [SessionSummary], doubtful: Set<UUID> = [], columns: Int) -> String {
    var table = TextTable([
      .init("Session"), .init("Start"), .init("Length", .right), .init("Sensor", shrinks: true),
      .init("Avg", .right), .init("Min-Max", .right), .init("Beats", .right), .init("Gaps", .right),
    ])
    for session in sessions {
      let length = DurationText.clock(microseconds: session.microseconds)
      let start = LocalTime.minute(session.start.microseconds) + (doubtful.contains(session.id) ? "?" : "")
      table.add([
        session.shortName, start, session.isOpen ? length + "+" : length,
        session.device.name ?? session.device.localIdentifier ?? "", whole(session.heartRate.average), session.span,
        "\(session.heartbeats.count)" + (session.variabilityRefusal == nil ? "" : "*"), "\(session.gapCount)",
      ])
    }
    var notes: [String] = []
    if sessions.contains(where: { $0.isOpen }) { notes.append("+ still recording\n") }
    if sessions.contains(where: { doubtful.contains($0.id) }) { notes.append(ClockText.note) }
    let refusals = Set(sessions.compactMap { $0.variabilityRefusal?.description })
    notes += refusals.sorted().map { "* no beats: \($0)\n" }
    return table.rendered(columns: columns) + (notes.isEmpty ? "" : "\n" + notes.joined())
  }

  private var span: String {
    guard let minimum = heartRate.minimum, let maximum = heartRate.maximum else { return "" }
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
