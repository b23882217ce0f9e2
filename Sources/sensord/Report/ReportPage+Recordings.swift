import Documents
import FoundationEssentials
import HealthModel
import Support

extension ReportPage {
  /// The page of a session.
  ///
  /// - Parameters:
  ///   - report: The report of `sensord show`.
  ///   - curves: The values of the session.
  ///   - zone: The time zone of the axes.
  ///   - version: The version of the program.
  init(_ report: SessionReport, _ curves: RecordedCurves, in zone: TimeZoneRules, version: String) {
    let session = report.session
    let name = PrintableText.line(session.device.name ?? session.device.localIdentifier ?? "a sensor")
    let pictures = Pictures(curves, in: zone, borders: report.zones)
    let moments = report.markers.enumerated().map {
      CurvePlot.Moment(time: $0.element.time, label: "M\($0.offset + 1)")
    }
    let variability = VariabilityReport(
      curves.records.first ?? NNIntervals(HeartbeatSeries()), in: curves.span, refusal: session.variabilityRefusal)
    self.init(
      title: "Session \(session.shortName): \(name), \(Self.day(session.start, in: zone))",
      facts: report.facts + Self.zoneFact(zone, at: session.start),
      sections: [
        Section(heading: "Heart rate", content: pictures.rates(moments)),
        Section(heading: "Intervals between beats", content: pictures.intervals(variability)),
        Section(heading: "Heart rate variability", content: Self.figures(variability)),
        Section(heading: "Zones", content: report.zones?.table.markup(caption: "Time in zones") ?? ""),
        Section(heading: "Gaps", content: Self.gaps(curves.gaps)),
        Section(
          heading: "Runs of beats",
          content: report.runTable.isEmpty
            ? ""
            : report.runTable.markup(caption: "Stretches without a gap, and how certain the times of their beats are")),
        Section(
          heading: "Markers",
          content: report.markerTable.isEmpty
            ? "" : report.markerTable.markup(caption: "M1 and so on in the picture, in this order")),
        Section(heading: "Metadata", content: Self.metadata(report.metadata)),
      ], version: version)
  }

  /// The date in a time zone, such as `2026-11-21`.
  static func day(_ time: Timestamp, in zone: TimeZoneRules) -> String {
    String(Timestamp(microseconds: zone.wallClock(at: time)).iso8601(fractionDigits: 0).prefix(10))
  }

  static func zoneFact(_ zone: TimeZoneRules, at start: Timestamp) -> [(label: String, value: String)] {
    let minutes = zone.offset(at: start) / 60
    func digits(_ number: Int32) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let sign = minutes < 0 ? "−" : "+"
    let offset = "\(sign)\(digits(abs(minutes) / 60)):\(digits(abs(minutes) % 60))"
    return [("Time zone", "\(zone.name), \(offset) at the start")]
  }

  static func gaps(_ gaps: [RecordingGap]) -> String {
    gaps.isEmpty
      ? "<p>None.</p>\n"
      : SessionReport.table(of: gaps).markup(caption: "What was not received; no interval is formed across it")
  }

  static func metadata(_ metadata: [(key: String, value: MetadataValue)]) -> String {
    metadata.isEmpty ? "" : MetadataRows.table(metadata).markup(caption: "What was said of it")
  }

  /// Each figure with its number of values, or the reason why it is not given.
  static func figures(_ report: VariabilityReport) -> String {
    if let refusal = report.refusal { return "<p>\(Markup.escaped("Not given: \(refusal)"))</p>\n" }
    guard report.intervals.count > 0 else { return "<p>Not given: there are no intervals between normal beats.</p>\n" }
    let (figures, refusals) = VariabilityListing.tables(report)
    let intervals = VariabilityListing.intervals(report).split(separator: "\n").map {
      $0.drop { $0 == " " }
    }.joined(separator: " ")
    var text = "<p>\(Markup.escaped("Filter \(report.intervals.filter.rawValue): \(intervals)."))</p>\n"
    if let warning = report.rhythm.warning { text += "<p>\(Markup.escaped("Rhythm: \(warning)."))</p>\n" }
    if !figures.isEmpty { text += figures.markup(caption: "Figures of the whole time") }
    if !refusals.isEmpty { text += refusals.markup(caption: "Figures that are not given") }
    return text
  }
}

/// The pictures that sessions and workouts have alike.
struct Pictures {
  private let curves: RecordedCurves
  private let zone: TimeZoneRules
  private let borders: ZoneTimes?

