internal import HealthModel

/// The parts of a ride that FIT has beside the heart: places and values of records, sports, laps, and lengths of a pool.
struct FITRide {
  /// Fields of applications by their meaning, as their descriptions name them.
  private var developerFields: [DeveloperField: (base: FITProfile.Base, quantity: RideQuantity?, name: String)] = [:]
  /// The fields of records without a meaning here, with the number of their values.
  private var unread = [Int](repeating: 0, count: 256)
  private var unreadApplications: [String: Int] = [:]
  /// The length of the pool in metres, as soon as it is known.
  private(set) var hasLengths = false

  private struct DeveloperField: Hashable {
    var index: UInt8
    var number: UInt8
  }

  /// Quantities of records: the field, its scale and offset.
  private struct Column {
    var field: UInt8
    var quantity: RideQuantity
    var scale = 1.0
    var offset = 0.0
    /// The greatest number of the field that can be measured; devices write others for "none".
    var limits = -1e6...1e7
  }

  private static let columns: [Column] = [
    Column(field: 5, quantity: .distance, scale: 100, limits: 0...1e7),
    Column(field: 7, quantity: .power, limits: 0...10_000),
    Column(field: 13, quantity: .temperature, limits: -100...100),
    Column(field: 33, quantity: .energy, limits: 0...65_000),
    Column(field: 39, quantity: .verticalOscillation, scale: 10_000, limits: 0...2),
    Column(field: 41, quantity: .groundContact, scale: 10, limits: 0...5_000),
    Column(field: 85, quantity: .strideLength, scale: 10_000, limits: 0...5),
    Column(field: 139, quantity: .coreTemperature, scale: 100, limits: 20...50),
  ]
  /// Pairs of a finer field and the one that older devices have.
  private static let pairs: [(finer: Column, coarser: Column)] = [
    (
      Column(field: 73, quantity: .speed, scale: 1000, limits: 0...300),
      Column(field: 6, quantity: .speed, scale: 1000, limits: 0...300)
    ),
    (
      Column(field: 78, quantity: .altitude, scale: 5, offset: 500, limits: -12_000...100_000),
      Column(field: 2, quantity: .altitude, scale: 5, offset: 500, limits: -12_000...100_000)
    ),
    (
      Column(field: 108, quantity: .respiration, scale: 100, limits: 0...200),
      Column(field: 99, quantity: .respiration, limits: 0...200)
    ),
  ]

  private static func value(_ column: Column, of fields: FITFields) -> Double? {
    guard let number = fields.value(column.field) else { return nil }
    let value = number / column.scale - column.offset
    return column.limits.contains(value) ? value : nil
  }

  /// Takes the values of a record.
  mutating func takeRecord(_ fields: FITFields, at time: Timestamp, into elements: inout [ForeignElement]) {
    func add(_ quantity: RideQuantity, _ value: Double?) {
      if let value { elements.append(.quantity(quantity, value, time)) }
    }
    for column in Self.columns { add(column.quantity, Self.value(column, of: fields)) }
    var altitude: Double?
    var speed: Double?
    for pair in Self.pairs {
      let value = Self.value(pair.finer, of: fields) ?? Self.value(pair.coarser, of: fields)
      add(pair.finer.quantity, value)
      if pair.finer.quantity == .altitude { altitude = value }
      if pair.finer.quantity == .speed { speed = value }
    }
    if let exact = fields.value(52) {
      add(.cadence, exact / 256)
    } else if let cadence = fields.value(4) {
      add(.cadence, cadence + (fields.value(53) ?? 0) / 128)
    }
    if let place = Self.place(fields, 0, 1) {
      let location = RouteLocation(
        at: time, latitude: place.latitude, longitude: place.longitude, altitude: altitude,
        horizontalAccuracy: fields.value(31), speed: speed)
      elements.append(.location(location))
    }
    countUnread(fields)
    for field in fields.definition.developerFields {
      guard let known = developerFields[DeveloperField(index: field.base, number: field.number)] else { continue }
      guard let value = fields.value(field.number, ofDeveloper: field.base, known.base) else { continue }
      if let quantity = known.quantity { add(quantity, value) } else { countUnread(known.name) }
    }
  }

  /// A place in semicircles, of which there are 2^31 in half a circle.
  private static func place(_ fields: FITFields, _ latitude: UInt8, _ longitude: UInt8) -> (
    latitude: Double, longitude: Double
  )? {
    guard let north = fields.value(latitude), let east = fields.value(longitude) else { return nil }
    let degrees = 180 / 2_147_483_648.0
    // Receivers that have no place yet write the one in the Gulf of Guinea.
    return north == 0 && east == 0 ? nil : (north * degrees, east * degrees)
  }

