package import HealthModel
import Support

/// A beat: `{"timeMicroseconds":1,"run":0,"index":0,"rrTicks":870,"timescale":1024,"precededByGap":false,"flags":[]}`.
///
/// RR intervals are in ticks, of which `timescale` are a second.
package enum HeartbeatLine {
  private static let time = Array("{\"timeMicroseconds\":".utf8)
  private static let run = Array(",\"run\":".utf8)
  private static let index = Array(",\"index\":".utf8)
  private static let rrTicks = Array(",\"rrTicks\":".utf8)
  private static let timescale = Array(",\"timescale\":".utf8)
  private static let noGap = Array(",\"precededByGap\":false,\"flags\":[".utf8)
  private static let gap = Array(",\"precededByGap\":true,\"flags\":[".utf8)
  private static let end = Array("]}\n".utf8)
  private static let flags = Heartbeat.Flags.named.map { (flag: $0.flag, text: Array("\"\($0.name)\"".utf8)) }

  /// Writes the beats of a series.
  package struct Writer: AnswerWriter {
    private var beats: HeartbeatSeries.LocatedBeats
    private let timescale: Int

    package init(_ series: HeartbeatSeries) {
      beats = series.locatedBeats
      timescale = Int(series.timescale)
    }

    package mutating func append(_ count: Int, to bytes: inout [UInt8]) -> Bool {
      for _ in 0..<count {
        guard let located = beats.next() else { return false }
        let beat = located.beat
        bytes += HeartbeatLine.time
        bytes.append(decimal: Int(located.time.microseconds))
        bytes += HeartbeatLine.run
        bytes.append(decimal: located.run)
        bytes += HeartbeatLine.index
        bytes.append(decimal: located.index)
        bytes += HeartbeatLine.rrTicks
        bytes.append(decimal: Int(beat.rrTicks))
        bytes += HeartbeatLine.timescale
        bytes.append(decimal: timescale)
        bytes += beat.precededByGap ? HeartbeatLine.gap : HeartbeatLine.noGap
        var isFirst = true
        for flag in HeartbeatLine.flags where beat.flags.contains(flag.flag) {
          if !isFirst { bytes.append(UInt8(ascii: ",")) }
          bytes += flag.text
          isFirst = false
        }
        bytes += HeartbeatLine.end
      }
      return true
    }
  }

  /// Reads the beats of a series.
  package struct Reader: AnswerReader {
    private var builder: HeartbeatSeriesBuilder?
    private var run: Int64 = -1
    private var isComplete = false

    package init() {}

    private struct Line: Decodable {
      var complete: Bool?
      var timeMicroseconds: Int64?
      var run: Int64?
      var rrTicks: Int64?
      var timescale: Int64?
      var precededByGap: Bool?
      var flags: [String]?
    }

    package mutating func read(_ lines: ArraySlice<UInt8>) throws(AnswerError) {
      var scanner = LineScanner(lines)
      while !scanner.isAtEnd {
        let place = scanner.position
        if try !scan(&scanner) {
          scanner.goBack(to: place)
          try decodeOther(scanner.upTo("\n"))
          _ = scanner.skip([UInt8(ascii: "\n")])
        }
      }
    }

    /// A line of the known shape.
    private mutating func scan(_ scanner: inout LineScanner) throws(AnswerError) -> Bool {
      guard scanner.skip(HeartbeatLine.time), let time = scanner.integer(), scanner.skip(HeartbeatLine.run),
        let run = scanner.integer(),
        scanner.skip(HeartbeatLine.index), scanner.integer() != nil, scanner.skip(HeartbeatLine.rrTicks),
        let rrTicks = scanner.integer(), scanner.skip(HeartbeatLine.timescale), let timescale = scanner.integer()
      else { return false }
      let hasGap = scanner.skip(HeartbeatLine.gap)
      guard hasGap || scanner.skip(HeartbeatLine.noGap) else { return false }
      var flags: Heartbeat.Flags = []
      while !scanner.skip(HeartbeatLine.end) {
        guard flags.isEmpty || scanner.skip([UInt8(ascii: ",")]) else { return false }
        guard let known = HeartbeatLine.flags.first(where: { scanner.skip($0.text) }) else { return false }
        flags.insert(known.flag)
      }
      try add(time, run, rrTicks, timescale, hasGap, flags)
      return true
    }

    private mutating func add(
      _ time: Int64, _ run: Int64, _ rrTicks: Int64, _ timescale: Int64, _ precededByGap: Bool, _ flags: Heartbeat.Flags
    ) throws(AnswerError) {
      guard let timescale = Int32(exactly: timescale), timescale > 0, let ticks = UInt32(exactly: rrTicks) else {
        throw .unreadable
      }
      let moment = Timestamp(microseconds: time)
      do throws(SeriesError) {
        var builder = self.builder.take() ?? HeartbeatSeriesBuilder(timescale: timescale)
        if run != self.run {
          self.run = run
          try builder.beginRun(AffineTimeMap(anchor: moment))
        }
        try builder.add(rrTicks: ticks, precededByGap: precededByGap, flags: flags, at: moment)
        self.builder = builder
      } catch {
        throw .unreadable
      }
    }

    /// The last line, or one of a later recorder's shape.
    private mutating func decodeOther(_ line: ArraySlice<UInt8>) throws(AnswerError) {
      let decoded: Line = try JSONLine.decode(line)
      if decoded.complete == true {
        isComplete = true
      } else if let time = decoded.timeMicroseconds, let run = decoded.run, let rrTicks = decoded.rrTicks,
        let timescale = decoded.timescale
      {
        let names = decoded.flags ?? []
        let flags = Heartbeat.Flags(Heartbeat.Flags.named.filter { names.contains($0.name) }.map(\.flag))
        try add(time, run, rrTicks, timescale, decoded.precededByGap ?? false, flags)
      } else {
        throw .unreadable
      }
    }

    package consuming func finish() throws(AnswerError) -> HeartbeatSeries {
      guard isComplete else { throw .cutOff }
      guard var builder else { return HeartbeatSeries() }
      do throws(SeriesError) {
        return try builder.finish()
      } catch {
        throw .unreadable
      }
    }
  }
}
