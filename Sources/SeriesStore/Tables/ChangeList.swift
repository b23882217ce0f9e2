import FoundationEssentials
import HealthModel

/// The history: every save and deletion of a sample or a session, numbered from 1 without gaps, permanently.
///
/// The checksum of a change covers that of the change before it. Two stores with the same checksum under a number have the
/// same history up to there.
struct ChangeList {
  let connection: Connection

  /// The number of the last change; 0 in an empty store.
  func last() throws(StoreError) -> Int64 {
    try connection.integer("SELECT ifnull(max(number), 0) FROM changes")
  }

  /// The checksum of a change; nil where there is no change of that number.
  func digest(of number: Int64) throws(StoreError) -> Int64? {
    var statement = try connection.prepare("SELECT checksum FROM changes WHERE number = ?1")
    try statement.bind(number, at: 1)
    return try statement.step() ? statement.integer(0) : nil
  }

  /// Appends a change and returns its number; type and source are rows, nil if unknown.
  @discardableResult
  func record(_ object: UUID, type: Int64?, source: Int64?, deleted: Bool) throws(StoreError) -> Int64 {
    let before = if let last = connection.lastChange { last } else { try newest() }
    // In a damaged file the last number may be the greatest: then there is such a row already.
    let number = before.number.addingSaturated(1)
    let values: [SQLValue] = [
      .integer(number), .blob(object.bytes), SQLValue(type), SQLValue(source), .integer(deleted ? 1 : 0),
    ]
    let checksum = SQLValue.integer(RowChecksum.of(values + [before.checksum]))
    var statement = try connection.prepare(Self.insertion)
    for (index, value) in (values + [checksum]).enumerated() { try statement.bind(value, at: Int32(index) + 1) }
    try statement.run()
    connection.lastChange = (number, checksum)
    return number
  }

  /// Number and checksum of the last change; 0 and NULL in an empty store.
  private func newest() throws(StoreError) -> (number: Int64, checksum: SQLValue) {
    var statement = try connection.prepare(Self.newestQuery)
    return try statement.step() ? (statement.integer(0), statement.value(1)) : (0, .null)
  }

  static let newestQuery = "SELECT number, checksum FROM changes ORDER BY number DESC LIMIT 1"
  static let insertion = """
    INSERT INTO changes (number, uuid, type, source, deleted, checksum) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
    """

  /// Changes whose checksum does not continue that of the one before, or that follow a missing number.
  static let broken = """
    SELECT change.number, before.number FROM changes AS change LEFT JOIN changes AS before ON before.number = change.number - 1
    WHERE change.checksum IS NOT \(RowChecksum.name)(
      change.number, change.uuid, change.type, change.source, change.deleted, before.checksum)
    """

  /// Whether a session or sample was deleted.
  func wasDeleted(_ object: UUID) throws(StoreError) -> Bool {
    var statement = try connection.prepare("SELECT 1 FROM changes WHERE \(Self.isObject("?1")) AND deleted")
    try statement.bind(object.bytes, at: 1)
    return try statement.step()
  }

  /// Whether an object was deleted whose UUID begins with these bytes, four at least.
  func wasDeleted(beginningWith bytes: [UInt8]) throws(StoreError) -> Bool {
    var statement = try connection.prepare(
      "SELECT 1 FROM changes WHERE substr(uuid, 1, 4) = substr(?1, 1, 4) AND substr(uuid, 1, \(bytes.count)) = ?1 AND deleted"
    )
    try statement.bind(bytes, at: 1)
    return try statement.step()
  }

  /// The condition that a row of `changes` is about the object whose UUID is in the parameter.
  static func isObject(_ parameter: String) -> String {
    "substr(uuid, 1, 4) = substr(\(parameter), 1, 4) AND uuid = \(parameter)"
  }

  /// The numbers of the changes of that object.
  static func numbers(of parameter: String) -> String {
    "(SELECT number FROM changes WHERE \(isObject(parameter)))"
  }

  /// Records the present time as that of the changes from `first` on.
  func stamp(from first: Int64) throws(StoreError) {
    try connection.insert([.integer(first), SQLValue(Timestamp.now())], into: Schema.commits)
  }
}
