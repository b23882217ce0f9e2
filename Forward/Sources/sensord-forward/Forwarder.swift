internal import Centre
internal import FoundationEssentials
internal import Glibc
internal import HealthModel
internal import SeriesStore

/// Carries a store's history to the centre, part by part: each part is one transaction, in which the centre's anchor moves on.
struct Forwarder: ~Copyable {
  private let store: HealthStore
  private let objects: CentreObjects
  private let lines: Lines
  private var database: Database
  /// Whether all is sent as if it were not there.
  private let isAgain: Bool
  private var anchor: ChangeAnchor
  /// The last change whose place in the list the centre has.
  private var linked: Int64
  /// The rows that objects refer to and that were inserted over this connection.
  private var known: Set<CentreObject.Row> = []
  /// Whether objects are marked as damaged; nil before that was asked.
  private var hasMarks: Bool?
  /// The samples that are marked for damaged files; nil before that was asked.
  private var fileMarks: Set<UUID>?
  /// The files of samples when they were last sent; nil before that.
  private var attached: Set<Attachment>?
  /// The changes of a part, and about the bytes that they have: all of it is in memory, some of it twice.
  private let limit = 100
  private let bytes = 512 << 10

  static let program = "sensord-forward 1"
  /// As the changelog has it.
  static let version = "0.1.0"

  private init(
    _ store: HealthStore, _ place: LinePlace, _ persons: Persons, _ database: consuming Database, isAgain: Bool
  ) {
    self.isAgain = isAgain
    self.store = store
    objects = CentreObjects(copy: place.copy, persons: persons)
    lines = place.lines
    self.database = database
    (anchor, linked) = (place.anchor, place.linked)
  }

  /// Connects, and finds how far it came before.
  static func begin(
    _ store: HealthStore, settings: Settings, password: String?, isAgain: Bool,
    isolation: isolated (any Actor)? = #isolation, reportSilence: @escaping () -> Void
  ) async throws -> Forwarder {
    let beginning = try await Self.store { try await store.history(after: .start, limit: 1) }
    var database = try Self.connect(settings, password: password, reportSilence: reportSilence)
    let place = try await Self.place(of: store, identity: beginning.store, in: &database, settings: settings)
    let objects = CentreObjects(copy: place.copy, persons: settings.persons)
    try await Self.refuseOtherPersons(of: store, objects, among: place.mostObjects, in: &database)
    return Forwarder(store, place, settings.persons, database, isAgain: isAgain)
  }

  /// A connection to a centre that has this program's tables.
  static func connect(
    _ settings: Settings, password: String?,
    reportSilence: @escaping () -> Void = { Terminal.complain("\(Database.silence); still waiting") }
  ) throws -> Database {
    if settings.isOverNetwork, unsafe access(settings.authority, R_OK) != 0 {
      let reason = unsafe String(cString: strerror(errno))
      throw ForwardFailure(
        .configuration,
        "the certificates of who vouches for the host, \(settings.authority), cannot be read: \(reason); see authority in [centre]"
      )
    }
    do {
      var database = try Database(settings.connection(password: password), reportSilence: reportSilence)
      try checkTables(in: &database)
      try checkNodes(in: &database, login: settings.user)
      return database
    } catch let failure as DatabaseFailure { throw ForwardFailure(failure) }
  }

  /// Refuses a centre whose tables are of another version.
  static func checkTables(in database: inout Database) throws {
    let answer = try database.run(
      "SELECT version FROM sensord_schema ORDER BY version", [], Database.Shape([.integer], rows: 100))
    let versions = answer.rows.map { $0[0] ?? "" }
    guard versions != ["\(CentreSchema.version)"] else { return }
    let found = versions.isEmpty ? "no version" : "version \(versions.joined(separator: ", "))"
    throw ForwardFailure(
      .configuration,
      "the centre has tables of \(found) and this program knows \(CentreSchema.version); use the program that belongs to them"
    )
  }

