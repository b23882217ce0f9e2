internal import ArgumentParser
internal import Centre
internal import FoundationEssentials
internal import HealthModel
internal import PostgreSQL
internal import SeriesStore

struct VerifyCommand: ParsableCommand, ForwardAction {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Compare what the store has with what the centre has; 1 where they differ.",
    discussion:
      "Objects by the digests of their rows, the rows at the centre by number, packed values by their own checksums.")

  @OptionGroup var place: Place
  @Flag(help: "As JSON.") var json = false

  func perform(isolation: isolated (any Actor)? = #isolation) async throws {
    let (settings, password) = try place.load()
    let store = try Place.open(settings)
    var database = try Forwarder.connect(settings, password: password)
    let beginning = try await Forwarder.store { try await store.history(after: .start, limit: 1) }
    let gateway: [Field] = [.text(settings.user), .text(beginning.store.text)]
    let found = try Self.rows(
      "SELECT history, anchor, sent FROM sensord_gateway WHERE gateway = $1 AND store = $2::uuid ORDER BY history DESC LIMIT 1",
      gateway, &database)
    guard let place = found.first, let history = Int64(place[0] ?? ""), let sent = Int64(place[2] ?? "") else {
      throw ForwardFailure(.noInput, "the centre has nothing of this store yet; 'sensord-forward run' forwards it")
    }
    let objects = CentreObjects(
      copy: CentreCopy(gateway: settings.user, store: beginning.store, history: history), persons: settings.persons)
    // One state of the centre, whatever else is forwarded meanwhile.
    _ = try Self.rows("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", [], &database)
    var local: [UUID: [UInt8]] = [:]
    var saved: [UUID: CentreObject] = [:]
    var expected: [String: Int] = [:]
    var anchor = ChangeAnchor.start
    var last: Int64 = 0
    var waiting = 0
    while true {
      let from = anchor
      let part = try await Forwarder.store { try await store.history(after: from, limit: 200) }
      last = part.last
      for change in part.changes {
        guard change.number <= sent else {
          waiting += 1
          continue
        }
        do throws(StoreError) {
          guard let object = try objects.object(change) else { continue }
          local[object.id] = object.digest
          saved[object.id] = CentreObject(
            id: object.id, isSession: object.isSession, session: object.session, change: object.change)
          for row in object.rows { expected[row.table.fullName + " " + object.id.text, default: 0] += 1 }
        } catch { throw ForwardFailure(error) }
      }
      anchor = part.anchor
      guard part.hasMore else { break }
    }
    var centre: [UUID: [UInt8]] = [:]
    for table in [CentreTable.session, .sample] {
      let rows = try Self.rows(
        "SELECT id, digest FROM \(table.fullName) WHERE gateway = $1 AND store = $2::uuid", gateway, &database)
      for row in rows { if let id = UUID(uuidString: row[0] ?? "") { centre[id] = Transfer.bytes(row[1]) } }
    }
    var latest: [UUID: Int64] = [:]
    for row in try Self.rows(
      """
      SELECT object, history, number FROM sensord_tombstone AS gone WHERE gateway = $1 AND store = $2::uuid
        AND \(Transfer.isLast)
      """, gateway, &database)
    {
      guard let id = UUID(uuidString: row[0] ?? ""), let number = Int64(row[2] ?? "") else { continue }
      latest[id] = max(latest[id] ?? 0, row[1] == "\(history)" ? number : Int64.max)
    }
    let tombstones = Set(saved.values.filter { $0.isHidden(by: latest) }.map(\.id))
    let comparison = Comparison(store: local, centre: centre, tombstones: tombstones)
    let counts = try countRows(of: expected, present: centre, &database)
    let damaged =
      try Self.rows(
        "SELECT count(*) FROM sensord_chunk WHERE gateway = $1 AND sha256(payload) <> sha256", [.text(settings.user)],
        &database
      ).first?[0] ?? "0"
    let attachments = try await Forwarder.store { try await store.allAttachments() }
    let files = try compareFiles(
      attachments.filter { centre[$0.object] != nil && local[$0.object] != nil }, present: centre, gateway, &database)
    let isEqual = comparison.isEqual && counts == 0 && files == 0 && damaged == "0"
    report(comparison, rows: counts, files: files, damaged: damaged, waiting: waiting, last: last)
    guard isEqual else {
      throw ForwardFailure(.different, "the centre differs from the store; what is missing there can be forwarded anew")
    }
  }

  /// How many objects have another number of rows in a table at the centre than in the store.
  private func countRows(
    of expected: [String: Int], present: [UUID: [UInt8]], _ database: inout Database
  ) throws -> Int {
    var found: [String: Int] = [:]
    for table in CentreTable.parts {
      // Of objects of this store only: a gateway may have had others.
      for row in try Self.rows("SELECT owner, count(*) FROM \(table.fullName) GROUP BY owner", [], &database) {
        guard let id = UUID(uuidString: row[0] ?? ""), present[id] != nil else { continue }
        found[table.fullName + " " + id.text] = Int(row[1] ?? "")
      }
    }
    let own = [CentreTable.session, .sample].map { $0.fullName + " " }
    let relevant = expected.filter { entry in
      guard !own.contains(where: { entry.key.hasPrefix($0) }) else { return false }
      return entry.key.split(separator: " ").last.flatMap { UUID(uuidString: String($0)) }.map { present[$0] != nil }
        ?? false
    }
    return relevant.filter { found[$0.key] != $0.value }.count + found.keys.filter { expected[$0] == nil }.count
  }

  /// How many files are on one side only, or damaged at the centre; not those of samples that are on one side only.
  private func compareFiles(
    _ attachments: [Attachment], present: [UUID: [UInt8]], _ gateway: [Field], _ database: inout Database
  ) throws -> Int {
    let found = try Self.rows(
      """
      SELECT owner, file, CASE WHEN bool_and(sha256(payload) = sha256) THEN sum(octet_length(payload)) ELSE -1 END
      FROM sensord_attachment WHERE gateway = $1 GROUP BY person, time, owner, file
      """, [gateway[0]], &database
    ).filter { row in UUID(uuidString: row[0] ?? "").map { present[$0] != nil } ?? false }
    let sizes = Dictionary(
      attachments.map { ("\($0.object.text) \($0.digest)", "\($0.size)") }, uniquingKeysWith: { first, _ in first })
    let centre = Dictionary(
      found.map { ("\($0[0] ?? "") \($0[1]?.dropFirst(2) ?? "")", $0[2] ?? "") }, uniquingKeysWith: { _, _ in "" })
    return Set(sizes.keys).union(centre.keys).filter { sizes[$0] != centre[$0] }.count
  }

  private func report(_ comparison: Comparison, rows: Int, files: Int, damaged: String, waiting: Int, last: Int64) {
    if json {
      Terminal.printObject([
        ("equal", "\(comparison.equal)"), ("missing", "\(comparison.missing.count)"),
        ("extra", "\(comparison.extra.count)"), ("different", "\(comparison.different.count)"),
        ("deletedAtCentre", "\(comparison.deleted)"), ("otherRows", "\(rows)"), ("otherFiles", "\(files)"),
        ("damagedChunks", damaged),
        ("waiting", "\(waiting)"), ("last", "\(last)"),
      ])
      return
    }
    Terminal.print(
      "\(comparison.equal) objects are the same on both sides; \(comparison.deleted) were deleted at the centre.")
    if waiting > 0 { Terminal.print("\(waiting) changes are not forwarded yet.") }
    for (name, objects) in [
      ("missing at the centre", comparison.missing), ("not in the store", comparison.extra),
      ("different", comparison.different),
    ] where !objects.isEmpty {
      Terminal.print("\(objects.count) \(name): \(objects.prefix(5).map(\.text).joined(separator: ", "))")
    }
    if rows > 0 { Terminal.print("\(rows) lists of rows have another length at the centre.") }
    if files > 0 { Terminal.print("\(files) files of attachments are not the same on both sides.") }
    if damaged != "0" { Terminal.print("\(damaged) packed chunks at the centre are not what their checksums say.") }
  }

  static func rows(_ statement: String, _ fields: [Field], _ database: inout Database) throws -> [[String?]] {
    try Forwarder.centre(&database) { (database) throws(DatabaseFailure) in try database.run(statement, fields) }.rows
  }
}
