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
      if series.device.count == ClientSeries.deviceProperties {
        word("device")
        for text in series.device { if let text { string(text) } else { word("-") } }
      }
    case .values(let values):
      let values = values.filter(\.value.isFinite)
      guard !values.isEmpty else { return }
      begin(slot)
      word("values")
      for value in values {
        integer(value.startMicroseconds)
        integer(value.endMicroseconds)
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
        integer(beat.ticks)
      }
    case .finish(let end):
      begin(slot)
      word("finish")
      if let end { integer(end) }
    }
    finish()
  }
}
