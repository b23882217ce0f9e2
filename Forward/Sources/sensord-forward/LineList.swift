internal import Centre
internal import FoundationEssentials
internal import HealthModel
internal import SeriesStore

/// The lines of a gateway (``Line``) as the centre has them, and which of them a store continues.
struct LineList {
  /// A line and its progress at the centre.
  struct Entry {
    var line: Line
    var anchor: String
    var sent: Int64
    var person: String
    var records: String
    /// The identifiers of its store's restorations.
    var marks: [String]
    /// The last change that it ever had at the centre.
    var linked: Int64
  }

  private let gateway: String
  let entries: [Entry]
  /// The relations of each line to other lines, as the first of the two sees them.
  private let relations: [Line: [Line: Relation]]

  init(of gateway: String, in database: inout Database) throws(DatabaseFailure) {
    self.gateway = gateway
    entries = try database.run(
      """
      SELECT store, history, anchor, sent, person, records, marks, linked FROM sensord_gateway WHERE gateway = $1
      ORDER BY store, history
      """, [.text(gateway)],
      Database.Shape([.uuid, .integer, .text, .bigint, .text, .integer, .text, .bigint], text: 65_536)
    ).rows.compactMap { row in
      guard let line = Line(row[0], row[1]), let sent = Int64(row[3] ?? ""), let linked = Int64(row[7] ?? "") else {
        return nil
      }
      return Entry(
        line: line, anchor: row[2] ?? "", sent: sent, person: row[4] ?? "", records: row[5] ?? "",
        marks: (row[6] ?? "").split(separator: ",").map(String.init), linked: linked)
    }
    var relations: [Line: [Line: Relation]] = [:]
    for row in entries.count < 2
      ? []
      : try database.run(
        "SELECT store, history, other_store, other_history, mine, theirs FROM sensord_fork WHERE gateway = $1",
        [.text(gateway)], [.uuid, .integer, .uuid, .integer, .bigint, .bigint]
      ).rows
    {
      guard let one = Line(row[0], row[1]), let other = Line(row[2], row[3]), let mine = Int64(row[4] ?? ""),
        let theirs = Int64(row[5] ?? "")
      else { continue }
      relations[one, default: [:]][other] = Relation(mine: mine, theirs: theirs)
      relations[other, default: [:]][one] = Relation(mine: theirs, theirs: mine)
    }
    self.relations = relations
  }

  /// All lines as one of them sees them.
  func lines(seenBy own: Line) -> Lines {
    let others = entries.map(\.line).filter { $0 != own }
    return Lines(
      own: own,
      others: Dictionary(
        others.map { ($0, relations[own]?[$0] ?? .none) }, uniquingKeysWith: { first, _ in first }))
  }

  /// The number of objects that the centre has at most: each was a change of a line, with room for what other lines send meanwhile.
  var mostObjects: Int {
    Int(clamping: entries.reduce(Int64(65_536)) { $0.addingReportingOverflow(max(0, $1.linked)).partialValue })
  }

  /// The latest line of a store's identity, whether or not it is that of the store.
  func latest(of identity: UUID) -> Entry? {
    entries.filter { $0.line.store == identity }.max { $0.line.history < $1.line.history }
  }

