import FoundationEssentials
import HealthModel

/// An iteration over the rows of an unpacked table: sample by sample, each unpacked when it is reached.
final class UnpackedCursor {
  private let table: UnpackedTable
  private unowned let connection: Connection
  private var owners: [Owner] = []
  private var nextOwner = 0
  private var content = Content.quantities(QuantityChunk())
  private var position = 0
  private var count = 0
  /// The number of the row in this iteration.
  private(set) var row: Int64 = 0

  /// A sample with the columns that are the same in all its rows.
  private struct Owner {
    var number: Int64
    var count: Int
    var start: Timestamp
    var sample: String
    var session: SQLValue
    var type: String
    var unit: String
    var source: String
    var device: SQLValue
  }

  private enum Content {
    case quantities(QuantityChunk, energies: [Int: UInt16] = [:])
    case beats([HeartbeatSeries.LocatedBeat], timescale: Int32)
    case locations([RouteLocation])
  }

  init(_ table: UnpackedTable, on connection: Connection) {
    self.table = table
    unowned let connection = connection
    self.connection = connection
  }

  var isAtEnd: Bool { position >= count }

  /// Moves to the first row of the requested samples. Bit 1 of `isRestricted` is for the session, bit 2 for the sample,
  /// since a comparison with NULL is never true.
  func begin(session: String?, sample: String?, isRestricted: Int32) throws(StoreError) {
    owners = []
    nextOwner = 0
    position = 0
    count = 0
    row = 0
    let isImpossible = isRestricted & 1 != 0 && session == nil || isRestricted & 2 != 0 && sample == nil
    guard !isImpossible else { return }
    let kind =
      switch table {
      case .rates: "type.identifier = 'heartRate' AND type.kind = 'quantity'"
      case .beats: "type.kind = 'heartbeatSeries'"
      case .quantities: "type.kind = 'quantity'"
      case .locations: "type.kind = 'workoutRoute'"
      }
    var statement = try connection.prepare(
      """
      SELECT sample.id, sample.count, sample.start, lower(hex(change.uuid)), lower(hex(session.uuid)),
        type.identifier, type.unit, source.identifier, ifnull(device.local_identifier, device.name),
        session.uuid IS NULL
      FROM \(SampleReader.tables)
      WHERE \(kind) AND (?1 IS NULL OR lower(hex(session.uuid)) = ?1) AND (?2 IS NULL OR lower(hex(change.uuid)) = ?2)
      ORDER BY sample.start, sample.id
      """)
    try statement.bind(session, at: 1)
    try statement.bind(sample, at: 2)
    while try statement.step() {
      owners.append(
        Owner(
          number: statement.integer(0), count: Int(clamping: max(0, statement.integer(1))),
          start: Timestamp(microseconds: statement.integer(2)), sample: statement.text(3) ?? "",
          session: statement.integer(9) != 0 ? .null : .text(statement.text(4) ?? ""), type: statement.text(5) ?? "",
          unit: statement.text(6) ?? "", source: statement.text(7) ?? "", device: SQLValue(statement.text(8))))
    }
    try unpackNext()
  }

  func advance() throws(StoreError) {
    position += 1
    row += 1
    if isAtEnd { try unpackNext() }
  }

  /// Unpacks the next sample that has rows.
  private func unpackNext() throws(StoreError) {
    while isAtEnd, nextOwner < owners.count {
      let owner = owners[nextOwner]
      nextOwner += 1
      position = 0
      let object = "sample \(owner.sample)"
      switch table {
      case .beats:
        let series = try connection.heartbeatSeries.series(
          of: owner.number, count: owner.count, start: owner.start, object: object)
        let beats = Array(series.locatedBeats)
        content = .beats(beats, timescale: series.timescale)
        count = beats.count
      case .locations:
        let locations = try WorkoutRouteContent.locations(
          of: owner.number, count: owner.count, object: object, in: connection)
        content = .locations(locations)
        count = locations.count
      case .rates, .quantities:
        let chunk = try connection.quantitySeries.quantities(of: owner.number, count: owner.count, object: object)
        content = .quantities(
          chunk,
          energies: Dictionary(
            chunk.energies.map { ($0.index, $0.kilojoules) }, uniquingKeysWith: { first, _ in first }))
        count = chunk.times.count
      }
    }
  }

  /// The value of a column in the present row.
  func value(_ column: Int32) -> SQLValue {
    guard !isAtEnd, nextOwner > 0 else { return .null }
    let owner = owners[nextOwner - 1]
    if column == table.sessionColumn { return owner.session }
    if column == table.sampleColumn { return .text(owner.sample) }
    switch content {
    case .beats(let beats, let timescale): return Self.value(column, of: beats[position], timescale)
    case .locations(let locations): return Self.value(column, of: locations[position])
    case .quantities(let chunk, let energies):
      return table == .rates ? rate(column, chunk, energies) : quantity(column, chunk, owner)
    }
  }

  private static func value(_ column: Int32, of location: RouteLocation) -> SQLValue {
    switch column {
    case 0: .text(location.time.iso8601(fractionDigits: 6))
    case 1: .real(location.latitude)
    case 2: .real(location.longitude)
    case 3: SQLValue(location.altitude)
    case 4: SQLValue(location.horizontalAccuracy)
    case 5: SQLValue(location.verticalAccuracy)
    case 6: SQLValue(location.speed)
    case 7: SQLValue(location.course)
    default: .integer(location.time.microseconds)
    }
  }

  private func rate(_ column: Int32, _ chunk: QuantityChunk, _ energies: [Int: UInt16]) -> SQLValue {
    let time = chunk.times[position]
    switch column {
    case 0: return .text(Timestamp(microseconds: time).iso8601(fractionDigits: 3))
    case 1:
      let value = chunk.values[position]
      return Int64(exactly: value).map { .integer($0) } ?? .real(value)
    case 2:
      let contact = chunk.contacts.isEmpty ? .notSupported : SensorContact(rawValue: chunk.contacts[position])
      return contact.map { .text("\($0)") } ?? .null
    case 3: return energies[position].map { .integer(Int64($0)) } ?? .null
    default: return .integer(time)
    }
  }

  private func quantity(_ column: Int32, _ chunk: QuantityChunk, _ owner: Owner) -> SQLValue {
    let start = chunk.times[position]
    let end = start &+ (chunk.durations.isEmpty ? 0 : chunk.durations[position])
    return switch column {
    case 0: .text(Timestamp(microseconds: start).iso8601(fractionDigits: 6))
    case 1: .text(Timestamp(microseconds: end).iso8601(fractionDigits: 6))
    case 2: .real(chunk.values[position])
    case 3: .text(owner.unit)
    case 4: .text(owner.type)
    case 5: .text(owner.source)
    case 6: owner.device
    case 7: .integer(start)
    default: .integer(end)
    }
  }

  private static func value(
    _ column: Int32, of located: HeartbeatSeries.LocatedBeat, _ timescale: Int32
  ) -> SQLValue {
    let beat = located.beat
    return switch column {
    case 0: .text(located.time.iso8601(fractionDigits: 6))
    case 1: .integer(Int64(located.run))
    case 2: .integer(Int64(located.index))
    case 3: .integer(Int64(beat.rrTicks))
    case 4: .real(Double(beat.rrTicks) * 1000 / Double(timescale))
    case 5: .integer(beat.precededByGap ? 1 : 0)
    case 6: .text(beat.flags.names.joined(separator: "+"))
    default: .integer(located.time.microseconds)
    }
  }
}
