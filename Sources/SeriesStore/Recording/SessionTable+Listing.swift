package import FoundationEssentials
import HealthModel

extension SessionTable {
  /// All readable sessions, oldest first, and the damages of the others.
  func all() throws(StoreError) -> (readable: [SessionSummary], damages: [StoreDamage]) {
    do throws(StoreError) {
      return (try summaries(where: "1 ORDER BY session.start, session.id", argument: nil), [])
    } catch {
      guard error.isCorrupt else { throw error }
      return try readable()
    }
  }

  /// Reads one session after the other, so that a damaged one hides no other.
  private func readable() throws(StoreError) -> (readable: [SessionSummary], damages: [StoreDamage]) {
    var damages: [StoreDamage] = []
    var rows: [Int64] = []
    do throws(StoreError) {
      // Uses the index by start alone, which can be read even if pages of the table are damaged.
      var statement = try connection.prepare("SELECT id FROM sessions ORDER BY start, id")
      while try statement.step() { rows.append(statement.integer(0)) }
    } catch {
      guard error.isCorrupt else { throw error }
      damages.append(StoreDamage(object: "database", problem: "not all sessions can be found"))
    }
    var readable: [SessionSummary] = []
    for row in rows {
      do throws(StoreError) {
        readable += try summary(ofRow: row)
      } catch {
        guard error.isCorrupt else { throw error }
        damages.append(StoreDamage(object: "session row \(row)", problem: "it cannot be read"))
      }
    }
    return (readable, damages)
  }

  /// The session that matches a person's name for it; see ``HealthStore/session(_:)``.
  func session(named name: String) throws(StoreError) -> SessionSummary {
    guard let sessionName = SessionName(name) else {
      throw StoreError(
        .notFound,
        "\(SessionName.quoted(name)) names no session: give \(SessionName.fewestDigits) to 32 digits of its identifier, or last"
      )
    }
    let found =
      switch sessionName {
      case .last:
        try summaries(
          where: "rate.count > 0 OR beat.count > 0 ORDER BY session.start DESC, session.id DESC LIMIT 1", argument: nil)
      case .beginning(let digits):
        try summaries(
          where: "substr(hex(change.uuid), 1, length(?1)) = ?1 ORDER BY session.start LIMIT 2", argument: .text(digits))
      }
    guard let session = found.first else {
      throw StoreError(
        .notFound,
        sessionName == .last
          ? "there is no session with values yet"
          : "there is no session \(SessionName.quoted(name)); 'sensord sessions' lists them")
    }
    guard found.count == 1 else {
      throw StoreError(
        .ambiguous, "several sessions begin with \(SessionName.quoted(name)); give more of the identifier")
    }
    return session
  }

  /// The session in a row, as an array; empty if there is none.
  func summary(ofRow row: Int64) throws(StoreError) -> [SessionSummary] {
    try summaries(where: "session.id = ?1", argument: .integer(row))
  }

