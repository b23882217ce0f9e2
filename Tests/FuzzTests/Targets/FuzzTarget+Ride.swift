import FoundationEssentials
import HealthModel

@testable import HealthInterchange

extension FuzzTarget {
  /// 2026-11-21T02:08:08Z
  private static let start = Timestamp(microseconds: 1_795_226_888_000_000)

  /// A heart of eleven seconds, with a gap in it.
  private static let heart: InterchangeRecording? = {
    var builder = HeartbeatSeriesBuilder()
    do throws(SeriesError) {
      for first in [400_000, 8_700_000] as [Int64] {
        try builder.beginRun(
          AffineTimeMap(anchor: start.advanced(byMicroseconds: first), slopePartsPerBillion: 0))
        try builder.add(rrTicks: 900, precededByGap: true, flags: .firstOfRun)
        for ticks in [1024, 1000, 700] as [UInt32] { try builder.add(rrTicks: ticks) }
      }
      let beats = try builder.finish()
      return TimeSpan(start: start, end: start.advanced(byMicroseconds: 11_500_000)).map { span in
        InterchangeRecording(
          id: UUID(), device: Device(), source: SourceRevision(identifier: "sensord", name: "sensord"), span: span,
          rates: [1, 2, 3, 9, 10, 11].map { second in
            HeartRateValue(
              time: start.advanced(byMicroseconds: Int64(second) * 1_000_000 - 100_000),
              beatsPerMinute: 60 + UInt16(second))
          }, heartbeats: beats)
      }
    } catch {
      return nil
    }
  }()

  /// Messages of a ride, into which a heart is merged: header and checksum are right, since no fuzzer guesses them.
  ///
  /// Every message stays as it was, in its order, but for rates of records and added intervals; a second time there is nothing to add.
  static func readRide(_ messages: [UInt8]) throws(BrokenPromise) {
    guard let heart else { throw BrokenPromise(description: "the heart that is merged was not made") }
    let ride = file(messages)
    let merge: RideMerge
    do throws(FileDamage) {
      merge = try RideMerge(of: heart, into: ride)
    } catch {
      return try BrokenPromise.unless(!error.place.isEmpty && !error.problem.isEmpty, "damage is named")
    }
    do {
      let (before, after) = (try RideFile(ride, at: 0), try RideFile(merge.bytes, at: 0))
      let old = before.messages.filter { $0.definition != nil }
      let new = after.messages.filter { message in
        message.definition.map { before.hasIntervals || $0.message != FITProfile.Message.variability } ?? false
      }
      let changed = zip(old, new).filter { ride[$0.range] != merge.bytes[$1.range] }
      try BrokenPromise.unless(
        old.count == new.count && changed.count == merge.rates && zip(old, new).allSatisfy { $0.second == $1.second }
          && changed.allSatisfy { $0.second != nil && $1.range.count - $0.range.count <= 1 },
        "messages of a ride stay as they are")
      try BrokenPromise.unless(
        try RideMerge(of: heart, into: merge.bytes).bytes == merge.bytes, "a second time there is nothing to add")
    } catch {
      throw error as? BrokenPromise ?? BrokenPromise(description: "what was merged is not whole: \(error)")
    }
  }

  private static func file(_ messages: [UInt8]) -> [UInt8] {
    var bytes: [UInt8] = [14, 0x20, 0x54, 0x08] + (0..<4).map { UInt8(truncatingIfNeeded: messages.count >> (8 * $0)) }
    bytes += ".FIT".utf8
    for part in [[], messages] {
      bytes += part
      var checksum = FITChecksum()
      checksum.add(bytes)
      bytes += [UInt8(truncatingIfNeeded: checksum.value), UInt8(checksum.value >> 8)]
    }
    return bytes
  }

  /// A route of Apple's export: in one piece and in small ones it has the same locations, and they can be stored.
  static func readRoute(_ bytes: [UInt8]) throws(BrokenPromise) {
    guard let span = TimeSpan(start: start, end: start.advanced(byMicroseconds: 3_600_000_000)) else { return }
    let whole = try locations(of: bytes, in: span, pieces: max(bytes.count, 1))
    try BrokenPromise.unless(
      try locations(of: bytes, in: span, pieces: 7) == whole, "pieces of a route say what the route says")
    try BrokenPromise.unless(
      whole.allSatisfy { $0.time >= span.start && $0.time <= span.end && (try? $0.validate()) != nil },
      "locations lie in their workout, and can be stored")
  }

  private static func locations(
    of bytes: [UInt8], in span: TimeSpan, pieces: Int
  ) throws(BrokenPromise) -> [RouteLocation] {
    var reader = AppleRouteReader(in: span)
    do throws(FileDamage) {
      for place in stride(from: 0, to: bytes.count, by: pieces) {
        try reader.read(Array(bytes[place..<min(place + pieces, bytes.count)]))
      }
      try reader.finish()
    } catch {
      try BrokenPromise.unless(!error.place.isEmpty && !error.problem.isEmpty, "damage is named")
    }
    return reader.locations
  }
}
