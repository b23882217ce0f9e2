internal import Documents
internal import SeriesStore
internal import FoundationEssentials
internal import HealthModel

extension VariabilityListing {
  /// The answer for a person.
  func text(columns: Int) -> String {
    var text = "Session   \(session.id.uuidString.lowercased())\n"
    text += "From      \(LocalTime.second(span.start.microseconds))\n"
    text += "To        \(LocalTime.second(span.end.microseconds))\n"
    if let refusal = session.variabilityRefusal { return text + "HRV       not given: \(refusal)\n" }
    if windowMicroseconds == nil, let report = reports.first {
      text += "Intervals \(Self.intervals(report))\n"
      if let step = report.intervals.coarseStep {
        let milliseconds = FixedPoint.text(1000 * step, digits: 0)
        text += "Times     known to \(milliseconds) ms only: figures come out greater than they are, at\n"
        text += "          most by 5 %; those that would by more are not given\n"
      }
      if let warning = report.rhythm.warning {
        text += "Rhythm    \(warning);\n          the figures are then those of an arrhythmia\n"
      }
      return text + "\n" + Self.figures(report, columns: columns)
    }
    return text + "\n" + windows(columns: columns)
  }

  /// How many intervals count, and what was left out.
  static func intervals(_ report: VariabilityReport) -> String {
    var text = "\(report.intervals.count) normal to normal in \(FixedPoint.text(100 * report.coverage, digits: 1)) %"
    text += " of the time"
    let joined = report.intervals.joinedEnds.count
    if joined > 0 { text += ", \(joined) of them joined over an extra detection" }
    let left = report.exclusions.map { "\($0.count) \(words($0.reason))" }
    return left.isEmpty ? text : text + ";\n          left out: " + left.joined(separator: ", ")
  }

  private static func words(_ reason: NNIntervals.Exclusion.Reason) -> String {
    switch reason {
    case .firstOfRun: "first of a run"
    case .filler: "filler"
    case .surplus: "surplus"
    case .missed: "missed or pause"
    case .ectopic: "ectopic"
    case .extra: "extra"
    case .implausible: "implausible"
    case .rateConflict: "against the rate"
    case .gap: "after a gap"
    }
  }

  private static func figures(_ report: VariabilityReport, columns: Int) -> String {
    let (table, refusals) = tables(report)
    let parts = [table, refusals].filter { !$0.isEmpty }
    return parts.map { $0.rendered(columns: columns) }.joined(separator: "\n")
  }

  /// The figures, and those that are not given with the reason.
  static func tables(_ report: VariabilityReport) -> (figures: TextTable, refusals: TextTable) {
    var table = TextTable([
      .init("Figure"), .init("Value", .right), .init("Unit"), .init("n", .right), .init("Divided by", .right),
    ])
    var refusals = TextTable([.init("Not given"), .init("Why", shrinks: true)])
    for measure in VariabilityMeasure.allCases {
      do {
        let figure = try report.figure(measure)
        table.add([
          name(measure), FixedPoint.text(figure.value, digits: digits(measure)), measure.unitSymbol, "\(figure.count)",
          "\(figure.divisor)",
        ])
      } catch {
        refusals.add([name(measure), error.description])
      }
    }
    return (table, refusals)
  }

  private func windows(columns: Int) -> String {
    let measures: [VariabilityMeasure] = [.meanRate, .sdnn, .rmssd, .pnn50, .lf, .hf, .lfHfRatio]
    var table = TextTable(
      [.init("From"), .init("NN", .right), .init("Filled", .right)] + measures.map { .init(Self.heading($0), .right) })
    var isRefused = false
    for report in reports {
      var cells = [
        LocalTime.timeOfDay(report.span.start.microseconds),
        "\(report.intervals.count)" + (report.rhythm.isDoubtful ? "*" : ""),
        FixedPoint.text(100 * report.coverage, digits: 0) + " %",
      ]
      for measure in measures {
        let figure = try? report.figure(measure)
        if figure == nil { isRefused = true }
        cells.append(figure.map { FixedPoint.text($0.value, digits: Self.digits(measure)) } ?? "-")
      }
      table.add(cells)
    }
    var note = "\nSDNN and RMSSD in ms, pNN50 in %, LF and HF in ms^2\n"
    if reports.contains(where: \.rhythm.isDoubtful) {
      note += "* probably not sinus: RMSSD is over \(RhythmIndication.limit) of the mean interval\n"
    }
    return table.rendered(columns: columns) + note
      + (isRefused ? "- not given: too short, too full of holes or too coarse; --json says for each\n" : "")
  }

  private static func name(_ measure: VariabilityMeasure) -> String {
    switch measure {
    case .meanNN: "Mean NN"
    case .meanRate: "Mean rate"
    case .sdnn: "SDNN"
    case .sdnnPopulation: "SDNN (n)"
    case .sdann: "SDANN"
    case .sdnnIndex: "SDNN index"
    case .rmssd: "RMSSD"
    case .sdsd: "SDSD"
    case .nn50: "NN50"
    case .pnn50: "pNN50"
    case .sd1: "SD1"
    case .sd2: "SD2"
    case .vlf: "VLF"
    case .lf: "LF"
    case .hf: "HF"
    case .lfHfRatio: "LF/HF"
    }
  }

  private static func heading(_ measure: VariabilityMeasure) -> String { measure == .meanRate ? "Rate" : name(measure) }

  private static func digits(_ measure: VariabilityMeasure) -> Int {
    switch measure {
    case .nn50, .vlf, .lf, .hf: 0
    case .lfHfRatio: 2
    default: 1
    }
  }
}