  private func summaries(where condition: String, argument: SQLValue?) throws(StoreError) -> [SessionSummary] {
    var statement = try connection.prepare(
      """
      SELECT session.id, change.uuid, session.sync_version, session.start, session.end, session.end_reason,
        session.coverage_floor, session.coverage_ceiling,
        rate.count, rate.average, rate.minimum, rate.maximum, rate.most_recent, rate.most_recent_start,
        beat.count, series.gaps, (SELECT count(*) FROM runs WHERE runs.sample = beat.id),
        (SELECT count(*) FROM gaps WHERE gaps.session = session.id),
        \(ProvenanceTables.deviceColumns), \(ProvenanceTables.sourceColumns)
      FROM sessions AS session
        LEFT JOIN changes AS change ON change.number = session.id
        LEFT JOIN devices AS device ON device.id = session.device
        LEFT JOIN sources AS source ON source.id = session.source
        LEFT JOIN samples AS rate ON rate.session = session.id
          AND rate.type IN (SELECT id FROM types WHERE identifier = 'heartRate')
        LEFT JOIN samples AS beat ON beat.session = session.id
          AND beat.type IN (SELECT id FROM types WHERE identifier = 'heartbeatSeries')
        LEFT JOIN heartbeat_series AS series ON series.sample = beat.id
      WHERE \(condition)
      """)
    if let argument { try statement.bind(argument, at: 1) }
    var summaries: [SessionSummary] = []
    while try statement.step() {
      let row = statement.integer(0)
      guard let id = UUID(bytes: statement.bytes(1)) else {
        throw StoreError(
          .corrupt(object: "session \(row)"), "session \(row) in \(connection.path) has no identifier: run a check")
      }
      let coverage = statement.optionalReal(6).flatMap { floor in
        statement.optionalReal(7).map { Coverage(floor: floor, ceiling: $0) }
      }
      summaries.append(
        SessionSummary(
          id: id, syncVersion: statement.integer(2), device: ProvenanceTables.device(in: statement, from: 18),
          source: ProvenanceTables.source(in: statement, from: 26),
          start: Timestamp(microseconds: statement.integer(3)),
          end: Timestamp(microseconds: statement.integer(4)), endReason: statement.text(5) ?? "",
          metadata: try connection.metadata.values(of: row),
          quality: try connection.metadata.quality(ofSession: row),
          heartRate: HeartRateSummary(
            count: Int(statement.integer(8)), average: statement.optionalReal(9),
            minimum: statement.optionalReal(10), maximum: statement.optionalReal(11),
            mostRecent: statement.optionalReal(12),
            mostRecentTime: statement.optionalInteger(13).map(Timestamp.init(microseconds:))),
          heartbeats: HeartbeatSummary(
            count: Int(statement.integer(14)), gaps: Int(statement.integer(15)), runs: Int(statement.integer(16))),
          gapCount: Int(statement.integer(17)), coverage: coverage,
          variability: try variability(of: row)))
    }
    return summaries
  }

  /// The figures of a session, which are samples of their types.
  private func variability(of session: Int64) throws(StoreError) -> HeartRateVariabilitySummary {
    var statement = try connection.prepare(
      """
      SELECT type.identifier, sample.average FROM samples AS sample JOIN types AS type ON type.id = sample.type
      WHERE sample.session = ?1 AND sample.count = 1
      """)
    try statement.bind(session, at: 1)
    var variability = HeartRateVariabilitySummary()
    while try statement.step() {
      guard let figure = SessionFigure.all.first(where: { $0.type.identifier == statement.text(0) }) else { continue }
      variability[keyPath: figure.value] = statement.optionalReal(1)
    }
    return variability
  }
}

/// The name by which a person refers to a session: `last`, or the first digits of its identifier in either case, with or
/// without the hyphens of RFC 9562. The same rule holds for every command and for the library.
package enum SessionName: Hashable, Sendable {
  /// The session that started last, of those that have rates or beats.
  case last
  /// The first digits of the identifier: 4 to 32 hexadecimal digits in upper case.
  case beginning(String)

  /// The fewest digits of a name: a shorter one could match a session by chance.
  package static let fewestDigits = 4

  /// Parses `text`; nil if it cannot name a session.
  package init?(_ text: String) {
    guard text != "last" else {
      self = .last
      return
    }
    let digits = text.uppercased().filter { $0 != "-" }
    guard (Self.fewestDigits...32).contains(digits.utf8.count), digits.utf8.allSatisfy(Self.isHexadecimal) else {
      return nil
    }
    self = .beginning(digits)
  }

  /// Whether the identifier begins with the digits; false for `last`.
  package func matches(_ id: UUID) -> Bool {
    guard case .beginning(let digits) = self else { return false }
    return id.uuidString.filter { $0 != "-" }.hasPrefix(digits)
  }

  private static func isHexadecimal(_ digit: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(digit) || (UInt8(ascii: "A")...UInt8(ascii: "F")).contains(digit)
  }

  /// A name as a person gave it, on one line.
  static func quoted(_ name: String) -> String {
    let printable = name.unicodeScalars.prefix(40).map { $0.value >= 0x20 && $0.value < 0x7F ? Character($0) : "?" }
    return "'\(String(printable))'"
  }
}