  private mutating func countUnread(_ fields: FITFields) {
    for field in fields.definition.fields where FITNames.recordField(field.number) != nil {
      if fields.value(field.number) != nil { unread[Int(field.number)] += 1 }
    }
  }

  private mutating func countUnread(_ name: String) {
    if unreadApplications[name] != nil || unreadApplications.count < ReadingAccount.most {
      unreadApplications[name, default: 0] += 1
    }
  }

  /// Reports the values that were left out since the last call.
  mutating func report(to account: inout ReadingAccount) {
    for (number, count) in unread.enumerated() where count > 0 {
      if let name = FITNames.recordField(UInt8(number)) { account.leave(out: name, count) }
      unread[number] = 0
    }
    for (name, count) in unreadApplications { account.leave(out: "developer field \(name)", count) }
    unreadApplications = [:]
  }

  /// Takes the description of an application's field.
  mutating func takeDescription(_ fields: FITFields) {
    guard let index = fields.number(0), let number = fields.number(1), let type = fields.number(2),
      let base = FITProfile.Base(rawValue: UInt8(truncatingIfNeeded: type)), index < 256, number < 256
    else { return }
    let name = fields.text(3) ?? "\(number)"
    let isOfRecords = fields.number(14).map { $0 == UInt64(FITProfile.Message.record) } ?? true
    let native = isOfRecords ? fields.number(15) : nil
    developerFields[DeveloperField(index: UInt8(index), number: UInt8(number))] = (
      base, Self.quantity(native: native, name: name, unit: fields.text(8) ?? ""), String(name.prefix(60))
    )
  }

  /// The meaning of an application's field: of FIT's own field that it stands for, or a name that many use, in its unit.
  private static func quantity(native: UInt64?, name: String, unit: String) -> RideQuantity? {
    switch (native, name.lowercased(), unit.lowercased()) {
    case (7, _, _), (nil, "power", "watts"), (nil, "power", "w"): .power
    case (4, _, _), (nil, "cadence", "rpm"): .cadence
    case (139, _, _), (nil, "core_temperature", "°c"): .coreTemperature
    case (41, _, _): .groundContact
    case (108, _, _), (99, _, _): .respiration
    default: nil
    }
  }

  /// Whether the values of these fields of applications are read, or counted by name.
  func knows(_ definition: FITDefinition) -> Bool {
    definition.developerFields.allSatisfy {
      developerFields[DeveloperField(index: $0.base, number: $0.number)] != nil
    }
  }

  // MARK: Sessions, laps and lengths

  private static func moment(_ seconds: UInt64?) -> Timestamp? {
    guard let seconds, seconds >= FITClock.firstTime, seconds <= UInt32.max else { return nil }
    return Timestamp(microseconds: (Int64(seconds) + FITProfile.epoch) * 1_000_000)
  }

  /// The time of a session, lap or length: its start and its length in milliseconds.
  private static func span(_ fields: FITFields, elapsed: UInt8, _ written: Timestamp?) -> TimeSpan? {
    guard let start = moment(fields.number(2)) else { return nil }
    if let milliseconds = fields.number(elapsed), milliseconds <= UInt32.max {
      return TimeSpan(start: start, end: start.advanced(byMicroseconds: Int64(milliseconds) * 1000))
    }
    return written.flatMap { TimeSpan(start: start, end: $0) }
  }

  /// Takes a session: one sport of a ride.
  func takeSession(_ fields: FITFields, _ written: Timestamp?, into elements: inout [ForeignElement]) {
    let kind = fields.number(5).flatMap { FITSports.kind($0, fields.number(6)) }
    if let kind { elements.append(.activity(kind.activity)) }
    var part = RidePart(kind: kind, span: Self.span(fields, elapsed: 7, written))
    part.name = fields.text(110)
    part.distance = fields.value(9).map { $0 / 100 }
    part.energy = fields.value(11)
    part.poolLength = fields.value(44).map { $0 / 100 }
    elements.append(.part(part))
  }

  func takeLap(_ fields: FITFields, _ written: Timestamp?, into elements: inout [ForeignElement]) {
    guard let span = Self.span(fields, elapsed: 7, written) else { return }
    elements.append(.stretch(RideStretch(kind: .lap, span: span)))
  }