  /// Refuses a centre of several servers, some of which it does not know this login for: nothing could be sent to them.
  private static func checkNodes(in database: inout Database, login: String) throws {
    let missing = try database.run(
      """
      SELECT server.srvname FROM pg_foreign_server AS server
      WHERE starts_with(server.srvname::text, '\(CentreSchema.serverPrefix)') AND NOT EXISTS (SELECT 1 FROM pg_user_mappings AS mapping
        WHERE mapping.srvid = server.oid AND (mapping.umuser = 0 OR mapping.usename = current_user)) ORDER BY 1
      """, [], Database.Shape([.text], rows: 10_000)
    ).rows.compactMap { $0[0] }
    guard !missing.isEmpty else { return }
    // The statements below are for the owner to run.
    guard missing.allSatisfy({ CentreSchema.isServer($0) }) else {
      throw DatabaseFailure(wrong: "a node has another name than 'sensord-forward schema' gives it")
    }
    var failure = ForwardFailure(
      .configuration,
      "the centre has no user mapping of this login for its nodes; as its owner: "
        + missing.map { CentreSchema.mapping(of: login, to: $0) }.joined(separator: " "))
    failure.isOfCentre = true
    throw failure
  }

  /// Puts the anchor back to the start. A forwarder that runs begins again, too.
  static func startAgain(_ settings: Settings, password: String?) throws {
    var database = try connect(settings, password: password)
    try centre(&database) { (database) throws(DatabaseFailure) in
      _ = try database.run(
        "UPDATE sensord_gateway SET anchor = $2 WHERE gateway = $1",
        [.text(settings.user), .text(ChangeAnchor.start.description)])
    }
  }

  /// The line that a store is at the centre, and how far that was forwarded.
  private struct LinePlace {
    var copy: CentreCopy
    var lines: Lines
    var anchor: ChangeAnchor
    var linked: Int64
    var mostObjects: Int
  }

