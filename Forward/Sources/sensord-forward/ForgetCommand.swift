internal import ArgumentParser
internal import Centre
internal import FoundationEssentials
internal import PostgreSQL

struct ForgetCommand: ParsableCommand, ForwardAction {
  static let configuration = CommandConfiguration(
    commandName: "forget", abstract: "Delete a session or a sample at the centre for good; the store keeps what it has."
  )

  @OptionGroup var place: Place
  @Flag(help: "As JSON.") var json = false
  @Argument(help: ArgumentHelp("Of a session or a sample.", valueName: "identifier")) var identifiers: [String]

  func perform(isolation: isolated (any Actor)? = #isolation) async throws {
    let objects = try identifiers.map { text in
      guard let id = UUID(uuidString: text) else {
        throw ForwardFailure(.usage, "'\(text)' is no identifier; 'sensord sessions --json' has them")
      }
      return id
    }
    let (settings, password) = try place.load()
    var database = try Forwarder.connect(settings, password: password)
    do throws(any Error) {
      try database.run("BEGIN")
      // A session with its samples.
      let found = try database.run(
        """
        SELECT id, store, history FROM sensord_session WHERE gateway = $1 AND id = ANY ($2::uuid[])
        UNION ALL SELECT id, store, history FROM sensord_sample
          WHERE gateway = $1 AND (id = ANY ($2::uuid[]) OR session = ANY ($2::uuid[]))
        """, [.text(settings.user), Insertion.list(objects.map(\.text))])
      let rows = found.rows.compactMap { row -> CentreObject.Row? in
        guard let id = row[0], let store = row[1], let history = Int64(row[2] ?? "") else { return nil }
        return .init(
          table: .tombstone,
          fields: [.text(settings.user), .text(id), .text(store), Field(history), Field(Int64.max), .null])
      }
      guard let first = rows.first, case .text(let store) = first.fields[2], let identity = UUID(uuidString: store)
      else {
        throw ForwardFailure(.noInput, "the centre has no such session or sample of '\(settings.user)'")
      }
      let copy = CentreCopy(gateway: settings.user, store: identity, history: 0)
      try Transfer(copy: copy, program: Forwarder.program).delete(rows, in: &database)
      try database.run("COMMIT")
      if json {
        Terminal.printObject([("forgotten", "\(rows.count)")])
      } else {
        Terminal.print("\(rows.count) objects forgotten")
      }
    } catch let failure as DatabaseFailure { throw ForwardFailure(failure) }
  }
}