  /// The line that a store continues: the centre's list of its changes is the beginning of the store's list, and both have the same
  /// restorations. Of several such lines, as while a new one is begun, the longest.
  func own(
    of store: HealthStore, identity: UUID, in database: inout Database, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Entry? {
    let marks = try await Forwarder.store { try await store.restorations() }.map(\.id.text)
    var found: Entry?
    for entry in entries where entry.line.store == identity && entry.marks == marks {
      if let found, (entry.linked, entry.line.history) < (found.linked, found.line.history) { continue }
      if try await isBeginning(entry, of: store, in: &database) { found = entry }
    }
    return found
  }

  private func isBeginning(
    _ entry: Entry, of store: HealthStore, in database: inout Database, isolation: isolated (any Actor)? = #isolation
  ) async throws -> Bool {
    guard entry.linked > 0 else { return true }
    let there = try Forwarder.centre(&database) { (database) throws(DatabaseFailure) in
      try links(of: entry.line, where: "AND first <= \(entry.linked) ORDER BY first DESC LIMIT 1", in: &database)
    }
    let own = try await Forwarder.store {
      try await store.historyLinks(from: entry.linked, to: entry.linked)
    }
    if let link = own.first, there.has(link, at: entry.linked) { return true }
    // An anchor that the store accepts is enough where the store or the centre lacks that link.
    guard let anchor = ChangeAnchor(entry.anchor), anchor != .start else { return false }
    do throws(StoreError) {
      _ = try await store.history(after: anchor, limit: 1)
      return true
    } catch {
      guard error.code == .lostAnchor || error.code == .foreignAnchor else { throw ForwardFailure(error) }
      return false
    }
  }

  private func links(
    of line: Line, where condition: String, in database: inout Database
  ) throws(DatabaseFailure) -> LinkList {
    var list = LinkList()
    try database.each(
      """
      SELECT first, links FROM sensord_link
      WHERE gateway = $1 AND store = $2::uuid AND history = $3::integer \(condition)
      """, [.text(gateway), .text(line.store.text), Field(line.history)],
      Database.Shape([.bigint, .bytea], rows: mostObjects, text: 65_536)
    ) { (row) throws(DatabaseFailure) in
      let bytes = Transfer.bytes(row[1])
      guard let first = Int64(row[0] ?? ""), (1...Int64(mostObjects - bytes.count / 8)).contains(first) else {
        throw DatabaseFailure(wrong: "it has places of no change")
      }
      list.add(from: first, bytes)
    }
    return list
  }

  /// Stores the changes that a new line has in common with the others: according to the lists of changes, or, where the store was restored
  /// from the centre's rows, all that the centre had.
  func relate(
    _ line: Line, of store: HealthStore, in database: inout Database, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    let others = entries.filter { $0.line != line }
    guard !others.isEmpty else { return }
    let last = try await Forwarder.store { try await store.restorations() }.last
    let areNeeded = others.contains { $0.line.store == line.store }
    let links =
      areNeeded ? try await Forwarder.store { try await store.historyLinks(from: 1, to: Int64.max) } : []
    var found: [Line: Relation] = [:]
    var parent: (line: Line, fork: Int64)?
    for other in others {
      if let last, last.isOfRows, !other.marks.contains(last.id.text) {
        found[other.line] = Relation(mine: last.change, theirs: other.linked)
      } else if other.line.store == line.store {
        let fork = try Forwarder.centre(&database) { (database) throws(DatabaseFailure) in
          try self.links(of: other.line, where: "", in: &database).fork(from: links)
        }
        found[other.line] = Relation(mine: fork, theirs: fork)
        if fork > parent?.fork ?? 0 { parent = (other.line, fork) }
      }
    }
    // The new line has its parent's relations to other lines, too, up to its fork from the parent.
    if let parent {
      for (other, relation) in relations[parent.line] ?? [:] where other != line {
        let mine = min(parent.fork, relation.mine)
        let theirs = relation.mine == relation.theirs ? mine : relation.theirs
        let present = found[other] ?? .none
        found[other] = Relation(mine: max(present.mine, mine), theirs: max(present.theirs, theirs))
      }
    }
    let rows = found.filter { $0.value != .none }.map { other, relation in
      CentreObject.Row(
        table: .fork,
        fields: [
          .text(gateway), .text(line.store.text), Field(line.history), .text(other.store.text), Field(other.history),
          Field(relation.mine), Field(relation.theirs),
        ])
    }
    try Forwarder.centre(&database) { (database) throws(DatabaseFailure) in
      try database.run(
        "DELETE FROM sensord_fork WHERE gateway = $1 AND store = $2::uuid AND history = $3::integer",
        [.text(gateway), .text(line.store.text), Field(line.history)])
      for insertion in Insertion.of(rows) { try database.run(insertion.statement, insertion.fields) }
    }
  }
}
