public import FoundationEssentials
public import HealthModel

/// A record of a series that another program inserts while the recorder runs (Documentation/capture-format.md). Its values
/// are in the journal before they are in the store.
public enum ClientSeriesRecord: Hashable, Sendable {
  /// A series begins; its slot is valid from here on.
  case begin(ClientSeries)
  /// Values of the series in its unit; at least one.
  case values([SampleDraft.QuantityValue])
  /// Heartbeats of the series, of which a record has the interval and the gap; at least one. `after` is the number of ticks from the series' start to the heartbeat
  /// before them, so that heartbeats behind a damaged record keep their times.
  case beats([Heartbeat], after: Int64)
  /// The series is complete, and ends at this time in microseconds since 1970 (UTC); nil: with its last value.
  case finish(endMicroseconds: Int64?)

  /// The record's line with its newline, for a slot (1…1048576).
  public func encoded(slot: Int) -> [UInt8] {
    var buffer = RecordBuffer()
    buffer.series(self, slot: slot)
    return buffer.copy()
  }

  /// Decodes a line (with its newline) to its slot and record; nil for other and for damaged lines.
  public static func decode(_ line: [UInt8]) -> (slot: Int, record: ClientSeriesRecord)? {
    guard line.last == UInt8(ascii: "\n") else { return nil }
    let line = Array(line.dropLast())
    guard RecordLine.hasValidChecksum(line), case .series(let slot, let record)? = RecordLine.record(line) else {
      return nil
    }
    return (slot, record)
  }
}

/// The description of a client's series when it begins.
public struct ClientSeries: Hashable, Sendable {
  /// The times that a record can hold, in microseconds since 1970 (UTC): the years 1653 to 2286.
  public static let times = RecordLine.times

  /// Its identity, which is also its sync identifier in the store.
  public var identifier: UUID
  /// The quantity type, by its name in the store.
  public var type: String
  /// The unit of its values; for heartbeats the length of a tick, such as `1/1024 s`.
  public var unit: String
  /// The program that inserts it, with its version.
  public var source: String
  /// When it begins, in microseconds since 1970 (UTC): for heartbeats the origin of the first one's ticks. Nil: with its first
  /// value.
  public var startMicroseconds: Int64?
  /// The measuring device as the program describes it.
  public var device: Device?

  public init(
    identifier: UUID, type: String, unit: String, source: String, startMicroseconds: Int64? = nil,
    device: Device? = nil
  ) {
    self.identifier = identifier
    self.type = type
    self.unit = unit
    self.source = source
    self.startMicroseconds = startMicroseconds
    self.device = device
  }
}

/// A client's series as a journal has it: its description and the values so far.
public struct ClientSeriesContents: Hashable, Sendable {
  public var series: ClientSeries
  /// Metadata from the client, at the series' beginning or later; the last value of a key counts.
  public var metadata: Metadata = [:]
  /// Values in the order of their insertion.
  public var values: [SampleDraft.QuantityValue] = []
  /// Heartbeats in order.
  public var beats: [Heartbeat] = []
  /// Whether the client completed the series.
  public var isFinished = false
  /// The end of the series that the client gave, in microseconds since 1970 (UTC); nil: with its last value.
  public var endMicroseconds: Int64?
  /// From the series' start to its last heartbeat.
  private var ticks: Int64 = 0

  public init(_ series: ClientSeries) {
    self.series = series
  }

  mutating func append(_ record: ClientSeriesRecord) {
    switch record {
    case .begin: break
    case .values(let more): values += more
    case .beats(let more, let after): append(more, after: after)
    case .finish(let end):
      isFinished = true
      endMicroseconds = end
    }
  }

  /// Appends heartbeats; the first one is preceded by a gap where records before it are missing. Heartbeats that
  /// overlap those in the series are skipped.
  private mutating func append(_ more: [Heartbeat], after: Int64) {
    guard var first = more.first else { return }
    if after != ticks {
      let (sum, overflow) = after.addingReportingOverflow(Int64(first.rrTicks))
      guard !overflow, sum > ticks, let interval = UInt32(exactly: sum &- ticks) else { return }
      first = Heartbeat(rrTicks: interval, precededByGap: true)
    }
    beats.append(first)
    beats += more.dropFirst()
    ticks &+= Int64(first.rrTicks)
    for beat in more.dropFirst() { ticks &+= Int64(beat.rrTicks) }
  }
}

