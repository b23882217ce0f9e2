import HealthModel

/// A session as lines, one for each value, so that a difference between two sessions is a difference of some lines.
///
/// Real numbers are rounded to a millionth, because the last digits of logarithms differ between C libraries.
enum SessionText {
  static func lines(_ session: RecordedSession) -> [String] {
    let facts: [String?] = [
      "session \(session.id) version \(session.syncVersion)", "from \(session.start) to \(session.end)",
      "ended \(session.endReason)", "source \(session.source)", "device \(session.device.description.debugDescription)",
      session.device.manufacturer.map { "manufacturer \($0)" },
      session.device.localIdentifier.map { "address \($0)" },
      session.coverage.map { "coverage \(text($0.floor)) to \(text($0.ceiling))" },
      session.variability.sdnnMilliseconds.map { "sdnn \(text($0)) ms" },
      session.variability.rmssdMilliseconds.map { "rmssd \(text($0)) ms" },
      session.variability.pnn50.map { "pnn50 \(text($0)) %" },
    ]
    return facts.compactMap { $0 } + lines(session.metadata, "metadata") + lines(session.quality.metadata, "quality")
      + session.gaps.map(line) + lines(session.heartbeats) + session.rates.map(line)
      + session.markers.map { "marker \($0.time): \($0.text.debugDescription)" }
  }

  private static func lines(_ metadata: Metadata, _ name: String) -> [String] {
    metadata.sorted { $0.key < $1.key }.map { key, value in
      if case .real(let real) = value { return "\(name) \(key): \(text(real))" }
      return "\(name) \(key): \(value.description.debugDescription)"
    }
  }

  private static func line(_ gap: RecordingGap) -> String {
    let detail = gap.detail.map { " \($0.debugDescription)" } ?? ""
    let lost = gap.estimatedLostBeats.map { ", about \(text($0)) beats lost" } ?? ""
    return "gap \(gap.reason)\(detail) from \(gap.start) to \(gap.end)\(lost)"
  }

  private static func lines(_ series: HeartbeatSeries) -> [String] {
    var lines = series.runs.enumerated().map { index, run in
      "run \(index): anchor \(run.map.anchor), slope \(run.map.slopePartsPerBillion) ppb, "
        + "uncertainty \(run.map.uncertaintyMicroseconds) us, tick \(run.firstTick)"
    }
    for located in series.locatedBeats {
      let beat = located.beat
      lines.append(
        "beat \(located.time) run \(located.run): \(beat.rrTicks) ticks"
          + (beat.precededByGap ? " after a gap" : "")
          + beat.flags.names.map { " \($0)" }.joined()
          + (beat.offsetMicroseconds == 0 ? "" : " moved by \(beat.offsetMicroseconds) us"))
    }
    return lines
  }

  private static func line(_ rate: HeartRateValue) -> String {
    let energy = rate.energyKilojoules.map { ", \($0) kJ" } ?? ""
    return "rate \(rate.time): \(rate.beatsPerMinute), contact \(rate.contact)\(energy)"
  }

  private static func text(_ value: Double) -> String { "\((value * 1e6).rounded() / 1e6)" }
}
