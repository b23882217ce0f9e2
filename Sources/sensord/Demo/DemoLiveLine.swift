internal import Ingestion
internal import Sensors

/// The one line that shows how the demo goes.
enum DemoLiveLine {
  /// `Recording · 72 bpm · 31 beats · 0 gaps · 8 s left`; `now` in microseconds since 1970 (UTC).
  ///
  /// Gaps are gaps of beats. How often the link was lost has a part of its own, once it was.
  static func text(_ status: RecorderStatus?, secondsLeft: Int, now: Int64) -> String {
    var parts = [status.map(StatusReport.headline) ?? "Starting"]
    if let sensor = status?.sensors.first(where: { $0.session != nil }) {
      if sensor.state != .measuring { parts.append(StatusReport.describe(sensor.state)) }
      let rate = StatusReport.rate(sensor, now: now)
      if !rate.isEmpty { parts.append("\(rate) bpm") }
      parts.append("\(sensor.beats) beat\(sensor.beats == 1 ? "" : "s")")
      parts.append("\(sensor.gaps) gap\(sensor.gaps == 1 ? "" : "s")")
      if sensor.losses > 0 { parts.append(StatusReport.lostLinks(sensor)) }
    }
    parts.append("\(secondsLeft) s left")
    return parts.joined(separator: " · ")
  }
}