extension RecordBuffer {
  /// Appends a record of a client's series. Numbers that are not finite, and records without a value, are not written.
  mutating func series(_ record: ClientSeriesRecord, slot: Int) {
    switch record {
    case .begin(let series):
      begin(slot)
      word("series")
      uuid(series.identifier)
      string(series.type)
      string(series.unit)
      string(series.source)
      if let begin = series.startMicroseconds {
        word("at")
        integer(begin)
      }
      if let device = series.device {
        word("device")
        for text in device.texts { if let text { string(text) } else { word("-") } }
      }
    case .values(let values):
      let values = values.filter(\.value.isFinite)
      guard !values.isEmpty else { return }
      begin(slot)
      word("values")
      for value in values {
        integer(value.span.start.microseconds)
        integer(value.span.end.microseconds)
        word("\(value.value)")
      }
    case .beats(let beats, let after):
      guard !beats.isEmpty else { return }
      begin(slot)
      word("beats")
      if after != 0 {
        word("after")
        integer(after)
      }
      for beat in beats {
        if beat.precededByGap { word("gap") }
        integer(beat.rrTicks)
      }
    case .finish(let end):
      begin(slot)
      word("finish")
      if let end { integer(end) }
    }
    finish()
  }
}

extension RecordLine {
  /// Decodes a record of a client's series after its slot and kind; nil if the kind does not belong to a series.
  mutating func series(_ kind: String) throws(Fault) -> ClientSeriesRecord? {
    switch kind {
    case "series": .begin(try beginning())
    case "values": .values(try values())
    case "beats": try beats()
    case "finish": .finish(endMicroseconds: isAtEnd ? nil : try required(time(), "end"))
    default: nil
    }
  }

  private mutating func beginning() throws(Fault) -> ClientSeries {
    var series = ClientSeries(
      identifier: try required(uuid(), "series"), type: try required(string(), "type"),
      unit: try required(string(), "unit"), source: try required(string(), "source"))
    while let word = word() {
      switch word {
      case "at": series.startMicroseconds = try required(time(), "at")
      case "device":
        var texts: [String?] = []
        for _ in Device().texts { texts.append(try deviceProperty()) }
        series.device = Device(texts: texts)
      default: throw .malformed(field: "series")
      }
    }
    return series
  }

  private mutating func values() throws(Fault) -> [SampleDraft.QuantityValue] {
    var values: [SampleDraft.QuantityValue] = []
    repeat {
      let start = Timestamp(microseconds: try required(time(), "start"))
      let end = Timestamp(microseconds: try required(time(), "end"))
      let span = try required(TimeSpan(start: start, end: end), "end")
      values.append(SampleDraft.QuantityValue(try required(real(), "value"), over: span))
    } while !isAtEnd
    return values
  }

  private mutating func deviceProperty() throws(Fault) -> String? {
    var copy = self
    if copy.word() == "-" {
      self = copy
      return nil
    }
    return try required(string(), "device")
  }

  private mutating func beats() throws(Fault) -> ClientSeriesRecord {
    var beats: [Heartbeat] = []
    var after: Int64 = 0
    repeat {
      var first = try required(word(), "ticks")
      if beats.isEmpty, first == "after" {
        after = try required(integer().flatMap { (ticks: Int64) in ticks > 0 ? ticks : nil }, "after")
        first = try required(word(), "ticks")
      }
      let ticks = first == "gap" ? try required(word(), "ticks") : first
      guard let count = UInt32(ticks), String(count) == ticks else { throw .malformed(field: "ticks") }
      beats.append(Heartbeat(rrTicks: count, precededByGap: first == "gap"))
    } while !isAtEnd
    return .beats(beats, after: after)
  }
}
