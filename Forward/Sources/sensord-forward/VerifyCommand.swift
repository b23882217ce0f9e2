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
    var centre = try CentreRows(of: list, gateway: settings.user, in: &database)
    let objects = CentreObjects(
      copy: CentreCopy(gateway: settings.user, store: beginning.store, history: own.line.history),
      persons: settings.persons)
    var side = StoreSide()
    var comparison = Comparison()
    var counts = Counts()
    var anchor = ChangeAnchor.start
    while true {
      let from = anchor
      let part = try await Forwarder.store { try await store.history(after: from, limit: 200, bytes: 512 << 10) }
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
          let place = centre.objects.place(of: object.id)
          let held = place.map { centre.objects[$0] }
          let isSame = held?.hasDigest(object.digest) == true
          if object.isAltered, held != nil, !isSame {
            side.kept.insert(object.id)
            continue
          }
          if object.isDamaged || object.isAltered { counts.damagedHere += 1 }
          side.add(object, members: change.members.values, isThere: held != nil)
          guard let place, let held else { continue }
          centre.see(object, at: place)
          comparison.add(object.id, isSame ? .same : .different)
          if held.isDoubled { counts.altered.insert(object.id) }
          if !isSame, isElsewhere(object, held, side, lines, centre) {
            side.elsewhere.insert(object.id)
            continue
          }
          guard isSame, !held.isDoubled else { continue }
          if centre.objects.line(of: held) != lines.own, !centre.isNamed(held, for: lines) {
            counts.altered.insert(object.id)
          }
          same.append((object, objects.references(change)))
        } catch {
          if centre.objects.place(of: change.object) == nil {
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
    try judgeAbsent(&side, &comparison, lines, centre, gateway: settings.user, &database)
    try judgeExtra(&side, &comparison, lines, centre, gateway: settings.user, &database)
    comparison.add(different: counts.altered)
    let pending = try pending(side, list, gateway, &database).union(side.kept).union(side.elsewhere)
    counts.elsewhere = side.elsewhere.count
    counts.lines = lines.count
    counts.kept = side.kept.count
    comparison.leaveOut(pending)
    counts.rows = try countRows(of: centre, but: pending, list, gateway, &database)
    counts.damaged =
      try Self.rows(
        "SELECT count(*) FROM sensord_chunk WHERE gateway = $1 AND sha256(payload) <> sha256", [.text(settings.user)],
        [.bigint], &database
      ).first?[0] ?? "0"
    let attachments = try await Forwarder.store { try await store.allAttachments() }
    let files = try compareFiles(attachments, centre, but: pending, list, gateway, &database)
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
    /// The versions of sessions.
    var versions: [UUID: Int64] = [:]
    /// Objects that the centre does not have, without their rows.
    var absent: [CentreObject] = []
    /// Objects of changes that are not forwarded yet.
    var waiting: Set<UUID> = []
    /// Objects that are damaged in the store, and at the centre as they were before.
    var kept: Set<UUID> = []
    /// Objects that only another line has, or has in a version that stays.
    var elsewhere: Set<UUID> = []
    private var members: [UUID: [UUID]] = [:]

    mutating func add(_ object: CentreObject, members: some Sequence<UUID>, isThere: Bool) {
      if object.isSession { versions[object.id] = object.syncVersion }
      if !isThere {
        var head = CentreObject(
          id: object.id, isSession: object.isSession, session: object.session, change: object.change)
        (head.syncVersion, head.sessionChange, head.sync) = (object.syncVersion, object.sessionChange, object.sync)
        absent.append(head)
      }
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
    _ object: CentreObject, _ held: HeldObjects.Held, _ side: StoreSide, _ lines: Lines, _ centre: CentreRows
  ) -> Bool {
    guard centre.objects.line(of: held) != lines.own, !held.isDoubled else { return false }
    if isOutdated(object, side, lines, centre) { return true }
    // Without its name among those that have it, it was not sent.
    return held.syncVersion >= object.syncVersion && centre.isNamed(held, for: lines)
  }

  /// Whether another line has brought a later version of the session of a sample, which has samples of its own.
  private func isOutdated(
    _ sample: CentreObject, _ side: StoreSide, _ lines: Lines, _ centre: CentreRows
  ) -> Bool {
    guard let session = sample.session, let there = centre.objects[session],
      centre.objects.line(of: there) != lines.own
    else { return false }
    return side.versions[session].map { $0 < there.syncVersion } ?? false
  }

  /// Judges objects of the store that the centre does not have: they were deleted there, or another line's are there instead.
  private func judgeAbsent(
    _ side: inout StoreSide, _ comparison: inout Comparison, _ lines: Lines, _ centre: CentreRows, gateway: String,
    _ database: inout Database
  ) throws {
    while !side.absent.isEmpty {
      let some = Array(side.absent.suffix(1000))
      side.absent.removeLast(some.count)
      let deletions = try deletions(of: some.map(\.id) + some.compactMap(\.session), gateway: gateway, &database)
      let missing = some.filter { !lines.isDeleted($0, by: deletions) }
      let names = Set(missing.map(\.id))
      for object in some { comparison.add(object.id, names.contains(object.id) ? .missing : .deleted) }
      guard lines.count > 1 else { continue }
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
  }

  /// Judges objects that only the centre has: they are extra, unless only another line has them.
  private func judgeExtra(
    _ side: inout StoreSide, _ comparison: inout Comparison, _ lines: Lines, _ centre: CentreRows, gateway: String,
    _ database: inout Database
  ) throws {
    let named = Set(centre.holders.map(\.object))
    var deleted: [HeldObjects.Held] = []
    for place in centre.objects.places where !centre.objects[place].isSeen {
      let held = centre.objects[place]
      comparison.add(held.id, .extra)
      guard lines.count > 1, !held.isDoubled else { continue }
      let line = centre.objects.line(of: held)
      let isNamed = named.contains(held.id)
      if line == lines.own {
        if isNamed { deleted.append(held) }
        continue
      }
      let relation = lines.others[line] ?? .none
      if !lines.knows(held.change, of: line) || relation.mine != relation.theirs || isNamed {
        side.elsewhere.insert(held.id)
      }
    }
    // Deleted by this store, and not by another.
    while !deleted.isEmpty {
      let some = deleted.suffix(1000)
      let deletions = try deletions(of: some.map(\.id), gateway: gateway, &database)
      for held in some
      where deletions[held.id]?.contains(where: { $0.line == lines.own && $0.number > held.change }) == true {
        side.elsewhere.insert(held.id)
      }
      deleted.removeLast(some.count)
    }
  }

  private func deletions(
    of objects: [UUID], gateway: String, _ database: inout Database
  ) throws -> [UUID: [Lines.Deletion]] {
    try Forwarder.centre(&database) { (database) throws(DatabaseFailure) in
      try Transfer.deletions(of: Set(objects), gateway: gateway, in: &database)
    }
  }

  /// Returns the objects that may differ because changes wait: those of the changes, and those that have collected one of these, in the
  /// store or at the centre.
  private func pending(
    _ side: StoreSide, _ list: LineList, _ gateway: [Field], _ database: inout Database
  ) throws -> Set<UUID> {
    guard !side.waiting.isEmpty else { return [] }
    var pending = side.waiting.union(side.owners)
    try Self.each(
      "SELECT DISTINCT owner FROM sensord_association WHERE gateway = $1 AND object = ANY ($2::uuid[])",
      [gateway[0], Insertion.list(side.waiting.map(\.text))], Database.Shape([.uuid], rows: list.mostObjects), &database
    ) { row in
      if let id = UUID(uuidString: row[0] ?? "") { pending.insert(id) }
    }
    return pending
  }

  /// How many lists of rows of objects that both sides have are of another length at the centre than in the store.
  private func countRows(
    of centre: CentreRows, but pending: Set<UUID>, _ list: LineList, _ gateway: [Field], _ database: inout Database
  ) throws -> Int {
    var others = 0
    for (number, table) in CentreTable.parts.enumerated() {
      var expected = centre.objects.places.count {
        let held = centre.objects[$0]
        return held.isSeen && held.rows[number] > 0 && !pending.contains(held.id)
      }
      try Self.each(
        "SELECT owner, count(*) FROM \(table.fullName) WHERE gateway = $1 AND person <> '' GROUP BY owner", gateway,
        Database.Shape([.uuid, .bigint], rows: list.mostObjects), &database
      ) { row in
        guard let id = UUID(uuidString: row[0] ?? ""), let held = centre.objects[id], !pending.contains(id) else {
          return
        }
        if held.rows[number] > 0 { expected -= 1 }
        if row[1] != "\(held.rows[number])" { others += 1 }
      }
      // Of these the centre has no row.
      others += expected
    }
    return others
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
    _ attachments: [Attachment], _ centre: CentreRows, but pending: Set<UUID>, _ list: LineList, _ gateway: [Field],
    _ database: inout Database
  ) throws -> (count: Int, missing: [Attachment]) {
    func isThere(_ id: UUID?) -> Bool {
      guard let id, centre.objects[id]?.isSeen == true else { return false }
      return !pending.contains(id)
    }
    let files = Dictionary(
      attachments.filter { isThere($0.object) }.map { ("\($0.object.text) \($0.digest)", $0) },
      uniquingKeysWith: { first, _ in first })
    var (same, found, others): (Set<String>, Set<String>, Int) = ([], [], 0)
    try Self.each(
      """
      SELECT owner, file, CASE WHEN bool_and(sha256(payload) = sha256) THEN sum(octet_length(payload)) ELSE -1 END
      FROM sensord_attachment WHERE gateway = $1 GROUP BY person, time, owner, file
      """, gateway, Database.Shape([.uuid, .bytea, .bigint], rows: 4 * list.mostObjects), &database
    ) { row in
      guard isThere(UUID(uuidString: row[0] ?? "")) else { return }
      let name = "\(row[0] ?? "") \(row[1]?.dropFirst(2) ?? "")"
      guard let file = files[name] else { return others += 1 }
      let isFirst = found.insert(name).inserted
      if isFirst, row[2] == "\(file.size)" { same.insert(name) } else { same.remove(name) }
    }
    return (files.count - same.count + others, files.filter { !found.contains($0.key) }.map(\.value))
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

  /// Gives one row after the other.
  private static func each(
    _ statement: String, _ fields: [Field], _ shape: Database.Shape, _ database: inout Database,
    _ body: ([String?]) -> Void
  ) throws {
    try Forwarder.centre(&database) { (database) throws(DatabaseFailure) in
      _ = try database.each(statement, fields, shape) { (row) throws(DatabaseFailure) in body(row) }
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
