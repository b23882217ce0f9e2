internal import ArgumentParser
internal import Centre
internal import FoundationEssentials
internal import HealthModel
internal import SeriesStore

struct VerifyCommand: ParsableCommand, ForwardAction {
  static let configuration = CommandConfiguration(
    commandName: "verify", abstract: "Compare what the store has with what the centre has; 1 where they differ.",
    discussion:
      """
      Each object by its digest and each of its rows, value by value; packed values and files by checksums of what is there now. What is \
      not forwarded yet is counted and no difference.
      """)

  @OptionGroup var place: Place
  @Flag(help: "As JSON.") var json = false

  func perform(isolation: isolated (any Actor)? = #isolation) async throws {
    let (settings, password) = try place.load()
    let store = try Place.open(settings)
    var database = try Forwarder.connect(settings, password: password)
    // One state of the centre, whatever else is forwarded meanwhile. The store is compared up to where that state is.
    _ = try Self.rows("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", [], [], &database)
    let beginning = try await Forwarder.store { try await store.history(after: .start, limit: 1) }
    let gateway: [Field] = [.text(settings.user)]
    let list = try Forwarder.centre(&database) { (database) throws(DatabaseFailure) in
      try LineList(of: settings.user, in: &database)
    }
    guard let own = try await list.own(of: store, identity: beginning.store, in: &database) else {
      throw ForwardFailure(
        .noInput,
        list.latest(of: beginning.store) == nil
          ? "the centre has nothing of this store yet; 'sensord-forward run' forwards it"
          : "the centre has nothing of this copy of the store yet; 'sensord-forward run' forwards it")
    }
    let (lines, sent) = (list.lines(seenBy: own.line), own.sent)
    let centre = try CentreRows(of: settings.user, in: &database)
    let objects = CentreObjects(
      copy: CentreCopy(gateway: settings.user, store: beginning.store, history: own.line.history),
      persons: settings.persons)
    var side = StoreSide()
    var counts = Counts()
    var anchor = ChangeAnchor.start
    while true {
      let from = anchor
      let part = try await Forwarder.store { try await store.history(after: from, limit: 200) }
      counts.last = part.last
      var same: [(object: CentreObject, references: [CentreObject.Row])] = []
      for change in part.changes {
        guard change.number <= sent else {
          counts.waiting += 1
          side.waiting.insert(change.object)
          continue
        }
        do throws(StoreError) {
          guard let object = try objects.object(change) else { continue }
          if object.isAltered, let held = centre.objects[object.id], held.digest != object.digest {
            side.kept.insert(object.id)
            continue
          }
          if object.isDamaged || object.isAltered { counts.damagedHere += 1 }
          side.add(object, members: change.members.values)
          if let held = centre.objects[object.id], isElsewhere(object, held, side, lines, centre) {
            side.elsewhere.insert(object.id)
            continue
          }
          if let held = centre.objects[object.id], held.line != lines.own, held.digest == object.digest,
            !centre.isNamed(object.id, held, for: lines)
          {
            counts.altered.insert(object.id)
          }
          guard centre.objects[object.id]?.digest == object.digest, !centre.doubled.contains(object.id) else {
            continue
          }
          same.append((object, objects.references(change)))
        } catch {
          if centre.objects[change.object] == nil {
            counts.leftOut += 1
            side.waiting.insert(change.object)
          } else {
            side.kept.insert(change.object)
          }
        }
      }
      counts.altered.formUnion(try centre.altered(same, in: &database))
      anchor = part.anchor
      guard part.hasMore else { break }
    }
    let deletions = try Forwarder.centre(&database) { (database) throws(DatabaseFailure) in
      try Transfer.deletions(of: nil, gateway: settings.user, in: &database)
    }
    try findElsewhere(&side, lines, centre, deletions, gateway: settings.user, &database)
    var comparison = Comparison(
      store: side.digests, centre: centre.objects.mapValues(\.digest),
      tombstones: Set(side.saved.values.filter { lines.isDeleted($0, by: deletions) }.map(\.id)))
    comparison.add(different: centre.doubled.union(counts.altered))
    let pending = try pending(side, gateway, &database).union(side.kept).union(side.elsewhere)
    counts.elsewhere = side.elsewhere.count
    counts.lines = lines.count
    counts.kept = side.kept.count
    comparison.leaveOut(pending)
    let present = centre.objects.filter { !pending.contains($0.key) }
    counts.rows = try countRows(of: side.rows, present: present, &database)
    counts.damaged =
      try Self.rows(
        "SELECT count(*) FROM sensord_chunk WHERE gateway = $1 AND sha256(payload) <> sha256", [.text(settings.user)],
        [.bigint], &database
      ).first?[0] ?? "0"
    let attachments = try await Forwarder.store { try await store.allAttachments() }
    let files = try compareFiles(
      attachments.filter { present[$0.object] != nil && side.digests[$0.object] != nil }, present: present,
      gateway, &database)
    for attachment in files.missing where try await Self.isDamaged(attachment, in: store) { counts.damagedFiles += 1 }
    counts.files = files.count - counts.damagedFiles
    report(comparison, counts)
    let isEqual = comparison.isEqual && counts.rows == 0 && counts.files == 0 && counts.damaged == "0"
    guard counts.leftOut == 0 && counts.damagedFiles == 0 else {
      throw ForwardFailure(
        .different,
        "what is damaged in the store is not at the centre; 'sensord check' names it: put a sound copy of the store back, "
          + "or delete it")
    }
    guard isEqual else {
      throw ForwardFailure(
        .different,
        "the centre differs from the store; 'sensord-forward run --once --again', while the service is stopped, "
          + "puts all that the store has there anew")
    }
  }

