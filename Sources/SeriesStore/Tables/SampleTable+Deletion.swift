import FoundationEssentials
import HealthModel

extension SampleTable {
  /// Deletes samples that `source` saved; ``Erasure`` removes their bytes.
  func delete(_ samples: [UUID], as source: String) throws(StoreError) {
    for uuid in samples { try delete(uuid, as: source) }
    try connection.provenance.deleteUnused()
    try Erasure(connection: connection).note()
  }

  /// Deletes the samples of `source` that match the predicate and belong to nothing else. Returns their number, without
  /// parts.
  func delete(_ predicate: SamplePredicate, as source: String) throws(StoreError) -> Int {
    var numbers: [Int64] = []
    do {
      let condition = try connection.condition(predicate, firstParameter: 3)
      var statement = try connection.prepare(
        """
        SELECT sample.id FROM \(SampleReader.tables)
        WHERE source.identifier = ?1 AND sample.session IS NULL AND (\(condition.text))
          AND sample.id NOT IN (SELECT member FROM associations WHERE role = ?2)
        """)
      try statement.bind(source, at: 1)
      try statement.bind(AssociationTable.Role.part.rawValue, at: 2)
      try condition.bind(to: &statement)
      while try statement.step() { numbers.append(statement.integer(0)) }
    }
    guard !numbers.isEmpty else { return 0 }
    for number in numbers { try delete(number) }
    try connection.provenance.deleteUnused()
    try Erasure(connection: connection).note()
    return numbers.count
  }

  private func delete(_ uuid: UUID, as source: String) throws(StoreError) {
    let name = uuid.uuidString.lowercased()
    guard let number = try number(of: uuid) else { throw StoreError(.notFound, "there is no sample \(name)") }
    do {
      var statement = try connection.prepare(
        """
        SELECT source.identifier, sample.session FROM samples AS sample JOIN sources AS source
          ON source.id = sample.source WHERE sample.id = ?1
        """)
      try statement.bind(number, at: 1)
      guard try statement.step() else { throw connection.corrupt("sample \(name)") }
      guard statement.text(0) == source else {
        throw StoreError(.permission, "the sample \(name) was saved by another program, and only that may delete it")
      }
      guard statement.isNull(1) else {
        throw StoreError(.invalid, "the sample \(name) belongs to a session; delete that")
      }
    }
    if let owner = try connection.associations.owners(ofPart: number).first {
      let whole = try self.uuid(of: owner)?.uuidString.lowercased() ?? ""
      throw StoreError(.invalid, "the sample \(name) is a part of \(whole); delete that")
    }
    try delete(number)
  }

  /// Removes a sample with its parts and everything that belongs to it, and records the deletion, unless the identifier
  /// of the sample is unreadable.
  ///
  /// With `keepsAssociations` the associations in which the sample is a member stay, because a successor will get its
  /// place. With `isReplaced` the successor has the same identifier, so no deletion is recorded.
  func delete(_ number: Int64, keepsAssociations: Bool = false, isReplaced: Bool = false) throws(StoreError) {
    // In a damaged file, or a later program's, parts may have parts and may refer to each other: each is deleted once.
    var whole = [number]
    var known: Set = [number]
    var next = 0
    while next < whole.count {
      for part in try connection.associations.parts(of: whole[next]) where known.insert(part).inserted {
        whole.append(part)
      }
      next += 1
    }
    for part in whole.dropFirst() { try remove(part, keepsAssociations: false) }
    try remove(number, keepsAssociations: keepsAssociations, isReplaced: isReplaced)
  }

  /// Removes one sample without its parts. A number without a sample leaves no tombstone.
  private func remove(
    _ number: Int64, keepsAssociations: Bool, isReplaced: Bool = false
  ) throws(StoreError) {
    try connection.attachments.noteRemoval(of: number)
    for table in try contentTables() {
      // A number that has no room for places has no rows; the rows of another sample must not be removed for it.
      let first = number << table.shift
      guard first >> table.shift == number else { continue }
      try connection.run(
        "DELETE FROM \(table.name) WHERE \(table.column) BETWEEN ?1 AND ?2", first, first | (1 << table.shift - 1))
    }
    try connection.metadata.delete(of: number)
    try connection.clocks.delete(of: number)
    try connection.run("DELETE FROM associations WHERE owner = ?1", number)
    if !keepsAssociations {
      try connection.associations.uncollect(number)
      try connection.run("DELETE FROM associations WHERE member = ?1", number)
    }
    let provenance = try provenance(of: number)
    try connection.run("DELETE FROM samples WHERE id = ?1", number)
    if !isReplaced, let provenance, let uuid = try uuid(of: number) {
      try connection.changeList.record(uuid, type: provenance.type, source: provenance.source, deleted: true)
    }
  }

  /// The rows of a sample's type and source; nil if there is no such sample.
  private func provenance(of number: Int64) throws(StoreError) -> (type: Int64?, source: Int64?)? {
    var statement = try connection.prepare("SELECT type, source FROM samples WHERE id = ?1")
    try statement.bind(number, at: 1)
    return try statement.step() ? (statement.optionalInteger(0), statement.optionalInteger(1)) : nil
  }

  /// The content tables of all kinds, including unknown ones, as the file lists them.
  func contentTables() throws(StoreError) -> [(name: String, column: String, shift: Int64)] {
    var statement = try connection.prepare(
      """
      SELECT content.name, content.key_column, content.shift FROM content_tables AS content
        JOIN sqlite_schema AS present ON present.type = 'table' AND present.name = content.name
        JOIN pragma_table_info(content.name) AS part ON part.name = content.key_column
      WHERE content.shift BETWEEN 0 AND 20 ORDER BY content.name
      """)
    var tables: [(name: String, column: String, shift: Int64)] = []
    while try statement.step() {
      guard let name = statement.text(0), let column = statement.text(1) else { continue }
      tables.append((Self.quoted(name), Self.quoted(column), statement.integer(2)))
    }
    return tables
  }

  /// An identifier quoted for SQL, whatever it contains.
  static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
