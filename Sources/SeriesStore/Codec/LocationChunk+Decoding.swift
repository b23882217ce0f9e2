import HealthModel

extension LocationChunk {
  /// Decodes the locations in `bytes`, which are in order of time and in their ranges; never traps, whatever the bytes are.
  static func decode(_ bytes: [UInt8]) throws(ChunkError) -> [RouteLocation] {
    var head = try ChunkSeal.open(bytes, layout: layout)
    let count = try head.readCount()
    guard count > 0 else { throw .invalid(field: "count") }
    let times = try Form(from: &head, below: units.count)
    var forms: [Form] = []
    for _ in 0..<needed.count + optional.count { forms.append(try Form(from: &head, below: scales.count)) }
    guard ([times] + forms.prefix(needed.count)).allSatisfy({ $0.presence == .all }) else {
      throw .invalid(field: "presence")
    }
    var reader = BitReader(bytes, from: head.position)
    var locations = try decodeTimes(count, times, from: &reader)
    for (property, form) in zip(needed, forms) {
      let values = try decode(count, form, from: &reader)
      for (index, value) in values.enumerated() { locations[index][keyPath: property] = value }
    }
    for (property, form) in zip(optional, forms.dropFirst(needed.count)) where form.presence != .none {
      let places = form.presence == .all ? Array(0..<count) : try decodePlaces(below: count, from: &reader)
      let values = try decode(places.count, form, from: &reader)
      for (place, value) in zip(places, values) { locations[place][keyPath: property] = value }
    }
    do throws(WorkoutRouteError) {
      for location in locations { try location.validate() }
    } catch {
      throw .invalid(field: "location")
    }
    return locations
  }

  private static func decodeTimes(
    _ count: Int, _ form: Form, from reader: inout BitReader
  ) throws(ChunkError) -> [RouteLocation] {
    guard let scale = form.scale, let first = form.first else { throw .invalid(field: "scale") }
    var column = NumberColumn(halves: form.halves, first: first)
    var locations: [RouteLocation] = []
    locations.reserveCapacity(count)
    var last = Int64.min
    for index in 0..<count {
      let number = index == 0 ? first : try column.decode(from: &reader)
      let (time, overflow) = number.multipliedReportingOverflow(by: units[scale])
      guard !overflow, time >= last else { throw .invalid(field: "time") }
      locations.append(RouteLocation(at: Timestamp(microseconds: time), latitude: 0, longitude: 0))
      last = time
    }
    return locations
  }

  /// The places of the locations that have a value.
  private static func decodePlaces(below count: Int, from reader: inout BitReader) throws(ChunkError) -> [Int] {
    var isPresent = try reader.read(1) == 1
    var lengths = AdaptiveRice(mean: 64)
    var places: [Int] = []
    var start = 0
    while start < count {
      let length = try lengths.decode(from: &reader)
      guard length < UInt64(count - start) else { throw .invalid(field: "stretch") }
      let end = start + Int(length) + 1
      if isPresent { places += start..<end }
      isPresent.toggle()
      start = end
    }
    return places
  }

  private static func decode(
    _ count: Int, _ form: Form, from reader: inout BitReader
  ) throws(ChunkError) -> [Double] {
    var values: [Double] = []
    values.reserveCapacity(count)
    if let scale = form.scale, let first = form.first {
      var column = NumberColumn(halves: form.halves, first: first)
      for index in 0..<count {
        let number = index == 0 ? first : try column.decode(from: &reader)
        values.append(Double(number) / scales[scale])
      }
    } else {
      var pattern: UInt64 = 0
      for _ in 0..<count {
        pattern ^= try reader.readDifference()
        values.append(Double(bitPattern: pattern))
      }
    }
    return values
  }
}
