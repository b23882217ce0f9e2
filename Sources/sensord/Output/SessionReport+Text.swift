import Documents
import FoundationEssentials
import HealthModel
import SeriesStore

extension SessionReport {
  /// The report for a person.
  func text(columns: Int) -> String {
    var text = FactLines.text(facts)
    if let zones { text += "\n" + zones.table.rendered(columns: columns) }
    if !runs.isEmpty { text += "\n" + runTable.rendered(columns: columns) }
    if !gaps.isEmpty { text += "\n" + gapTable.rendered(columns: columns) }
    if !metadata.isEmpty { text += "\n" + MetadataRows.table(metadata).rendered(columns: columns) }
    if !markers.isEmpty { text += "\n" + markerTable.rendered(columns: columns) }
    return text
  }

  /// The facts of the session, each with its label.
  var facts: [(label: String, value: String)] {
    let length = DurationText.text(microseconds: session.microseconds)
    return [
      ("Session", session.id.uuidString.lowercased()),
      ("Sensor", [session.device.name, session.device.localIdentifier].compactMap { $0 }.joined(separator: ", ")),
      ("Made by", maker),
      ("Start", LocalTime.second(session.start.microseconds)),
      ("End", endText), ("Clock", isDoubtful ? ClockText.notSet(session.shortName) : ""),
      ("Length", length), ("Rate", rateText), ("Beats", beatText), ("Gaps", gapText),
      ("Flags", artefacts.map { "\($0.beats) \($0.name)" }.joined(separator: ", ")), ("HRV", variabilityText),
      ("Rhythm", rhythm.warning ?? ""),
    ] + refusalLines + QualityFacts(session.quality).lines
  }

  private var endText: String {
    session.isOpen
      ? "still recording" : "\(LocalTime.second(session.end.microseconds)), \(Self.describe(session.endReason))"
  }

  /// `Polar H10, firmware 3.1, serial number 0123`, as far as the sensor reports it.
  private var maker: String {
    let device = session.device
    let model = [device.manufacturer, device.model].compactMap { $0 }.joined(separator: " ")
    return [
      model.isEmpty ? nil : model, device.firmwareVersion.map { "firmware \($0)" },
      device.uniqueDeviceIdentifier.map { "serial number \($0)" },
    ].compactMap { $0 }.joined(separator: ", ")
  }

  private var rateText: String {
    let rates = session.heartRate
    guard let average = rates.average, let minimum = rates.minimum, let maximum = rates.maximum else {
      return "no values"
    }
    let text =
      "\(Self.count(rates.count, "value")), average \(FixedPoint.text(average, digits: 1)), "
      + "\(FixedPoint.text(minimum, digits: 0)) to \(FixedPoint.text(maximum, digits: 0)) beats a minute"
    guard session.heartbeats.count == 0, let coverage = session.coverage else { return text }
    return "\(text), coverage \(FixedPoint.text(100 * coverage.floor, digits: 1)) %"
  }

  private var beatText: String {
    let beats = session.heartbeats
    guard beats.count > 0 else { return "none" }
    var text = "\(beats.count) in \(Self.count(beats.runs, "run")), \(Self.count(beats.gaps, "gap"))"
    if let coverage = session.coverage {
      text += ", coverage \(FixedPoint.text(100 * coverage.floor, digits: 1)) to "
      text += "\(FixedPoint.text(100 * coverage.ceiling, digits: 1)) %"
    }
    return text
  }

  private var gapText: String {
    gapCauses.map { cause in
      let lost = cause.estimatedLostBeats.map { beats in
        ", \(cause.isLowerBound ? "at least " : "")about \(FixedPoint.text(beats, digits: 0)) beats lost"
      }
      return "\(cause.count) \(cause.reason) (\(DurationText.text(microseconds: cause.microseconds))\(lost ?? ""))"
    }.joined(separator: ", ")
  }

  private var variabilityText: String {
    let figures = session.variability
    return [
      figures.sdnnMilliseconds.map { "SDNN \(FixedPoint.text($0, digits: 1)) ms" },
      figures.rmssdMilliseconds.map { "RMSSD \(FixedPoint.text($0, digits: 1)) ms" },
      figures.pnn50.map { "pNN50 \(FixedPoint.text($0, digits: 1)) %" },
    ].compactMap { $0 }.joined(separator: ", ")
  }

