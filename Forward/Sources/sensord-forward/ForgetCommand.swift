internal import ArgumentParser
internal import Centre
internal import FoundationEssentials
internal import HealthModel
internal import SeriesStore

struct ForgetCommand: ParsableCommand, ForwardAction {
  static let configuration = CommandConfiguration(
    commandName: "forget",
    abstract: "Delete at the centre for good; the store keeps what it has.",
    usage: """
      sensord-forward forget <identifier> ... [options]
      sensord-forward forget --person <pseudonym> [options]
      sensord-forward forget --gateway <name> [options]
      """,
    discussion: """
      Of a session with its samples, or a sample:
        sensord-forward forget 8f14e45f-ceea-467f-9c52-7d9c5a2b6a10
      All that this gateway sent of a person, or all that it sent:
        sensord-forward forget --person p001
        sensord-forward forget --gateway lab-1

      What is forgotten does not come back, also not from an older copy of the
      store. What is recorded later is forwarded as before: to end that, take the
      sensor away, or stop the service. Of a person, delete the recordings in the
      store, too.
      """)

  @OptionGroup var place: Place
  @Flag(help: "As JSON.") var json = false
  @Option(help: ArgumentHelp("All that this gateway sent of a person.", valueName: "pseudonym")) var person: String?
  @Option(help: ArgumentHelp("All that this gateway sent; its own name, to be sure.", valueName: "name"))
  var gateway: String?
  @Argument(help: ArgumentHelp("Of a session or a sample.", valueName: "identifier")) var identifiers: [String] = []

  /// The choice of what to forget, as a condition on a row of sessions or samples.
  private enum Choice {
    case objects([UUID])
    case person(String)
    case gateway
  }

  private func choice(_ settings: Settings) throws -> Choice {
    switch (person, gateway, identifiers.isEmpty) {
    case (nil, nil, false):
      return .objects(
        try identifiers.map { text in
          guard let id = UUID(uuidString: text) else {
            throw ForwardFailure(.usage, "'\(text)' is no identifier; 'sensord sessions --json' has them")
          }
          return id
        })
    case (let person?, nil, true): return .person(person)
    case (nil, let name?, true):
      guard name == settings.user else {
        throw ForwardFailure(.usage, "this gateway is '\(settings.user)'; another one forgets itself")
      }
      return .gateway
    default: throw ForwardFailure(.usage, "say identifiers, or --person, or --gateway: one of them")
    }
  }

  func perform(isolation: isolated (any Actor)? = #isolation) async throws {
    let (settings, password) = try place.load()
    let choice = try choice(settings)
    var database = try Forwarder.connect(settings, password: password)
    do throws(any Error) {
      var count = 0
      while case let some = try part(choice, settings, &database), some > 0 { count += some }
      let others = try afterwards(choice, settings, forgot: count, &database)
      guard count + others > 0 else {
        throw ForwardFailure(.noInput, "the centre has nothing of that of '\(settings.user)'")
      }
      if json {
        Terminal.printObject([("forgotten", "\(count)")])
      } else {
        Terminal.print("\(count) objects forgotten")
      }
    } catch let failure as DatabaseFailure { throw ForwardFailure(failure) }
  }

  /// Forgets some of it in one transaction; how many objects, 0 at the end.
  private func part(_ choice: Choice, _ settings: Settings, _ database: inout Database) throws -> Int {
    let conditions: (session: String, sample: String)
    let field: [Field]
    switch choice {
    case .objects(let objects):
      // A session with its samples.
      conditions = ("AND id = ANY ($2::uuid[])", "AND (id = ANY ($2::uuid[]) OR session = ANY ($2::uuid[]))")
      field = [Insertion.list(objects.map(\.text))]
    case .person(let person):
      conditions = ("AND person = $2", "AND person = $2")
      field = [.text(person)]
    case .gateway: (conditions, field) = (("", ""), [])
    }
    try database.run("BEGIN")
    try Transfer.lock(settings.user, in: &database)
    let found = try database.run(
      """
      (SELECT id, store, history FROM sensord_session WHERE gateway = $1 \(conditions.session) LIMIT 1000)
      UNION ALL (SELECT id, store, history FROM sensord_sample WHERE gateway = $1 \(conditions.sample) LIMIT 1000)
      """, [.text(settings.user)] + field, Database.Shape([.uuid, .uuid, .integer], rows: 2000))
    let rows = found.rows.compactMap { row -> CentreObject.Row? in
      guard let id = row[0], let store = row[1], let history = Int64(row[2] ?? "") else { return nil }
      return .init(
        table: .tombstone,
        fields: [.text(settings.user), .text(id), .text(store), Field(history), Field(Int64.max), .null])
    }
    let list = try LineList(of: settings.user, in: &database)
    if let line = list.entries.first?.line {
      let copy = CentreCopy(gateway: settings.user, store: line.store, history: line.history)
      try Transfer(copy: copy, lines: list.lines(seenBy: line), program: Forwarder.program).forget(rows, in: &database)
    }
    try database.run("COMMIT")
    return rows.count
  }

  /// Deletes rows that do not belong to one object, such as devices, which name their person; returns their number, without marks.
  ///
  /// The anchor goes back to the start, so that a forwarder that runs meanwhile stores anew what other objects refer to.
  private func afterwards(
    _ choice: Choice, _ settings: Settings, forgot: Int, _ database: inout Database
  ) throws -> Int {
    var count = 0
    try database.run("BEGIN")
    switch choice {
    case .objects: break
    case .person(let person):
      count = try database.run(
        "DELETE FROM sensord_device WHERE gateway = $1 AND person = $2", [.text(settings.user), .text(person)]
      ).count
      guard count + forgot > 0 else { break }
      try database.run(
        "UPDATE sensord_gateway SET anchor = $2, sent = 0, sent_time = NULL WHERE gateway = $1",
        [.text(settings.user), .text(ChangeAnchor.start.description)])
      // The configuration may name another person for everything else from now on.
      try database.run(
        "UPDATE sensord_gateway SET person = '' WHERE gateway = $1 AND person = $2",
        [.text(settings.user), .text(person)])
    case .gateway:
      try database.run("DELETE FROM sensord_object WHERE \(Forwarder.areMarks)", [.text(settings.user)])
      for table in [CentreTable.device, .source, .type] {
        count += try database.run("DELETE FROM \(table.fullName) WHERE gateway = $1", [.text(settings.user)]).count
      }
      guard count + forgot > 0 else { break }
      try database.run(
        "UPDATE sensord_gateway SET anchor = $2, sent = 0, sent_time = NULL, person = '' WHERE gateway = $1",
        [.text(settings.user), .text(ChangeAnchor.start.description)])
    }
    try database.run("COMMIT")
    return count
  }
}
