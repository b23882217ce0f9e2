internal import Documents
internal import HealthModel

/// The tables of `sensord hearing`.
enum HearingTables {
  static func text(
    _ audiograms: [AudiogramEntry], _ exposures: [ExposureEventEntry], dose: Double?, columns: Int
  ) -> String {
    var parts: [String] = []
    if !audiograms.isEmpty {
      var table = TextTable([
        .init("Audiogram"), .init("Made"), .init("Points", .right), .init("Source", shrinks: true),
      ])
      for entry in audiograms {
        table.add([
          entry.shortName, LocalTime.minute(entry.sample.start.microseconds),
          "\(entry.audiogram.sensitivityPoints.count)", entry.sample.source.identifier,
        ])
      }
      parts.append(table.rendered(columns: columns))
    }
    if !exposures.isEmpty {
      var table = TextTable([
        .init("Too loud"), .init("Until"), .init("dB(A)", .right), .init("Sound", .right), .init("From"),
        .init("Source", shrinks: true),
      ])
      for entry in exposures {
        table.add([
          LocalTime.minute(entry.sample.start.microseconds), LocalTime.minute(entry.sample.end.microseconds),
          entry.decibels.map { FixedPoint.text($0, digits: 0) } ?? "–", entry.seconds.map(hours) ?? "–",
          entry.isOfHeadphones ? "headphones" : "around", entry.sample.source.identifier,
        ])
      }
      parts.append(table.rendered(columns: columns))
    }
    if let dose {
      parts.append("Headphones in the last seven days: \(FixedPoint.text(dose * 100, digits: 0)) % of what is safe\n")
    }
    return parts.joined(separator: "\n")
  }

  private static func hours(_ seconds: Double) -> String { FixedPoint.text(seconds / 3_600, digits: 1) + " h" }
}

extension AudiogramEntry {
  /// The thresholds of one audiogram, drawn as audiologists do: faint sounds above, O the right ear, X the left, * both.
  var text: String {
    let points = audiogram.sensitivityPoints
    let levels = points.flatMap { [$0.leftEarSensitivity, $0.rightEarSensitivity].compactMap { $0 } }
    let rows = levels.map { Self.row($0) }
    guard let top = rows.min(), let bottom = rows.max() else { return "" }
    var text = "Audiogram \(shortName), \(LocalTime.minute(sample.start.microseconds)), dBHL by frequency\n\n"
    // Ten columns of seven characters fit beside the scale; more points continue below.
    for first in stride(from: 0, to: points.count, by: Self.columns) {
      let part = points[first..<min(first + Self.columns, points.count)]
      if first > 0 { text += "\n" }
      text += Self.line("", part.map { Self.hertz($0.frequency) })
      for row in min(top, 0)...bottom {
        let marks = part.map { point -> String in
          switch (
            point.leftEarSensitivity.map(Self.row) == row, point.rightEarSensitivity.map(Self.row) == row
          ) {
          case (true, true): "*"
          case (true, false): "X"
          case (false, true): "O"
          case (false, false): "·"
          }
        }
        text += Self.line("\(row * 10)", marks)
      }
      text += Self.line("left X", part.map { Self.level($0.leftEarSensitivity) })
      text += Self.line("right O", part.map { Self.level($0.rightEarSensitivity) })
    }
    return text
  }

  private static let columns = 10

  /// The row of a level: tens of dB.
  private static func row(_ level: Double) -> Int { Int((level / 10).rounded()) }

  private static func hertz(_ frequency: Double) -> String {
    frequency >= 1_000
      ? "\(FixedPoint.text(frequency / 1_000, digits: frequency.remainder(dividingBy: 1_000) == 0 ? 0 : 1)) kHz"
      : FixedPoint.text(frequency, digits: 0)
  }

  private static func level(_ level: Double?) -> String { level.map { FixedPoint.text($0, digits: 0) } ?? "–" }

  private static func line(_ name: String, _ cells: [String]) -> String {
    func right(_ text: String, _ width: Int) -> String {
      String(repeating: " ", count: max(0, width - text.count)) + text
    }
    return right(name, 7) + cells.map { right($0, 7) }.joined() + "\n"
  }
}