  /// The objects of the store, as far as they were forwarded.
  private struct StoreSide {
    var digests: [UUID: [UInt8]] = [:]
    var saved: [UUID: CentreObject] = [:]
    /// By table and object.
    var rows: [String: Int] = [:]
    /// Objects of changes that are not forwarded yet.
    var waiting: Set<UUID> = []
    /// Objects that are damaged in the store, and at the centre as they were before.
    var kept: Set<UUID> = []
    /// Objects that only another line has, or has in a version that stays.
    var elsewhere: Set<UUID> = []
    private var members: [UUID: [UUID]] = [:]

    mutating func add(_ object: CentreObject, members: some Sequence<UUID>) {
      digests[object.id] = object.digest
      var head = CentreObject(
        id: object.id, isSession: object.isSession, session: object.session, change: object.change)
      (head.syncVersion, head.sessionChange, head.sync) = (object.syncVersion, object.sessionChange, object.sync)
      saved[object.id] = head
      for row in object.rows { rows[row.table.fullName + " " + object.id.text, default: 0] += 1 }
      let members = Array(members)
      if !members.isEmpty { self.members[object.id] = members }
    }

    /// Objects that have collected an object that waits.
    var owners: [UUID] { members.filter { $0.value.contains(where: waiting.contains) }.map(\.key) }
  }

  private struct Counts {
    var rows = 0
    var files = 0
    var damaged = "0"
    /// Of the store's objects, those that lack what is derived of them, and those that were left out.
    var damagedHere = 0
    var leftOut = 0
    /// Those that the centre has as they were before.
    var kept = 0
    /// Files that were left out, too.
    var damagedFiles = 0
    var waiting = 0
    /// Objects that only other lines have, or have in a version that stays; how many lines there are.
    var elsewhere = 0
    var lines = 0
    var last: Int64 = 0
    var altered: Set<UUID> = []
  }

  /// Whether the centre has an object as another line brought it: in a later version, or as one of the same that came last.
  private func isElsewhere(
    _ object: CentreObject, _ held: CentreRows.Held, _ side: StoreSide, _ lines: Lines, _ centre: CentreRows
  ) -> Bool {
    guard held.line != lines.own, held.digest != object.digest, !centre.doubled.contains(object.id) else {
      return false
    }
    if isOutdated(object, side, lines, centre) { return true }
    // Without its name among those that have it, it was not sent.
    return held.syncVersion >= object.syncVersion && centre.isNamed(object.id, held, for: lines)
  }

