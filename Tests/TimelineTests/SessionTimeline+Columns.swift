import HealthModel
import Timeline

/// The beats of a series as columns, which is how tests compare them.
struct BeatColumns: Hashable {
  var rrTicks: [UInt16] = []
  var flags: [Heartbeat.Flags] = []
  var precededByGap: [Bool] = []
  /// Microseconds since 1970 (UTC).
  var wallMicroseconds: [Int64] = []

  init(_ series: HeartbeatSeries) {
    for located in series.locatedBeats {
      rrTicks.append(UInt16(located.beat.rrTicks))
      flags.append(located.beat.flags)
      precededByGap.append(located.beat.precededByGap)
      wallMicroseconds.append(located.time.microseconds)
    }
  }

  var count: Int { rrTicks.count }
  var isEmpty: Bool { rrTicks.isEmpty }
}

extension SessionTimeline {
  /// The timeline of events whose times no test makes absurd.
  init(_ events: [SensorEvent]) {
    do { try self.init(events: events) } catch { fatalError("\(error)") }
  }

  var beats: BeatColumns { BeatColumns(heartbeats) }
  var runs: [HeartbeatSeries.Run] { heartbeats.runs }
  var startMicroseconds: Int64 { start.microseconds }
  var endMicroseconds: Int64 { end.microseconds }

  /// From the end of one run to the start of another, in microseconds.
  func microseconds(fromRun first: Int, toRun second: Int) -> Int64 {
    heartbeats.span(of: runs[second]).start.microseconds(since: heartbeats.span(of: runs[first]).end)
  }

  /// The beat that each gap ends with; nil for a gap of rates.
  var beatsAfterGaps: [Int?] {
    let beats = beats
    let places = Dictionary(
      uniqueKeysWithValues: beats.wallMicroseconds.indices.dropFirst().filter { beats.precededByGap[$0] }.map {
        (beats.wallMicroseconds[$0], $0)
      })
    return gaps.map { places[$0.end.microseconds] }
  }
}

extension RecordingGap {
  var startMicroseconds: Int64 { start.microseconds }
  var endMicroseconds: Int64 { end.microseconds }
  /// The reason, and behind it what is known in words: `link: timeout`.
  var cause: String { [reason, detail].compactMap { $0 }.joined(separator: ": ") }
}
