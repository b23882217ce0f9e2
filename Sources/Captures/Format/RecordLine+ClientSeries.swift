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
        series.device = []
        for _ in 0..<ClientSeries.deviceProperties { series.device.append(try deviceProperty()) }
      default: throw .malformed(field: "series")
      }
    }
    return series
  }

  private mutating func values() throws(Fault) -> [ClientSeries.Value] {
    var values: [ClientSeries.Value] = []
    repeat {
      let start = try required(time(), "start")
      let end = try required(time(), "end")
      guard start <= end else { throw .malformed(field: "end") }
      values.append(
        ClientSeries.Value(startMicroseconds: start, endMicroseconds: end, value: try required(real(), "value")))
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
    var beats: [ClientSeries.Beat] = []
    var after: Int64 = 0
    repeat {
      var first = try required(word(), "ticks")
      if beats.isEmpty, first == "after" {
        after = try required(integer().flatMap { (ticks: Int64) in ticks > 0 ? ticks : nil }, "after")
        first = try required(word(), "ticks")
      }
      let ticks = first == "gap" ? try required(word(), "ticks") : first
      guard let count = UInt32(ticks), String(count) == ticks else { throw .malformed(field: "ticks") }
      beats.append(ClientSeries.Beat(ticks: count, precededByGap: first == "gap"))
    } while !isAtEnd
    return .beats(beats, after: after)
  }
}
