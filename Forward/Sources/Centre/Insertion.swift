/// Statements of many rows at a time: PostgreSQL takes 65,535 parameters, and neither triggers nor conflict targets are needed.
public struct Insertion: Hashable, Sendable {
  public var statement: String
  public var fields: [Field]
  /// The number of rows.
  public var count: Int

  /// In parameters.
  static let most = 20_000

  /// The statements that insert these rows, of whatever tables, where they are not there yet; table by table.
  public static func of(_ rows: [CentreObject.Row]) -> [Insertion] {
    var insertions: [Insertion] = []
    for table in CentreTable.all {
      let fields = rows.lazy.filter { $0.table == table }.map(\.fields)
      var pending: [[Field]] = []
      for row in fields {
        pending.append(row)
        if (pending.count + 1) * table.columns.count > most {
          insertions.append(Insertion(pending, into: table))
          pending = []
        }
      }
      if !pending.isEmpty { insertions.append(Insertion(pending, into: table)) }
    }
    return insertions
  }

  private init(_ rows: [[Field]], into table: CentreTable) {
    let width = table.columns.count
    let groups = rows.indices.map { row in
      let places = table.columns.enumerated().map { "$\(row * width + $0.offset + 1)::\($0.element.kind.rawValue)" }
      return "(\(places.joined(separator: ",")))"
    }
    let columns = table.columns.map { CentreSchema.quoted($0.name) }.joined(separator: ", ")
    statement =
      "INSERT INTO \(table.fullName) (\(columns)) VALUES \(groups.joined(separator: ",")) ON CONFLICT DO NOTHING"
    fields = rows.flatMap { $0 }
    count = rows.count
  }

  /// A list as one parameter, for `= ANY ($1::uuid[])`: of what has neither commas nor quotes.
  public static func list(_ texts: some Sequence<String>) -> Field { .text("{\(texts.joined(separator: ","))}") }

  /// The same of any texts.
  public static func textList(_ texts: some Sequence<String>) -> Field {
    list(texts.map { "\"\($0.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"" })
  }
}