  /// Whether another line has brought a later version of the session of a sample, which has samples of its own.
  private func isOutdated(
    _ sample: CentreObject, _ side: StoreSide, _ lines: Lines, _ centre: CentreRows
  ) -> Bool {
    guard let session = sample.session, let there = centre.objects[session], there.line != lines.own else {
      return false
    }
    return side.saved[session].map { $0.syncVersion < there.syncVersion } ?? false
  }

  /// Finds what only other lines have at the centre, and what is not there because theirs is.
  private func findElsewhere(
    _ side: inout StoreSide, _ lines: Lines, _ centre: CentreRows, _ deletions: [UUID: [Lines.Deletion]],
    gateway: String, _ database: inout Database
  ) throws {
    guard lines.count > 1 else { return }
    let held = Set(centre.holders.map(\.object))
    for (id, object) in centre.objects where side.saved[id] == nil && !centre.doubled.contains(id) {
      let isOfOther: Bool
      if object.line == lines.own {
        // Deleted by this store, and not by another.
        isOfOther =
          held.contains(id) && deletions[id]?.contains { $0.line == lines.own && $0.number > object.change } == true
      } else {
        let relation = lines.others[object.line] ?? .none
        isOfOther =
          !lines.knows(object.change, of: object.line) || relation.mine != relation.theirs || held.contains(id)
      }
      if isOfOther { side.elsewhere.insert(id) }
    }
    let missing = side.saved.values.filter { centre.objects[$0.id] == nil && !lines.isDeleted($0, by: deletions) }
    let twins = try Forwarder.centre(&database) { (database) throws(DatabaseFailure) in
      try Transfer.twins(of: missing, gateway: gateway, in: &database)
    }
    for object in missing {
      if isOutdated(object, side, lines, centre) {
        side.elsewhere.insert(object.id)
      } else if let twin = twins[object.id], twin.line != lines.own, twin.syncVersion >= object.syncVersion {
        side.elsewhere.insert(object.id)
      }
    }
  }

  /// Returns the objects that may differ because changes wait: those of the changes, and those that have collected one of these, in the
  /// store or at the centre.
  private func pending(_ side: StoreSide, _ gateway: [Field], _ database: inout Database) throws -> Set<UUID> {
    guard !side.waiting.isEmpty else { return [] }
    let owners = try Self.rows(
      "SELECT DISTINCT owner FROM sensord_association WHERE gateway = $1 AND object = ANY ($2::uuid[])",
      [gateway[0], Insertion.list(side.waiting.map(\.text))], .distinct([.uuid]), &database)
    return side.waiting.union(side.owners).union(owners.compactMap { UUID(uuidString: $0[0] ?? "") })
  }

