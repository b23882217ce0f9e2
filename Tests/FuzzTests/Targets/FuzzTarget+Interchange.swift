import HealthModel

@testable import HealthInterchange

extension FuzzTarget {
  /// A file of another program: in one piece and in small ones it says the same, and what it says makes sessions that can be stored.
  static func readRecording(_ bytes: [UInt8], _ format: ForeignFormat) throws(BrokenPromise) {
    // Whatever it is, it can be asked for its format.
    _ = ForeignFormat(beginning: bytes)
    let whole = try elements(of: bytes, format, pieces: max(bytes.count, 1))
    let inPieces = try elements(of: bytes, format, pieces: 7)
    try BrokenPromise.unless(whole == inPieces, "pieces of a file say what the file says")
    var assembly = ForeignAssembly(format, start: Timestamp(microseconds: 1_795_226_888_000_000))
    do throws(SeriesError) {
      var found: [ForeignAssembly.Found] = []
      for element in whole { try assembly.take(element, into: &found) }
      try assembly.finish(into: &found)
      for one in found {
        switch one {
        case .session(let session): try check(session)
        case .ride(let ride): try check(ride)
        }
      }
    } catch {
      throw BrokenPromise(description: "a session was not made: \(error)")
    }
  }

  private static func elements(
    of bytes: [UInt8], _ format: ForeignFormat, pieces: Int
  ) throws(BrokenPromise) -> [ForeignElement] {
    var reader = format.reader()
    var elements: [ForeignElement] = []
    do throws(FileDamage) {
      for place in stride(from: 0, to: bytes.count, by: pieces) {
        try reader.read(Array(bytes[place..<min(place + pieces, bytes.count)]), into: &elements)
      }
      try reader.finish(into: &elements)
    } catch {
      try BrokenPromise.unless(!error.place.isEmpty && !error.problem.isEmpty, "damage is named")
    }
    return elements
  }

  private static func check(_ ride: ForeignRide) throws(SeriesError) {
    guard (try? ride.workout.validate()) != nil, ride.route.allSatisfy({ (try? $0.validate()) != nil }) else {
      throw .startsBeforeSeries
    }
    for series in ride.series {
      guard zip(series.values, series.values.dropFirst()).allSatisfy({ $0.span.start <= $1.span.start }) else {
        throw .timeNotIncreasing(index: 0)
      }
    }
  }

  private static func check(_ session: RecordedSession) throws(SeriesError) {
    guard zip(session.rates, session.rates.dropFirst()).allSatisfy({ $0.time <= $1.time }) else {
      throw .timeNotIncreasing(index: 0)
    }
    guard session.start <= session.end else { throw .startsBeforeSeries }
    // Checks order and runs.
    _ = try HeartbeatSeries(
      timescale: session.heartbeats.timescale, runs: session.heartbeats.runs, beats: session.heartbeats.beats)
  }
}
