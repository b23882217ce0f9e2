import FoundationEssentials
import HealthModel

extension StoreFile {
  /// All sessions that can be read, oldest first, and what is damaged of the others.
  func sessions() throws(StoreError) -> (readable: [SessionSummary], damages: [StoreDamage]) {
    try connection.snapshot { () throws(StoreError) in
      do throws(StoreError) {
        return (try summaries(where: "1 ORDER BY session.start, session.id", argument: nil), [])
      } catch {
        guard error.isCorrupt else { throw error }
        return try readableSessions()
      }
    }
  }

  /// One session after the other, so that none that is damaged hides another.
  private func readableSessions() throws(StoreError) -> (readable: [SessionSummary], damages: [StoreDamage]) {
    var damages: [StoreDamage] = []
    var rows: [Int64] = []
    do throws(StoreError) {
      // The index by start alone: it is read where the table's own pages are damaged.
      var statement = try connection.prepare("SELECT id FROM session ORDER BY start, id")
      while try statement.step() { rows.append(statement.integer(0)) }
    } catch {
      guard error.isCorrupt else { throw error }
      damages.append(StoreDamage(object: "database", problem: "not all sessions can be found"))
    }
    var readable: [SessionSummary] = []
    for row in rows {
      do throws(StoreError) {
        readable += try summaries(where: "session.id = \(row)", argument: nil)
      } catch {
        guard error.isCorrupt else { throw error }
        damages.append(StoreDamage(object: "session row \(row)", problem: "it cannot be read"))
      }
    }
    return (readable, damages)
  }

  /// The session that a person means; see ``HealthStore/session(_:)``.
  func session(named name: String) throws(StoreError) -> SessionSummary {
    guard let sessionName = SessionName(name) else {
      throw StoreError(
        .notFound,
        "\(Self.quoted(name)) names no session: give \(SessionName.fewestDigits) to 32 digits of its identifier, or last"
      )
    }
    let found = try connection.snapshot { () throws(StoreError) in
      switch sessionName {
      case .last: try summaries(where: "1 ORDER BY session.start DESC, session.id DESC LIMIT 1", argument: nil)
      case .beginning(let digits):
        try summaries(
          where: "substr(hex(session.uuid), 1, length(?1)) = ?1 ORDER BY session.start LIMIT 2", argument: digits)
      }
    }
    guard let session = found.first else {
      throw StoreError(
        .notFound,
        sessionName == .last
          ? "there is no session yet" : "there is no session \(Self.quoted(name)); 'sensord sessions' lists them")
    }
    guard found.count == 1 else {
      throw StoreError(.ambiguous, "several sessions begin with \(Self.quoted(name)); give more of the identifier")
    }
    return session
  }

  /// A name as a person gave it, fit for one line.
  static func quoted(_ name: String) -> String {
    let printable = name.unicodeScalars.prefix(40).map { $0.value >= 0x20 && $0.value < 0x7F ? Character($0) : "?" }
    return "'\(String(printable))'"
  }

  private func summaries(where condition: String, argument: String?) throws(StoreError) -> [SessionSummary] {
    var statement = try connection.prepare(
      """
      SELECT session.id, session.uuid, session.sync_version, session.start, session.end, session.end_reason,
        session.coverage_floor, session.coverage_ceiling, session.sdnn, session.rmssd, session.pnn50,
        rate.count, rate.average, rate.minimum, rate.maximum, rate.most_recent, rate.most_recent_start,
        beat.count, beat.gaps, (SELECT count(*) FROM run WHERE run.sample = beat.id),
        (SELECT count(*) FROM gap WHERE gap.session = session.id),
        \(Self.deviceColumns), \(Self.sourceColumns)
      FROM session
        LEFT JOIN device ON device.id = session.device
        LEFT JOIN source ON source.id = session.source
        LEFT JOIN sample AS rate ON rate.session = session.id
          AND rate.type IN (SELECT id FROM type WHERE identifier = 'heartRate')
        LEFT JOIN sample AS beat ON beat.session = session.id
          AND beat.type IN (SELECT id FROM type WHERE identifier = 'heartbeatSeries')
      WHERE \(condition)
      """)
    if let argument { try statement.bind(argument, at: 1) }
    var summaries: [SessionSummary] = []
    while try statement.step() {
      let row = statement.integer(0)
      guard let id = UUID(bytes: statement.bytes(1)) else {
        throw StoreError(.corrupt(object: "session \(row)"), "session \(row) in \(path) has no identifier: run a check")
      }
      let coverage = statement.optionalReal(6).flatMap { floor in
        statement.optionalReal(7).map { Coverage(floor: floor, ceiling: $0) }
      }
      summaries.append(
        SessionSummary(
          id: id, syncVersion: statement.integer(2), device: Self.device(in: statement, from: 21),
          source: Self.source(in: statement, from: 29), start: Timestamp(microseconds: statement.integer(3)),
          end: Timestamp(microseconds: statement.integer(4)), endReason: statement.text(5) ?? "",
          metadata: try metadata(of: row, kind: .session), quality: try metadata(of: row, kind: .quality),
          heartRate: HeartRateSummary(
            count: Int(statement.integer(11)), average: statement.optionalReal(12),
            minimum: statement.optionalReal(13), maximum: statement.optionalReal(14),
            mostRecent: statement.optionalReal(15),
            mostRecentTime: statement.optionalInteger(16).map(Timestamp.init(microseconds:))),
          heartbeats: HeartbeatSummary(
            count: Int(statement.integer(17)), gaps: Int(statement.integer(18)), runs: Int(statement.integer(19))),
          gapCount: Int(statement.integer(20)), coverage: coverage,
          variability: HeartRateVariabilitySummary(
            sdnnMilliseconds: statement.optionalReal(8), rmssdMilliseconds: statement.optionalReal(9),
            pnn50: statement.optionalReal(10))))
    }
    return summaries
  }

  /// The gaps of a session in order.
  func gaps(of session: UUID) throws(StoreError) -> [RecordingGap] {
    try connection.snapshot { () throws(StoreError) in
      let row = try existingRow(of: session)
      var statement = try connection.prepare(
        "SELECT reason, detail, start, end, lost FROM gap WHERE session = ?1 ORDER BY ordinal")
      try statement.bind(row, at: 1)
      var gaps: [RecordingGap] = []
      while try statement.step() {
        gaps.append(
          RecordingGap(
            reason: statement.text(0) ?? "", detail: statement.text(1),
            start: Timestamp(microseconds: statement.integer(2)), end: Timestamp(microseconds: statement.integer(3)),
            estimatedLostBeats: statement.optionalReal(4)))
      }
      return gaps
    }
  }

  func existingRow(of session: UUID) throws(StoreError) -> Int64 {
    guard let row = try row(of: session) else {
      throw StoreError(.notFound, "there is no session \(session.uuidString.lowercased())")
    }
    return row.id
  }
}