  /// How many objects have another number of rows in a table at the centre than in the store.
  private func countRows(
    of expected: [String: Int], present: [UUID: CentreRows.Held], _ database: inout Database
  ) throws -> Int {
    var found: [String: Int] = [:]
    for table in CentreTable.parts {
      // Of objects of this store only: a gateway may have had others.
      for row in try Self.rows(
        "SELECT owner, count(*) FROM \(table.fullName) WHERE person <> '' GROUP BY owner", [],
        .distinct([.uuid, .bigint]),
        &database)
      {
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

  /// Whether a file is not as it was attached.
  private static func isDamaged(
    _ attachment: Attachment, in store: HealthStore, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Bool {
    do throws(any Error) {
      var data = try await store.data(of: attachment)
      while try data.next() != nil {}
      return false
    } catch let error as StoreError {
      guard case .corrupt = error.code else { throw ForwardFailure(error) }
      return true
    }
  }

  /// How many files are on one side only, or damaged at the centre, and which the centre has not at all; not those of samples that
  /// are on one side only.
  private func compareFiles(
    _ attachments: [Attachment], present: [UUID: CentreRows.Held], _ gateway: [Field], _ database: inout Database
  ) throws -> (count: Int, missing: [Attachment]) {
    let found = try Self.rows(
      """
      SELECT owner, file, CASE WHEN bool_and(sha256(payload) = sha256) THEN sum(octet_length(payload)) ELSE -1 END,
        person, time
      FROM sensord_attachment WHERE gateway = $1 GROUP BY person, time, owner, file
      """, [gateway[0]], .distinct([.uuid, .bytea, .bigint, .text, .bigint]), &database
    ).filter { row in UUID(uuidString: row[0] ?? "").map { present[$0] != nil } ?? false }
    let files = Dictionary(
      attachments.map { ("\($0.object.text) \($0.digest)", $0) }, uniquingKeysWith: { first, _ in first })
    let sizes = files.mapValues { "\($0.size)" }
    let centre = Dictionary(
      found.map { ("\($0[0] ?? "") \($0[1]?.dropFirst(2) ?? "")", $0[2] ?? "") }, uniquingKeysWith: { _, _ in "" })
    return (
      Set(sizes.keys).union(centre.keys).filter { sizes[$0] != centre[$0] }.count,
      files.filter { centre[$0.key] == nil }.map(\.value)
    )
  }

  private func report(_ comparison: Comparison, _ counts: Counts) {
    if json {
      Terminal.printObject([
        ("equal", "\(comparison.equal)"), ("missing", "\(comparison.missing.count)"),
        ("extra", "\(comparison.extra.count)"), ("different", "\(comparison.different.count)"),
        ("deletedAtCentre", "\(comparison.deleted)"), ("otherRows", "\(counts.rows)"),
        ("otherFiles", "\(counts.files)"), ("damagedChunks", counts.damaged),
        ("damagedInStore", "\(counts.damagedHere + counts.leftOut + counts.kept)"),
        ("keptAtCentre", "\(counts.kept)"), ("elsewhere", "\(counts.elsewhere)"), ("stores", "\(counts.lines)"),
        ("damagedFilesInStore", "\(counts.damagedFiles)"), ("waiting", "\(counts.waiting)"),
        ("last", "\(counts.last)"),
      ])
      return
    }
    Terminal.print(
      "\(comparison.equal) objects are the same on both sides; \(comparison.deleted) were deleted at the centre.")
    if counts.lines > 1 {
      Terminal.print(
        "\(counts.lines) stores write as this gateway, or copies of one did: \(counts.elsewhere) objects are there as another has "
          + "them. 'sensord-forward restore --all --to FILE' makes a store with what all have.")
    }
    if counts.waiting > 0 { Terminal.print("\(counts.waiting) changes are not forwarded yet.") }
    for (name, objects) in [
      ("missing at the centre", comparison.missing), ("not in the store", comparison.extra),
      ("different", comparison.different),
    ] where !objects.isEmpty {
      Terminal.print("\(objects.count) \(name): \(objects.prefix(5).map(\.text).joined(separator: ", "))")
    }
    if counts.rows > 0 { Terminal.print("\(counts.rows) lists of rows have another length at the centre.") }
    let damaged = counts.damagedHere + counts.leftOut + counts.kept
    if damaged > 0 {
      Terminal.print("\(damaged) objects are damaged in the store; \(counts.leftOut) of them were left out.")
    }
    if counts.kept > 0 {
      Terminal.print(
        "Of \(counts.kept) the centre has what was written: 'sensord-forward restore --to FILE' makes a store with it.")
    }
    if counts.damagedFiles > 0 {
      Terminal.print("\(counts.damagedFiles) files of attachments are damaged in the store and were left out.")
    }
    if counts.files > 0 { Terminal.print("\(counts.files) files of attachments are not the same on both sides.") }
    if counts.damaged != "0" {
      Terminal.print("\(counts.damaged) packed chunks at the centre are not what their checksums say.")
    }
  }

  static func rows(
    _ statement: String, _ fields: [Field], _ shape: Database.Shape, _ database: inout Database
  ) throws -> [[String?]] {
    try Forwarder.centre(&database) { (database) throws(DatabaseFailure) in
      try database.run(statement, fields, shape)
    }.rows
  }
}
