internal import Ingestion
internal import Documents
internal import HealthModel

/// The screen as lines, for files and programs: one for each change.
struct WatchLines {
  enum Format { case text, json }

  let format: Format
  /// What was written of each sensor.
  private var written: [String: String] = [:]

  init(_ format: Format) {
    self.format = format
  }

  /// Writes down what has changed.
  ///
  /// - Parameters:
  ///   - screen: As it is now.
  ///   - measured: The sensor whose value has just come: as JSON each value is a line.
  ///   - now: The wall clock, in microseconds since 1970 (UTC).
  /// - Returns: The lines that are new.
  mutating func lines(_ screen: WatchScreen, measured: String? = nil, at now: Int64) -> [String] {
    var lines: [String] = []
    if screen.sensors.isEmpty {
      // Of nobody: whether a recorder is there at all.
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
