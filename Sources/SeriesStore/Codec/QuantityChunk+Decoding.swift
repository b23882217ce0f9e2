extension QuantityChunk {
  /// Decodes the quantities in `bytes`; never traps, whatever the bytes are.
  init(decoding bytes: [UInt8]) throws(ChunkError) {
    var head = try ChunkSeal.open(bytes, layout: Self.layout)
    let content = Content(rawValue: try head.read())
    guard Content.known.isSuperset(of: content) else { throw .invalid(field: "content") }
    let exponent = Int(try head.read())
    guard exponent < Self.scales.count else { throw .invalid(field: "scale") }
    let count = try head.readCount()
    guard count > 0 else { throw .invalid(field: "count") }
    let first = try head.readSigned()
    let form = try Self.stampHead(of: content, from: &head)
    let energyCount = content.contains(.energies) ? try head.readCount() : 0

    var reader = BitReader(bytes, from: head.position)
    let unit: Int64 = content.contains(.milliseconds) ? 1000 : 1
    let start = Stamp(value: first, unit: unit)
    let scale = content.contains(.patterns) ? nil : Self.scales[exponent]
    self.init()
    switch form {
    case .clock(let period, let gains):
      let clock = ClockPredictor(first: first, period: period, gains: gains)
      try decode(count, scaledBy: scale, by: clock, start: start, from: &reader)
    case .slots(let grid, let skipCount):
      let skips = try Self.decodeSkips(skipCount, below: count, from: &reader)
      let slots = SlotPredictor(first: first, grid: grid, skips: skips)
      try decode(count, scaledBy: scale, by: slots, start: start, from: &reader)
    }
    if content.contains(.durations) { try decodeDurations(count, unit: unit, from: &reader) }
    if content.contains(.contacts) { try decodeContacts(count, from: &reader) }
    try decodeEnergies(energyCount, below: count, from: &reader)
  }

  /// The head's description of the timestamps.
  private enum StampHead {
    case clock(period: Int64, gains: ClockPredictor.Gains)
    case slots(SlotPredictor.Grid, skips: Int)
  }

  private static func stampHead(of content: Content, from head: inout ByteReader) throws(ChunkError) -> StampHead {
    guard content.contains(.slots) else {
      let period = Int64(bitPattern: try head.readVarint())
      let gains = ClockPredictor.Gains(phase: try head.read(), period: try head.read())
      guard gains.phase < 64, gains.period < 64 else { throw .invalid(field: "gains") }
      return .clock(period: period, gains: gains)
    }
    let grid = SlotPredictor.Grid(
      length: Int64(bitPattern: try head.readVarint()), step: Int64(bitPattern: try head.readVarint()))
    guard grid.length > 0, grid.step > 0 else { throw .invalid(field: "slots") }
    return .slots(grid, skips: try head.readCount())
  }

  private static func decodeSkips(
    _ skipCount: Int, below count: Int, from reader: inout BitReader
  ) throws(ChunkError) -> [SlotPredictor.Skip] {
    var skips: [SlotPredictor.Skip] = []
    var list = SparseList()
    for _ in 0..<skipCount {
      let index = try list.decodeIndex(below: count, from: &reader)
      skips.append(SlotPredictor.Skip(index: index, code: try list.decodeValue(from: &reader)))
    }
    return skips
  }

  /// A decoded timestamp: not before the last one, and in the range of microseconds.
  private struct Stamp {
    var value: Int64
    let unit: Int64

    @inline(__always)
    mutating func advance(to next: Int64) throws(ChunkError) {
      guard next >= value else { throw .invalid(field: "time") }
      value = next
    }

    @inline(__always)
    func microseconds() throws(ChunkError) -> Int64 {
      let (product, overflow) = value.multipliedReportingOverflow(by: unit)
      guard !overflow else { throw .invalid(field: "time") }
      return product
    }
  }

  private mutating func decode(
    _ count: Int, scaledBy scale: Double?, by predictor: some StampPredictor, start: Stamp,
    from reader: inout BitReader
  ) throws(ChunkError) {
    if let scale {
      try decodeNumbers(count, scaledBy: scale, by: predictor, start: start, from: &reader)
    } else {
      try decodePatterns(count, by: predictor, start: start, from: &reader)
    }
  }

  private mutating func decodeNumbers(
    _ count: Int, scaledBy scale: Double, by first: some StampPredictor, start: Stamp, from reader: inout BitReader
  ) throws(ChunkError) {
    var predictor = first
    var stamp = start
    var stamps = AdaptiveRice(mean: 32)
    var numbers = AdaptiveRice(mean: 4)
    var number: Int64 = 0
    // Columns and state in local variables, which stay in registers during the loop.
    var bits = reader
    var times = [Int64](repeating: 0, count: count)
    var values = [Double](repeating: 0, count: count)
    var timeColumn = times.mutableSpan
    var valueColumn = values.mutableSpan
    for index in 0..<count {
      if index > 0 {
        try stamp.advance(to: predictor.prediction(at: index) &+ ZigZag.decode(try stamps.decode(from: &bits)))
        predictor.update(with: stamp.value)
      }
      timeColumn[index] = try stamp.microseconds()
      number = number &+ ZigZag.decode(try numbers.decodeNext(from: &bits))
      valueColumn[index] = Double(number) / scale
    }
    self.times = times
    self.values = values
    reader = bits
  }

  private mutating func decodePatterns(
    _ count: Int, by first: some StampPredictor, start: Stamp, from reader: inout BitReader
  ) throws(ChunkError) {
    var predictor = first
    var stamp = start
    var stamps = AdaptiveRice(mean: 32)
    var pattern: UInt64 = 0
    times.reserveCapacity(count)
    values.reserveCapacity(count)
    for index in 0..<count {
      if index > 0 {
        try stamp.advance(to: predictor.prediction(at: index) &+ ZigZag.decode(try stamps.decode(from: &reader)))
        predictor.update(with: stamp.value)
      }
      times.append(try stamp.microseconds())
      pattern ^= try reader.readDifference()
      let value = Double(bitPattern: pattern)
      guard value.isFinite else { throw .invalid(field: "value") }
      values.append(value)
    }
  }

  private mutating func decodeDurations(
    _ count: Int, unit: Int64, from reader: inout BitReader
  ) throws(ChunkError) {
    durations.reserveCapacity(count)
    var rice = AdaptiveRice(mean: 32)
    var number: Int64 = 0
    for _ in 0..<count {
      number = number &+ ZigZag.decode(try rice.decode(from: &reader))
      let (duration, overflow) = number.multipliedReportingOverflow(by: unit)
      guard duration >= 0, !overflow else { throw .invalid(field: "duration") }
      durations.append(duration)
    }
  }

  private mutating func decodeContacts(_ count: Int, from reader: inout BitReader) throws(ChunkError) {
    contacts.reserveCapacity(count)
    var lengths = AdaptiveRice(mean: 1024)
    while contacts.count < count {
      let length = try lengths.decode(from: &reader)
      guard length < UInt64(count - contacts.count) else { throw .invalid(field: "contact") }
      let contact = UInt8(try reader.read(2))
      guard contact < 3 else { throw .invalid(field: "contact") }
      contacts.append(contentsOf: repeatElement(contact, count: Int(length) + 1))
    }
  }

  private mutating func decodeEnergies(
    _ energyCount: Int, below count: Int, from reader: inout BitReader
  ) throws(ChunkError) {
    var list = SparseList()
    var value: Int64 = 0
    for _ in 0..<energyCount {
      let index = try list.decodeIndex(below: count, from: &reader)
      value = value &+ ZigZag.decode(try list.decodeValue(from: &reader))
      guard let kilojoules = UInt16(exactly: value) else { throw .invalid(field: "energy") }
      energies.append(Energy(index: index, kilojoules: kilojoules))
    }
  }
}
