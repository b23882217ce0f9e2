internal import Documents
internal import FoundationEssentials
internal import HealthModel

extension ReportPage {
  /// The page of a workout; parameters as of a session's.
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
    // One stretch of intervals has one origin; those of several sessions cannot be put together.
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