  /// The place of a store at the centre: that of its line, or the start of a new one where the store's list of changes is not that of
  /// any.
  private static func place(
    of store: HealthStore, identity: UUID, in database: inout Database, settings: Settings,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> LinePlace {
    let list = try centre(&database) { (database) throws(DatabaseFailure) in
      try LineList(of: settings.user, in: &database)
    }
    var isStart = false
    if let latest = list.latest(of: identity) {
      let other = settings.persons.other
      if latest.person == "" {
        // The former person is forgotten, so that the configured one takes this place.
        try centre(&database) { (database) throws(DatabaseFailure) in
          _ = try database.run(
            "UPDATE sensord_gateway SET person = $3 WHERE gateway = $1 AND store = $2::uuid AND person = ''",
            [.text(settings.user), .text(identity.text), .text(other)])
        }
      }
      guard ["", other].contains(latest.person) else {
        throw ForwardFailure(
          .configuration,
          "[persons] 'other', or 'user' where it is left out, is another person than what was forwarded has; "
            + "change it back, or forget what was forwarded")
      }
      let sendsRecords = settings.persons.sendsRecords
      if latest.records != (sendsRecords ? "1" : "0") {
        try changeRecords(sendsRecords, of: identity, gateway: settings.user, in: &database)
        isStart = sendsRecords
      }
    }
    guard let own = try await list.own(of: store, identity: identity, in: &database) else {
      return try await begin(of: store, identity: identity, list, in: &database, settings: settings)
    }
    // Nothing was sent of it: it may be another store that began it.
    if own.linked == 0 { try await list.relate(own.line, of: store, in: &database) }
    let current =
      own.linked > 0
      ? list
      : try centre(&database) { (database) throws(DatabaseFailure) in
        try LineList(of: settings.user, in: &database)
      }
    var anchor = isStart ? .start : ChangeAnchor(own.anchor)
    if let place = anchor {
      // A damaged one is no new line: all is looked at again from the start.
      do throws(StoreError) { _ = try await store.history(after: place, limit: 1) } catch {
        guard error.code == .lostAnchor || error.code == .foreignAnchor else { throw ForwardFailure(error) }
        anchor = nil
      }
    }
    if anchor == nil {
      try centre(&database) { (database) throws(DatabaseFailure) in
        _ = try database.run(
          "UPDATE sensord_gateway SET anchor = $4 WHERE gateway = $1 AND store = $2::uuid AND history = $3::integer",
          [
            .text(settings.user), .text(identity.text), Field(own.line.history),
            .text(ChangeAnchor.start.description),
          ])
      }
    }
    return LinePlace(
      copy: CentreCopy(gateway: settings.user, store: identity, history: own.line.history),
      lines: current.lines(seenBy: own.line), anchor: anchor ?? .start, linked: own.linked,
      mostObjects: current.mostObjects)
  }

  /// Begins a new line.
  private static func begin(
    of store: HealthStore, identity: UUID, _ list: LineList, in database: inout Database, settings: Settings,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> LinePlace {
    let line = Line(store: identity, history: (list.latest(of: identity)?.line.history ?? -1) + 1)
    guard try await !Self.store({ try await store.history(after: .start, limit: 1) }).isIdentityDamaged else {
      throw ForwardFailure(
        .data,
        "the identity of the store is damaged, and the centre has no store of that name; 'sensord check' says more: "
          + "put a sound copy of the store back, or make one by 'sensord-forward restore'")
    }
    let marks = try await Self.store { try await store.restorations() }.map(\.id.text)
    let row = CentreObject.Row(
      table: .gateway,
      fields: [
        .text(settings.user), .text(identity.text), Field(line.history), .text(settings.persons.other), .text(program),
        .text(ChangeAnchor.start.description), .text("0"), .text("0"), .null,
        .text(settings.persons.sendsRecords ? "1" : "0"), .text(marks.joined(separator: ",")), .text("0"),
      ])
    let begun: LineList
    do throws(any Error) {
      try database.run("BEGIN")
      try Transfer.lock(settings.user, in: &database)
      for insertion in Insertion.of([row]) {
        guard try database.run(insertion.statement, insertion.fields).count == 1 else {
          throw ForwardFailure(
            .retry, "the centre: another program begins to forward as '\(settings.user)'", isTransient: true)
        }
      }
      try await LineList(of: settings.user, in: &database).relate(line, of: store, in: &database)
      begun = try LineList(of: settings.user, in: &database)
      try database.run("COMMIT")
    } catch let failure as DatabaseFailure { throw ForwardFailure(failure) }
    return LinePlace(
      copy: CentreCopy(gateway: settings.user, store: identity, history: line.history),
      lines: begun.lines(seenBy: line), anchor: .start, linked: 0,
      mostObjects: begun.mostObjects)
  }

  /// Forwards all that there is, and says so after each part; the number of changes.
  mutating func run(isolation: isolated (any Actor)? = #isolation, progress: () -> Void) async throws -> Int {
    var count = 0
    while true {
      let anchor = anchor
      let (store, limit, bytes) = (store, limit, bytes)
      let part = try await Self.store { try await store.history(after: anchor, limit: limit, bytes: bytes) }
      guard !part.changes.isEmpty else {
        try await sendFiles()
        return count
      }
      let altered = try await owners(of: part)
      try send(part, altered: altered)
      progress()
      count += part.changes.count
      // Of what is left nothing can be read.
      let isEnd = part.anchor == anchor
      self.anchor = part.anchor
      guard !isEnd else {
        try await sendFiles()
        return count
      }
    }
  }

  /// Brings the files at the centre up to date, of one sample after the other; what is damaged keeps none back but itself.
  private mutating func sendFiles(isolation: isolated (any Actor)? = #isolation) async throws {
    let store = store
    let all = Set(try await Self.store { try await store.allAttachments() })
    guard all != attached else { return }
    var concerned = Set(all.symmetricDifference(attached ?? []).map(\.object))
    if attached == nil { concerned.formUnion(try FileTransfer.owners(in: &database, of: objects.copy)) }
    let transfer = FileTransfer(
      store: store, objects: objects, transfer: Transfer(copy: objects.copy, lines: lines, program: Self.program),
      anchor: anchor)
    for sample in concerned.sorted(by: { $0.uuidString < $1.uuidString }) {
      let damaged = try await transfer.send(all.filter { $0.object == sample }, of: sample, in: &database)
      let isMarked: Bool
      do { isMarked = try markFiles(of: sample, areDamaged: !damaged.isEmpty) } catch { throw ForwardFailure(error) }
      for attachment in damaged where isMarked {
        Terminal.complain(
          "the file of attachment \(attachment.id.text) of \(sample.text) is damaged in the store, or missing, and was left out; "
            + "all else goes on to the centre; 'sensord check' says more")
      }
    }
    attached = all
  }

  /// Marks a sample that has damaged files, or takes the mark from it; whether it is new.
  private mutating func markFiles(of sample: UUID, areDamaged: Bool) throws(DatabaseFailure) -> Bool {
    let gateway = Field.text(objects.copy.gateway)
    if fileMarks == nil {
      let found = try database.run(
        "SELECT owner FROM sensord_object WHERE \(Self.areMarks) AND ordinal = \(CentreObjects.fileMark)", [gateway],
        [.uuid])
      fileMarks = Set(found.rows.compactMap { UUID(uuidString: $0[0] ?? "") })
    }
    guard areDamaged != fileMarks?.contains(sample) else { return false }
    if areDamaged {
      fileMarks?.insert(sample)
      hasMarks = true
      for insertion in Insertion.of([objects.mark(sample, ofFiles: true)]) {
        try database.run(insertion.statement, insertion.fields)
      }
    } else {
      fileMarks?.remove(sample)
      try database.run(
        """
        DELETE FROM sensord_object WHERE \(Self.areMarks) AND owner = $2::uuid AND ordinal = \(CentreObjects.fileMark)
        """, [gateway, .text(sample.text)])
    }
    return areDamaged
  }

  /// Returns the changes to store anew: those that the part altered, and those of the objects that had collected deleted samples, which
  /// only the centre knows.
  private mutating func owners(
    of part: StoredChanges, isolation: isolated (any Actor)? = #isolation
  ) async throws -> [StoredChange] {
    let deleted = part.changes.filter(\.isDeletion).map(\.object.text)
    guard !deleted.isEmpty else { return part.altered }
    let gateway = objects.copy.gateway
    let answer = try Self.centre(&database) { (database) throws(DatabaseFailure) in
      try database.run(
        "SELECT DISTINCT owner FROM sensord_association WHERE gateway = $1 AND object = ANY ($2::uuid[])",
        [.text(gateway), Insertion.list(deleted)], [.uuid])
    }
    let present = Set(part.altered.map(\.object))
    let owners = answer.rows.compactMap { UUID(uuidString: $0[0] ?? "") }.filter { !present.contains($0) }
    let store = store
    let last = part.changes.last?.number ?? 0
    // Objects that were saved later come with a later part.
    return part.altered + (try await Self.store { try await store.history(of: owners) }).filter { $0.number <= last }
  }

  private mutating func send(_ part: StoredChanges, altered: [StoredChange]) throws {
    var found: [CentreObject] = []
    var damage: [UUID: String] = [:]
    // Of an object that is both, the newer state: it is in `altered`.
    let anew = Set(altered.map(\.object))
    for change in part.changes.filter({ !anew.contains($0.object) }) + altered {
      let name = "\(change.object.text), change \(change.number),"
      do throws(StoreError) {
        guard let object = try objects.object(change) else { continue }
        found.append(object)
        if object.isAltered {
          damage[change.object] =
            "\(name) is not what was written to the store: the centre keeps what it has of it, or marks this one"
        } else if object.isDamaged {
          damage[change.object] = "\(name) is damaged in the store: the centre lacks what is derived of it"
        }
      } catch {
        damage[change.object] = "\(name) is damaged in the store and was left out; all else goes on to the centre"
      }
    }
    var references: Set<CentreObject.Row> = []
    do throws(any Error) {
      try database.run("BEGIN")
      let transfer = Transfer(copy: objects.copy, lines: lines, program: Self.program, isAgain: isAgain)
      try transfer.move(from: anchor, to: part, linked: linked, in: &database)
      // First what was deleted: the same identifier may have been saved again in this part, with other values.
      // A restored store has deletions of nothing.
      // A damaged one is none: a flipped bit makes a deletion of what was saved.
      let deletions = part.changes.filter {
        $0.isDeletion && $0.object != StoredChange.nothing && damage[$0.object] == nil
      }
      try transfer.delete(deletions.map(objects.tombstone), in: &database)
      // Objects that were deleted at the centre stay deleted, and rows that only they refer to are not inserted.
      let living = try transfer.living(found, in: &database)
      let named = Set(living.map(\.id))
      references = Set(
        (part.changes + altered).filter { !$0.rows.isEmpty && named.contains($0.object) }.flatMap(objects.references))
      try transfer.insert(references.subtracting(known), in: &database)
      try transfer.save(living, in: &database)
      try mark(
        damage.keys.sorted { $0.uuidString < $1.uuidString }, (part.changes + altered).map(\.object),
        deleted: deletions.map(\.object))
      try database.run("COMMIT")
    } catch let failure as DatabaseFailure {
      throw ForwardFailure(failure)
    }
    known.formUnion(references)
    linked = max(linked, part.changes.last?.number ?? 0)
    for line in damage.values.sorted() { Terminal.complain("\(line); 'sensord check' says more") }
  }

  /// Marks what is damaged, and takes the mark from what is not any more, or was deleted.
  private mutating func mark(
    _ damaged: [UUID], _ concerned: [UUID], deleted: [UUID]
  ) throws(DatabaseFailure) {
    let gateway = objects.copy.gateway
    if hasMarks == nil { hasMarks = try Self.marks(of: gateway, in: &database) > 0 }
    if hasMarks == true {
      try database.run(
        """
        DELETE FROM sensord_object WHERE \(Self.areMarks) AND owner = ANY ($2::uuid[])
          AND (ordinal <> \(CentreObjects.fileMark) OR owner = ANY ($3::uuid[]))
        """, [.text(gateway), Insertion.list(concerned.map(\.text)), Insertion.list(deleted.map(\.text))])
      fileMarks?.subtract(deleted)
    }
    guard !damaged.isEmpty else { return }
    for insertion in Insertion.of(damaged.map { objects.mark($0) }) {
      try database.run(insertion.statement, insertion.fields)
    }
    hasMarks = true
  }

  static let areMarks = "person = '' AND time = 0 AND gateway = $1 AND origin = '\(CentreObjects.damagedOrigin)'"

  /// How many objects are marked.
  static func marks(of gateway: String, in database: inout Database) throws(DatabaseFailure) -> Int {
    let answer = try database.run(
      "SELECT count(DISTINCT owner) FROM sensord_object WHERE \(areMarks)", [.text(gateway)], [.bigint])
    return Int(answer.rows.first?[0] ?? "") ?? 0
  }

  /// Errors of the centre, with their remedy.
  static func centre<Value>(
    _ database: inout Database, _ body: (inout Database) throws(DatabaseFailure) -> Value
  ) throws(ForwardFailure) -> Value {
    do { return try body(&database) } catch { throw ForwardFailure(error) }
  }

  /// Errors of the store, with their remedy.
  static func store<Value>(
    isolation: isolated (any Actor)? = #isolation, _ body: () async throws -> Value
  ) async throws -> Value {
    do { return try await body() } catch let error as StoreError { throw ForwardFailure(error) }
  }
}