  /// A line for each reason, with the figures that are not given because of it. The first has the heading where no figure is
  /// given.
  private var refusalLines: [(String, String)] {
    var reasons: [String] = []
    for refusal in refusals where !reasons.contains(refusal.reason) { reasons.append(refusal.reason) }
    let isWithoutFigures = variabilityText.isEmpty
    return reasons.enumerated().map { index, reason in
      let names = refusals.filter { $0.reason == reason }.map(\.name)
      let words = names.count == 3 ? "not given" : "\(names.joined(separator: ", ")) not given"
      return (isWithoutFigures && index == 0 ? "HRV" : "", "\(words): \(reason)")
    }
  }

  /// The runs of beats, with the uncertainty of their times.
  var runTable: TextTable {
    var table = TextTable([
      .init("Run", .right), .init("First beat"), .init("Length", .right), .init("Beats", .right),
      .init("Uncertainty", .right),
    ])
    for (index, run) in runs.enumerated() {
      table.add([
        "\(index)", LocalTime.second(run.start), DurationText.clock(microseconds: run.microseconds), "\(run.beats)",
        "\(FixedPoint.text(Double(run.uncertaintyMicroseconds) / 1_000, digits: 0)) ms",
      ])
    }
    return table
  }

  /// The gaps of the session.
  var gapTable: TextTable { Self.table(of: gaps) }

  /// Gaps with their reasons.
  static func table(of gaps: [RecordingGap]) -> TextTable {
    var table = TextTable([
      .init("Gap from"), .init("Length", .right), .init("Beats lost", .right), .init("Why", shrinks: true),
    ])
    for gap in gaps {
      table.add([
        LocalTime.second(gap.start.microseconds),
        DurationText.text(microseconds: gap.end.microseconds(since: gap.start)),
        gap.estimatedLostBeats.map { "about \(FixedPoint.text($0, digits: 0))" } ?? "",
        [gap.reason, gap.detail].compactMap { $0 }.joined(separator: ": "),
      ])
    }
    return table
  }

  /// The marks of people and programs.
  var markerTable: TextTable {
    var table = TextTable([.init("Marked at"), .init("What", shrinks: true)])
    for marker in markers { table.add([LocalTime.second(marker.time.microseconds), marker.text]) }
    return table
  }

  private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

  private static func describe(_ reason: String) -> String {
    switch reason {
    case "shutdown": "the recorder was stopped"
    case "request": "on request"
    case "clientGone": "the program that had asked for it is gone"
    case "away": "the sensor stayed away"
    case "offSkin": "the sensor was off the skin"
    case "rolled": "continued in another session"
    case "captureEnd": "end of the capture"
    case "recovered": "the recorder was interrupted"
    case "imported": "imported from a file"
    default: reason
    }
  }
}

extension ZoneTimes {
  /// The rows of `show`: each zone with its borders and the time in it, the time below all zones first.
  var table: TextTable {
    var table = TextTable([
      .init("Zone"), .init(title), .init("Beats a minute", .right), .init("Time", .right), .init("Share", .right),
    ])
    let total = times.reduce(below, +)
    func add(_ name: String, _ percent: String, _ rates: String, _ time: Int64) {
      let share = total > 0 ? FixedPoint.text(100 * Double(time) / Double(total), digits: 0) + " %" : ""
      table.add([name, percent, rates, DurationText.clock(microseconds: time), share])
    }
    let borders = Array(zip(zones.borders, zones.lowerRates.map { FixedPoint.text($0, digits: 0) }))
    if let first = borders.first { add("below", "to \(first.0) %", "to \(first.1)", below) }
    for (index, border) in borders.enumerated() {
      let isLast = index + 1 == zones.borders.count
      let percent = isLast ? "from \(border.0) %" : "\(border.0) to \(zones.borders[index + 1]) %"
      add("\(index + 1)", percent, "from \(border.1)", times[index])
    }
    return table
  }

  /// The heading that names the basis of the percentages.
  private var title: String {
    switch zones.basis {
    case .maximum(let maximum): "of \(FixedPoint.text(maximum, digits: 0))"
    case .reserve(let resting, let maximum):
      "of the reserve from \(FixedPoint.text(resting, digits: 0)) to \(FixedPoint.text(maximum, digits: 0))"
    }
  }
}