  /// Takes a length of a pool.
  func takeLength(_ fields: FITFields, _ written: Timestamp?, into elements: inout [ForeignElement]) {
    guard let span = Self.span(fields, elapsed: 3, written) else { return }
    // Rest at the wall stands between lengths as an idle one.
    guard fields.number(12) != 0 else { return }
    elements.append(
      .stretch(RideStretch(kind: .length, span: span, strokes: fields.value(5), stroke: fields.number(7))))
  }
}

/// Beats that a strap stored by itself, under water: messages `hr` (FIT profile, message 132).
///
/// A message with a time says when its first event was; the others count on in 1/1024 s, in twelve bits that go over every 4 s.
struct FITStoredBeats {
  private static let perSecond: Int64 = 1024

  /// The moment of the counter's zero.
  private var origin: Timestamp?
  /// The last event of the counter.
  private var counter: Int64?
  /// The last beat, in ticks since the origin of the file's first anchor.
  private var lastBeat: Int64?
  private var isBegun = false

  mutating func take(_ fields: FITFields, _ account: inout ReadingAccount, into elements: inout [ForeignElement]) {
    let rates = fields.bytes(6)
    let full = fields.numbers(9).map { Int64(clamping: $0) }
    if let seconds = fields.number(253), seconds >= FITClock.firstTime, seconds <= UInt32.max, let first = full.first {
      anchor(seconds, fields, first, into: &elements)
    }
    guard origin != nil else {
      let count = max(full.count, fields.bytes(10).count * 2 / 3)
      return account.leave(out: "beat of a counter whose time is not known", max(1, count))
    }
    var events = full
    if let last = full.last { counter = last }
    events += shortEvents(fields.bytes(10), rates)
    for (place, event) in events.enumerated() {
      let bytes = rates.dropFirst(place)
      take(event, rate: bytes.first ?? 0xFF, &account, into: &elements)
    }
  }

  /// Sets the moment of the counter's zero. A later anchor counts only where the counter has begun anew.
  private mutating func anchor(
    _ seconds: UInt64, _ fields: FITFields, _ first: Int64, into elements: inout [ForeignElement]
  ) {
    let fraction =
      fields.number(0).map { Int64(min($0, 32_768)) * 1_000_000 / 32_768 }
      ?? fields.number(1).map { Int64(min($0, 256)) * 1_000_000 / 256 } ?? 0
    let time = Timestamp(microseconds: (Int64(seconds) + FITProfile.epoch) * 1_000_000 + fraction)
    let since = first * 1_000_000 / Self.perSecond
    if let origin, let counter, first >= counter,
      abs(time.microseconds(since: origin) - since) < 10_000_000
    {
      return
    }
    origin = time.advanced(byMicroseconds: -since)
    (counter, lastBeat) = (nil, nil)
    // The builder of beats counts from one moment.
    if !isBegun { elements.append(.ticks(perSecond: Int32(Self.perSecond), from: origin)) }
    if isBegun { elements.append(.origin(origin ?? time)) }
    isBegun = true
  }

  /// The events of twelve bits each, the lower ones first.
  private mutating func shortEvents(_ bytes: ArraySlice<UInt8>, _ rates: ArraySlice<UInt8>) -> [Int64] {
    guard var last = counter else { return [] }
    let bytes = Array(bytes)
    var events: [Int64] = []
    for place in 0..<(bytes.count * 2 / 3) {
      let start = place * 3 / 2
      let low = Int64(bytes[start])
      let next = Int64(bytes[start + 1])
      let short = place % 2 == 0 ? low | (next & 0x0F) << 8 : low >> 4 | next << 4
      // Ones to the end fill a message that is not full.
      if short == 0xFFF, rates.dropFirst(place).first ?? 0xFF == 0xFF { break }
      last += (short - last) & 0xFFF
      events.append(last)
    }
    counter = last
    return events
  }

  private mutating func take(
    _ event: Int64, rate: UInt8, _ account: inout ReadingAccount, into elements: inout [ForeignElement]
  ) {
    if let origin, rate > 0, rate < 0xFF {
      elements.append(.storedRate(origin.advanced(byTicks: event, perSecond: Self.perSecond), UInt16(rate)))
    }
    guard let last = lastBeat else {
      lastBeat = event
      return elements.append(.firstBeat(event, []))
    }
    let ticks = event - last
    // A message may repeat the event before it.
    guard ticks > 0 else {
      if ticks < 0 { account.leave(out: "beat out of order") }
      return
    }
    lastBeat = event
    if ticks * 1000 <= IntervalLimits.mostMilliseconds * Self.perSecond {
      elements.append(.nextBeat(UInt32(ticks), []))
    } else {
      elements.append(.firstBeat(event, []))
    }
  }
}
