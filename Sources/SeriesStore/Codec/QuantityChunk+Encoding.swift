extension QuantityChunk {
  /// The packed form of at least one quantity.
  func encode() -> [UInt8] {
    let inMilliseconds = times.allSatisfy { $0 % 1000 == 0 } && durations.allSatisfy { $0 % 1000 == 0 }
    let unit: Int64 = inMilliseconds ? 1000 : 1
    let stamps = inMilliseconds ? times.map { $0 / 1000 } : times
    let scale = Self.decimalScale(of: values)
    var content: Content = inMilliseconds ? .milliseconds : []
    if !durations.isEmpty { content.insert(.durations) }
    if !contacts.isEmpty { content.insert(.contacts) }
    if !energies.isEmpty { content.insert(.energies) }
    if scale == nil { content.insert(.patterns) }
    let form = StampForm(cheapestFor: stamps)
    if case .slots = form { content.insert(.slots) }

    var head = ByteWriter()
    for _ in 0..<4 { head.put(0) }
    head.put(Self.layout)
    head.put(content.rawValue)
    head.put(UInt8(scale ?? 0))
    head.putVarint(UInt64(stamps.count))
    let first = stamps[0]
    head.putSigned(first)
    switch form {
    case .clock(let period, let gains):
      head.putVarint(UInt64(bitPattern: period))
      head.put(gains.phase)
      head.put(gains.period)
    case .slots(let grid, let skips):
      head.putVarint(UInt64(grid.length))
      head.putVarint(UInt64(grid.step))
      head.putVarint(UInt64(skips.count))
    }
    if !energies.isEmpty { head.putVarint(UInt64(energies.count)) }

    var writer = BitWriter(after: head.bytes, capacity: 12 * stamps.count)
    switch form {
    case .clock(let period, let gains):
      let clock = ClockPredictor(first: first, period: period, gains: gains)
      encode(stamps, by: clock, scale: scale, into: &writer)
    case .slots(let grid, let skips):
      var list = SparseList()
      for skip in skips { list.encode(skip.index, value: skip.code, into: &writer) }
      encode(stamps, by: SlotPredictor(first: first, grid: grid, skips: skips), scale: scale, into: &writer)
    }
    encodeDurations(unit: unit, into: &writer)
    encodeContacts(into: &writer)
    encodeEnergies(into: &writer)
    return ChunkSeal.seal(writer.finish())
  }

  /// The exponent of the smallest of these powers of ten by which all values become integers that convert back exactly; nil if
  /// there is none among them.
  static func decimalScale(of values: some Sequence<Double>, in scales: [Double] = Self.scales) -> Int? {
    var exponent = 0
    for value in values {
      while !isExact(value, scale: scales[exponent]) {
        exponent += 1
        if exponent == scales.count { return nil }
      }
    }
    guard exponent > 0 else { return 0 }
    // Integers in tenths are integers in hundredths too, but their quotients may round differently: check all again.
    return values.allSatisfy { isExact($0, scale: scales[exponent]) } ? exponent : nil
  }

  private static func isExact(_ value: Double, scale: Double) -> Bool {
    guard (value * scale).magnitude < 4e15, !(value == 0 && value.sign == .minus) else { return false }
    return Double(scaled(value, by: scale)) / scale == value
  }

  /// The integer nearest to `value · scale`, which must be below 4·10¹⁵.
  static func scaled(_ value: Double, by scale: Double) -> Int64 {
    let product = value * scale
    return Int64(product + (product < 0 ? -0.5 : 0.5))
  }

  private func encode(
    _ stamps: [Int64], by predictor: some StampPredictor, scale: Int?, into writer: inout BitWriter
  ) {
    if let scale {
      encode(stamps, by: predictor, scaledBy: Self.scales[scale], into: &writer)
    } else {
      encodePatterns(stamps, by: predictor, into: &writer)
    }
  }

  private func encode(
    _ times: [Int64], by start: some StampPredictor, scaledBy scale: Double, into output: inout BitWriter
  ) {
    var predictor = start
    var stamps = AdaptiveRice(mean: 32)
    var numbers = AdaptiveRice(mean: 4)
    var last: Int64 = 0
    var writer = output
    for index in values.indices {
      if index > 0 {
        let stamp = times[index]
        stamps.encode(ZigZag.encode(stamp &- predictor.prediction(at: index)), into: &writer)
        predictor.update(with: stamp)
      }
      let number = Self.scaled(values[index], by: scale)
      numbers.encode(ZigZag.encode(number &- last), into: &writer)
      last = number
    }
    output = writer
  }

  private func encodePatterns(_ times: [Int64], by start: some StampPredictor, into writer: inout BitWriter) {
    var predictor = start
    var stamps = AdaptiveRice(mean: 32)
    var last: UInt64 = 0
    for (index, value) in values.enumerated() {
      if index > 0 {
        let stamp = times[index]
        stamps.encode(ZigZag.encode(stamp &- predictor.prediction(at: index)), into: &writer)
        predictor.update(with: stamp)
      }
      // Successive values share sign, exponent and leading digits: only the different bits are written, after their width.
      writer.putDifference(value.bitPattern ^ last)
      last = value.bitPattern
    }
  }

  private func encodeDurations(unit: Int64, into writer: inout BitWriter) {
    var rice = AdaptiveRice(mean: 32)
    var last: Int64 = 0
    for duration in durations {
      let number = duration / unit
      rice.encode(ZigZag.encode(number &- last), into: &writer)
      last = number
    }
  }

  /// Writes each stretch of equal contacts as its length and the raw value in two bits: contact changes seldom.
  private func encodeContacts(into writer: inout BitWriter) {
    guard !contacts.isEmpty else { return }
    var lengths = AdaptiveRice(mean: 1024)
    var start = 0
    while start < contacts.count {
      let contact = contacts[start]
      let end = contacts[start...].firstIndex { $0 != contact } ?? contacts.count
      lengths.encode(UInt64(end - start - 1), into: &writer)
      writer.put(UInt64(contact & 3), bits: 2)
      start = end
    }
  }

  private func encodeEnergies(into writer: inout BitWriter) {
    var list = SparseList()
    var last: Int64 = 0
    for energy in energies {
      let value = Int64(energy.kilojoules)
      list.encode(energy.index, value: ZigZag.encode(value - last), into: &writer)
      last = value
    }
  }
}
