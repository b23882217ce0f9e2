import Documents
import HealthModel
import Ingestion
import Reports
import Support

/// The output of `sensord watch`: a screen that is redrawn in place on a terminal, lines elsewhere.
struct WatchDisplay {
  private var lines: WatchLines?
  private let isColoured: Bool
  private let isUTF8: Bool
  private var isShown = false

  /// - Parameters:
  ///   - json: Lines of JSON, also on a terminal.
  ///   - environment: The variables that describe the terminal.
  init(json: Bool, environment: ProcessEnvironment = .current) {
    // A terminal that cannot move its cursor gets lines.
    let isScreen = StandardOutput.isTerminal && !json && environment["TERM"] != "dumb"
    lines = isScreen ? nil : WatchLines(json ? .json : .text)
    isColoured = environment["NO_COLOR"] == nil
    isUTF8 = environment.isUTF8
  }

  /// Whether it is redrawn as time goes by.
  var isScreen: Bool { lines == nil }

  /// Shows the changes; `measured` is the sensor whose value has just come.
  mutating func show(_ screen: WatchScreen, measured: String? = nil, at now: Int64 = LocalTime.now()) throws {
    if let text = lines?.lines(screen, measured: measured, at: now).joined() {
      if !text.isEmpty { try StandardOutput.write(text) }
      return
    }
    let style = WatchScreen.Style(
      columns: StandardOutput.columns, rows: StandardOutput.rows, isUTF8: isUTF8, isColoured: isColoured)
    // The alternate screen, which has no earlier lines: a frame does not depend on the width that the terminal had before.
    let begin = isShown ? "" : "\u{1B}[?1049h\u{1B}[?25l"
    isShown = true
    let text = screen.frame(at: now, style).map { $0 + "\u{1B}[K" }.joined(separator: "\n")
    try StandardOutput.write("\(begin)\u{1B}[H\(text)\u{1B}[J")
  }

  /// Restores the terminal.
  mutating func end() {
    guard isShown else { return }
    isShown = false
    try? StandardOutput.write("\u{1B}[?25h\u{1B}[?1049l")
  }
}

/// The screen as lines, for files and programs: one for each change.
struct WatchLines {
  enum Format { case text, json }

  let format: Format
  /// The text or state that was written last for each sensor.
  private var written: [String: String] = [:]

  init(_ format: Format) {
    self.format = format
  }

  /// Returns a line for each change.
  ///
  /// - Parameters:
  ///   - screen: The present screen.
  ///   - measured: The sensor whose value has just come: as JSON each value is a line.
  ///   - now: The wall clock, in microseconds since 1970 (UTC).
  /// - Returns: The lines that are new.
  mutating func lines(_ screen: WatchScreen, measured: String? = nil, at now: Int64) -> [String] {
    var lines: [String] = []
    if screen.sensors.isEmpty {
      // A line of no sensor: whether a recorder runs at all.
      let text = screen.isRecorderThere ? "a recorder is running" : WatchScreen.State.noRecorder.words
      if written.updateValue(text, forKey: "") != text {
        lines.append(format == .json ? Self.json(nil, screen, at: now) : "\(LocalTime.timeOfDay(now))  \(text)\n")
      }
    }
    for sensor in screen.sensors {
      let state = screen.state(of: sensor)
      let rate = sensor.value.map { $0.beatsPerMinute.map { "\($0) beats a minute" } ?? "no rate" }
      let text = rate ?? "-  \(state.words)"
      let key = format == .json ? state.rawValue : text
      let isNew = written.updateValue(key, forKey: sensor.address) != key
      switch format {
      case .json where isNew || measured == sensor.address: lines.append(Self.json(sensor, screen, at: now))
      case .text where isNew:
        lines.append("\(LocalTime.timeOfDay(now))  \(PrintableText.line(sensor.name))  \(text)\n")
      default: break
      }
    }
    return lines
  }

  private static func json(_ sensor: WatchScreen.Sensor?, _ screen: WatchScreen, at now: Int64) -> String {
    let status = screen.isRecorderThere ? sensor?.status : nil
    let state = sensor.map { screen.state(of: $0).rawValue } ?? (screen.isRecorderThere ? nil : "noRecorder")
    let document: JSONValue = [
      "time": .string(Timestamp(microseconds: now).iso8601()), "address": .string(sensor?.address),
      "name": .string(sensor?.ownName), "state": .string(state),
      "bpm": .integer(sensor?.value?.beatsPerMinute),
      "rrTicks": .array((sensor?.value?.rrTicks ?? []).map { .integer(Int64($0)) }),
      "afterHole": .bool(sensor?.value?.isAfterHole ?? false), "session": .string(status?.session),
      "sessionStart": .string(status?.sessionStart.map { Timestamp(microseconds: $0).iso8601() }),
      "gaps": .integer(status.flatMap { $0.session == nil ? nil : $0.gaps }), "battery": .integer(status?.battery),
    ]
    return document.text + "\n"
  }
}
