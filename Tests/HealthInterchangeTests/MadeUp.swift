import FoundationEssentials
import HealthModel

@testable import HealthInterchange

/// Recordings that are small enough to be read.
enum MadeUp {
  /// 2026-11-21T02:08:08Z
  static let start = Timestamp(microseconds: 1_795_226_888_000_000)

  static let id = UUID(uuidString: "3F2A91BC-1111-4222-8333-444444444444")!

  static func time(_ seconds: Double) -> Timestamp {
    start.advanced(byMicroseconds: Int64((seconds * 1_000_000).rounded()))
  }

  /// Runs of beats, each at its second and with the ticks between its beats.
  static func series(_ runs: [(at: Double, ticks: [UInt32])], slope: Int32 = 0) throws -> HeartbeatSeries {
    var builder = HeartbeatSeriesBuilder()
    for run in runs {
      try builder.beginRun(AffineTimeMap(anchor: time(run.at), slopePartsPerBillion: slope))
      try builder.add(rrTicks: 900, precededByGap: true, flags: .firstOfRun)
      for ticks in run.ticks { try builder.add(rrTicks: ticks) }
    }
    return try builder.finish()
  }

  static func recording(
    seconds: Double, rates: [(Double, UInt16)] = [], beats: HeartbeatSeries = HeartbeatSeries(),
    gaps: [(Double, Double)] = [], laps: [InterchangeRecording.Lap] = [], activity: WorkoutActivityType? = nil
  ) -> InterchangeRecording {
    InterchangeRecording(
      id: id, device: Device(name: "Strap <A&B>"),
      source: SourceRevision(identifier: "sensord", name: "sensord"),
      span: TimeSpan(start: start, end: time(seconds))!,
      rates: rates.map { HeartRateValue(time: time($0.0), beatsPerMinute: $0.1) }, heartbeats: beats,
      gaps: gaps.map { RecordingGap(reason: "link", start: time($0.0), end: time($0.1)) }, activity: activity,
      laps: laps)
  }

  /// Rates and beats with a gap of both: beats from 0.4 s to 2.4 s, and from 8.7 s to 10.7 s.
  static func withGap() throws -> InterchangeRecording {
    try recording(
      seconds: 11.5, rates: [(0.9, 60), (1.9, 61), (2.9, 62), (9.1, 70), (10.1, 71), (11.1, 72)],
      beats: series([(0.4, [1024, 1024]), (8.7, [1024, 1024])]), gaps: [(2.4, 8.7)])
  }
}

extension InterchangeFormat {
  func bytes(of recording: InterchangeRecording) -> [UInt8] {
    var bytes: [UInt8] = []
    write(recording) { (piece) throws(Never) in bytes += piece }
    return bytes
  }

  func text(of recording: InterchangeRecording) -> String { String(decoding: bytes(of: recording), as: UTF8.self) }
}
