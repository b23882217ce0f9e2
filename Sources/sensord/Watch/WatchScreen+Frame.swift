import Ingestion
import Support

extension WatchScreen {
  /// The style in which a screen may be drawn.
  struct Style: Hashable {
    var columns = 80
    var rows = 24
    /// Whether the terminal shows more characters than ASCII.
    var isUTF8 = true
    var isColoured = false

    /// The sign for a missing value.
    var dash: String { isUTF8 ? "–" : "-" }
    fileprivate var separator: String { isUTF8 ? " · " : ", " }
  }

  /// The emphasis of a line.
  private enum Emphasis {
    case none, name, warning

    func apply(to text: String) -> String {
      switch self {
      case .none: text
      case .name: "\u{1B}[1m\(text)\u{1B}[0m"
      case .warning: "\u{1B}[33m\(text)\u{1B}[0m"
      }
    }
  }

  /// The screen.
  ///
  /// - Parameters:
  ///   - now: The wall clock, in microseconds since 1970 (UTC).
  ///   - style: The style of the terminal.
  /// - Returns: The lines, no more and no wider than the screen.
  func frame(at now: Int64, _ style: Style) -> [String] {
    var lines: [(Emphasis, String)] = [(.none, title(at: now, style))]
    lines += Self.fitting(blocks(at: now, style), rows: style.rows - 1)
    if sensors.isEmpty, isRecorderThere {
      lines += [(.none, ""), (.warning, "No sensor is there yet; 'sensord status' says what the recorder does.")]
    }
    return lines.prefix(style.rows).map { emphasis, text in
      let text = PrintableText.line(text, columns: style.columns)
      return style.isColoured ? emphasis.apply(to: text) : text
    }
  }

  /// The lines of each sensor, those with values first, each with the blank line above it.
  private func blocks(at now: Int64, _ style: Style) -> [[(Emphasis, String)]] {
    let sensors = sensors
    let quiet = sensors.filter { $0.told == nil && $0.trace.isEmpty }
    let live = sensors.filter { $0.told != nil || !$0.trace.isEmpty }
    return live.map { [(.none, "")] + lines(of: $0, at: now, style) }
      + quiet.enumerated().map { index, sensor in
        (index == 0 ? [(.none, "")] : []) + [(.none, "\(sensor.name)  \(state(of: sensor).words)")]
      }
  }

  /// The blocks that fit into `rows`, and, where some do not, a line with their number. The first sensor is shown anyway, as far
  /// as it fits.
  private static func fitting(_ blocks: [[(Emphasis, String)]], rows: Int) -> [(Emphasis, String)] {
    guard blocks.count > 1, blocks.lazy.map(\.count).reduce(0, +) > rows else { return blocks.flatMap { $0 } }
    var lines = Array(blocks[0].prefix(max(0, rows - 1)))
    var shown = 1
    while shown < blocks.count, lines.count + blocks[shown].count < rows {
      lines += blocks[shown]
      shown += 1
    }
    let left = blocks.count - shown
    return lines + [(.warning, "\(left) more sensor\(left == 1 ? " does" : "s do") not fit; make the window taller")]
  }

  /// `14:03:05 · Recording · Ctrl-C ends this`.
  private func title(at now: Int64, _ style: Style) -> String {
    var parts = [LocalTime.timeOfDay(now)]
    if !isRecorderThere {
      parts.append(
        isShut
          ? "The recorder is not open to programs: 'sensord doctor'" : "No recorder is running; waiting for one")
    } else if let recorder {
      parts.append(recorder.problem ?? StatusReport.headline(recorder))
    }
    return (parts + ["Ctrl-C ends this"]).joined(separator: style.separator)
  }

  private func lines(of sensor: Sensor, at now: Int64, _ style: Style) -> [(Emphasis, String)] {
    var lines: [(Emphasis, String)] = [(.name, sensor.name)]
    if let value = sensor.value {
      lines.append((.none, "  " + figures(of: value, style)))
    } else {
      lines.append((.warning, "  \(style.dash)  \(state(of: sensor).words)"))
    }
    let facts = facts(of: sensor, at: now)
    if !facts.isEmpty { lines.append((.none, "  " + facts.joined(separator: style.separator))) }
    if style.isUTF8, let trace = Sparkline(sensor.trace, columns: style.columns - 2) {
      lines.append((.none, "  " + trace.text))
      lines.append((.none, "  " + Self.legend(of: trace, isIntervals: sensor.hasIntervals)))
    }
    return lines
  }

  private func figures(of value: Value, _ style: Style) -> String {
    let rate = value.beatsPerMinute.map { "\($0)" } ?? style.dash
    let intervals = value.rrTicks.map { "\(Self.milliseconds($0))" }.joined(separator: ", ")
    return "\(rate) beats a minute" + (intervals.isEmpty ? "" : "\(style.separator)RR \(intervals) ms")
  }

  /// The facts of the status: the length of the session, its losses, the battery.
  private func facts(of sensor: Sensor, at now: Int64) -> [String] {
    guard isRecorderThere, let status = sensor.status else { return [] }
    var facts: [String] = []
    if let start = status.sessionStart {
      facts.append("session of \(DurationText.text(microseconds: now - start))")
      facts.append("\(status.gaps) gap\(status.gaps == 1 ? "" : "s")")
      if status.losses > 0 { facts.append(StatusReport.lostLinks(status)) }
    }
    if let battery = status.battery { facts.append("battery \(battery) %") }
    if let problem = status.problem { facts.append(problem) }
    return facts
  }

  private static func legend(of trace: Sparkline, isIntervals: Bool) -> String {
    let (low, high) =
      isIntervals ? (milliseconds(trace.low), milliseconds(trace.high)) : (Int(trace.low), Int(trace.high))
    return isIntervals
      ? "RR \(low) to \(high) ms, the last \(trace.count == 1 ? "beat" : "\(trace.count) beats")"
      : "\(low) to \(high) beats a minute, the last \(trace.count == 1 ? "value" : "\(trace.count) values")"
  }

  /// The milliseconds of a number of 1/1024 s, rounded.
  private static func milliseconds(_ ticks: UInt16) -> Int { (Int(ticks) * 1000 + 512) / 1024 }
}

/// The latest values as a row of blocks, the newest at the right; a blank is a gap.
struct Sparkline: Hashable {
  private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  let text: String
  /// The smallest value that is shown.
  let low: UInt16
  /// The greatest value that is shown.
  let high: UInt16
  /// The number of values that are shown.
  let count: Int

  /// Nil where there is no value to be shown.
  init?(_ values: [UInt16?], columns: Int) {
    let shown = values.suffix(max(0, columns))
    let present = shown.compactMap { $0 }
    guard let low = present.min(), let high = present.max() else { return nil }
    (self.low, self.high, count) = (low, high, present.count)
    let range = Int(high) - Int(low)
    text = String(
      shown.map { value -> Character in
        guard let value else { return " " }
        // Equal values are in the middle: they are neither high nor low.
        return Self.blocks[range == 0 ? 3 : (Int(value) - Int(low)) * 7 / range]
      })
  }
}