  init(_ curves: RecordedCurves, in zone: TimeZoneRules, borders: ZoneTimes?) {
    self.curves = curves
    self.zone = zone
    self.borders = borders
  }

  func rates(_ moments: [CurvePlot.Moment], pauses: [TimeSpan] = []) -> String {
    var plot = CurvePlot("Heart rate", unit: "beats a minute", curves.rates, of: curves, in: zone)
    plot.moments = moments
    plot.pauses = pauses
    let levels = borders.map { Array($0.zones.lowerRates.enumerated()) } ?? []
    plot.levels = levels.map { CurvePlot.Level(value: $0.element, label: "zone \($0.offset + 1)") }
    return plot.markup("rate")
  }

  /// Tachogram and Poincaré plot.
  func intervals(_ report: VariabilityReport?) -> String {
    guard !curves.intervals.isEmpty else { return "<p>No intervals between normal beats were recorded.</p>\n" }
    var plot = CurvePlot("Tachogram", unit: "ms", curves.intervals, of: curves, in: zone)
    plot.doubts = curves.doubts.map(\.time)
    var text = plot.markup("tachogram")
    if !curves.doubts.isEmpty {
      text +=
        "<p>Intervals after gaps and intervals with flags are not drawn: \(curves.doubts.count), each a tick at the lower edge.</p>\n"
    }
    return text + PoincarePlot(pairs: curves.pairs).markup("poincare", figures: Self.axes(report))
  }

  /// The width and the length of the cloud.
  private static func axes(_ report: VariabilityReport?) -> String {
    guard let report else { return "" }
    do throws(VariabilityRefusal) {
      let (width, length) = (try report.figure(.sd1).value, try report.figure(.sd2).value)
      return "SD1 \(FixedPoint.text(width, digits: 1)) ms, SD2 \(FixedPoint.text(length, digits: 1)) ms."
    } catch {
      return "SD1 and SD2 are not given: \(error)."
    }
  }
}

extension ReportPage {
  /// The page of a workout; the parameters are those of a session's page.
  init(_ report: WorkoutReport, _ curves: RecordedCurves, in zone: TimeZoneRules, version: String) {
    let workout = report.workout
    let pictures = Pictures(curves, in: zone, borders: report.zones)
    let activities = workout.activities.enumerated().map {
      CurvePlot.Moment(time: $0.element.start, label: "\($0.offset + 1)")
    }
    let laps = report.events.filter { $0.event.type == .lap }.enumerated().map {
      CurvePlot.Moment(time: $0.element.event.span.end, label: "L\($0.offset + 1)")
    }
    let pauses = workout.pauses.stretches.compactMap {
      TimeSpan(start: Timestamp(microseconds: $0.lowerBound), end: Timestamp(microseconds: $0.upperBound))
    }
    // A stretch of intervals has one origin of its times, so the intervals of several sessions cannot be joined.
    let variability = curves.records.count == 1 ? VariabilityReport(curves.records[0], in: curves.span) : nil
    let refusal =
      curves.records.isEmpty
      ? "no heartbeats were recorded with it" : "it was recorded in several sessions; 'sensord hrv' has those of each"
    func table(_ table: TextTable, _ caption: String) -> String { table.isEmpty ? "" : table.markup(caption: caption) }
    self.init(
      title:
        "Workout \(report.entry.shortName): \(workout.configuration.activityType), \(Self.day(workout.start, in: zone))",
      facts: report.facts + Self.zoneFact(zone, at: workout.start),
      sections: [
        Section(heading: "Heart rate", content: pictures.rates(activities + laps, pauses: pauses)),
        Section(
          heading: "Activities",
          content: table(report.activityTable, "1 and so on in the picture; lengths without pauses")),
        Section(
          heading: "Events", content: table(report.eventTable, "Laps are L1 and so on in the picture, each at its end")),
        Section(heading: "Statistics", content: table(report.figureTable, "Of the workout, and of each activity")),
        Section(heading: "Zones", content: report.zones?.table.markup(caption: "Time in zones, without pauses") ?? ""),
        Section(heading: "Intervals between beats", content: pictures.intervals(variability)),
        Section(
          heading: "Heart rate variability",
          content: variability.map { Self.figures($0) } ?? "<p>\(Markup.escaped("Not given: \(refusal)."))</p>\n"),
        Section(heading: "Gaps", content: Self.gaps(curves.gaps)),
        Section(heading: "Metadata", content: Self.metadata(report.metadata)),
      ], version: version)
  }
}
