/// Associations between samples, by the numbers of the changes that saved them.
struct AssociationTable {
  let connection: Connection

  /// The role of a sample for its owner.
  enum Role: Int64 {
    /// It was saved with its owner and is deleted with it.
    case part = 0
    /// Its owner was computed from it.
    case basis = 1
  }

  func insert(_ members: [Int64], of owner: Int64, as role: Role) throws(StoreError) {
    for (position, member) in members.enumerated() {
      try connection.insert(
        [.integer(owner), .integer(role.rawValue), .integer(Int64(position)), .integer(member)],
        into: Schema.associations)
    }
  }

  /// The parts of an owner in order.
  func parts(of owner: Int64) throws(StoreError) -> [Int64] {
    try rows("SELECT member FROM associations WHERE owner = ?1 AND role = ?2 ORDER BY position", owner)
  }

  /// The owners of which the sample is a part.
  func owners(ofPart member: Int64) throws(StoreError) -> [Int64] {
    try rows("SELECT owner FROM associations WHERE member = ?1 AND role = ?2", member)
  }

  private func rows(_ text: String, _ row: Int64) throws(StoreError) -> [Int64] {
    var statement = try connection.prepare(text)
    try statement.bind(row, at: 1)
    try statement.bind(Role.part.rawValue, at: 2)
    var rows: [Int64] = []
    while try statement.step() { rows.append(statement.integer(0)) }
    return rows
  }

  /// Replaces one sample by another in all associations.
  func replace(_ member: Int64, with other: Int64) throws(StoreError) {
    let values = "owner, role, position, ?2"
    try connection.run(
      "UPDATE associations SET member = ?2, checksum = \(RowChecksum.name)(\(values)) WHERE member = ?1", member, other)
  }

  func delete(of sample: Int64) throws(StoreError) {
    try connection.run("DELETE FROM associations WHERE owner = ?1", sample)
    try connection.run("DELETE FROM associations WHERE member = ?1", sample)
  }
}
