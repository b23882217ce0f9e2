/// A table of the centre, from which its declaration and its statements are made.
public struct CentreTable: Hashable, Sendable {
  /// A type that every engine of PostgreSQL's protocol knows.
  public enum Kind: String, Hashable, Sendable {
    case text, bigint, integer, uuid, bytea
    case real = "double precision"
    /// JSON that the server stores as the same text; `jsonb` would not.
    case json
  }

  /// A column.
  public struct Column: Hashable, Sendable {
    public var name: String
    public var kind: Kind
    public var isRequired: Bool

    init(_ name: String, _ kind: Kind, _ isRequired: Bool = false) {
      (self.name, self.kind, self.isRequired) = (name, kind, isRequired)
    }
  }

  /// The name without the prefix.
  public var name: String
  public var columns: [Column]
  /// The primary key. For rows of a person's objects it begins with person and time.
  public var key: [String]

  /// The name with the prefix of all tables at the centre.
  public var fullName: String { "sensord_\(name)" }

  init(_ name: String, key: [String], _ columns: [Column]) {
    self.name = name
    self.key = key
    self.columns = columns.map { column in
      Column(column.name, column.kind, column.isRequired || key.contains(column.name))
    }
  }

  /// Makes a table whose rows belong to an object: who, when, from which gateway, which object.
  private init(of name: String, key: [String], _ columns: [Column]) {
    self.init(
      name, key: ["person", "time", "gateway", "owner"] + key,
      [Column("person", .text), Column("time", .bigint), Column("gateway", .text), Column("owner", .uuid)] + columns)
  }

  /// The columns that refer to a copy of a store: its gateway, its identity, and which history of it.
  private static let copy: [Column] = [
    Column("gateway", .text), Column("store", .uuid), Column("history", .integer),
  ]

  /// Makes a table whose rows objects refer to by number, in each copy of a store.
  private static func referred(_ name: String, _ columns: [Column]) -> CentreTable {
    CentreTable(
      name, key: ["gateway", "store", "history", "row"], copy + [Column("row", .bigint)] + columns)
  }

  /// The columns that sessions and samples have alike. `time` and `until` are start and end, in microseconds since 1970.
  private static let shared: [Column] = [
    Column("person", .text), Column("time", .bigint), Column("gateway", .text), Column("id", .uuid),
    Column("store", .uuid, true), Column("history", .integer, true), Column("change", .bigint, true),
    Column("saved", .bigint), Column("digest", .bytea, true), Column("until", .bigint, true),
    Column("source", .bigint), Column("device", .bigint),
  ]

  /// The progress of each line of a store's history. `anchor` is opaque; `records` is 1 where clinical records are forwarded, too; `marks`
  /// are the identifiers of the store's restorations; `linked` is the last change that the line ever had at the centre.
  public static let gateway = CentreTable(
    "gateway", key: ["gateway", "store", "history"],
    copy + [
      Column("person", .text, true), Column("program", .text, true), Column("anchor", .text, true),
      Column("sent", .bigint, true), Column("last", .bigint, true), Column("sent_time", .bigint),
      Column("records", .integer, true), Column("marks", .text, true), Column("linked", .bigint, true),
    ])
  /// The list of a line's changes, by which the line is recognized: for each change from `first` on, four bytes of the list's checksum and
  /// four of the commit's time, the lowest ones.
  public static let link = CentreTable(
    "link", key: ["gateway", "store", "history", "first"],
    copy + [Column("first", .bigint), Column("links", .bytea, true)])
  /// The common changes of two lines: the other one knows the first one's up to `mine`, the first one knows the other one's up to `theirs`.
  public static let fork = CentreTable(
    "fork", key: ["gateway", "store", "history", "other_store", "other_history"],
    copy + [
      Column("other_store", .uuid), Column("other_history", .integer), Column("mine", .bigint, true),
      Column("theirs", .bigint, true),
    ])
  /// The further lines that have an object: its rows at the centre came from another line.
  public static let holder = CentreTable(
    "holder", key: ["gateway", "object", "store", "history"],
    copy + [Column("object", .uuid), Column("change", .bigint, true), Column("sync_version", .bigint, true)])
  public static let type = referred(
    "type",
    [
      Column("identifier", .text, true), Column("kind", .text, true), Column("unit", .text, true),
      Column("style", .text, true), Column("style_version", .bigint, true),
    ])
  /// Names of sources, and identifiers with a name in them, are forwarded only where the gateway's settings allow that.
  public static let source = referred(
    "source",
    [
      Column("identifier", .text, true), Column("name", .text, true), Column("version", .text),
      Column("product_type", .text), Column("operating_system_version", .text),
    ])
  /// Name, address and identifier of a device are forwarded only where the gateway's settings allow that.
  public static let device = referred(
    "device",
    [
      Column("person", .text, true), Column("name", .text), Column("manufacturer", .text), Column("model", .text),
      Column("hardware_version", .text), Column("firmware_version", .text), Column("software_version", .text),
      Column("local_identifier", .text), Column("unique_device_identifier", .text),
    ])
  public static let session = CentreTable(
    "session", key: ["person", "time", "gateway", "id"],
    shared + [
      Column("sync_version", .bigint, true), Column("end_reason", .text, true), Column("coverage_floor", .real),
      Column("coverage_ceiling", .real), Column("quality", .text),
    ])
  public static let sample = CentreTable(
    "sample", key: ["person", "time", "gateway", "id"],
    shared + [
      Column("type", .bigint, true), Column("identifier", .text, true), Column("session", .uuid),
      Column("session_change", .bigint), Column("value", .bigint), Column("count", .bigint, true),
      Column("sum", .real), Column("average", .real), Column("minimum", .real), Column("maximum", .real),
      Column("most_recent", .real), Column("most_recent_start", .bigint), Column("most_recent_end", .bigint),
      Column("duration", .bigint), Column("sync_identifier", .text), Column("sync_version", .bigint),
    ])
  /// Packed values as they are in the file, with their summary.
  public static let chunk = CentreTable(
    of: "chunk", key: ["ordinal"],
    [
      Column("ordinal", .integer), Column("sha256", .bytea, true), Column("payload", .bytea, true),
      Column("start_time", .bigint), Column("until", .bigint), Column("count", .bigint), Column("sum", .real),
      Column("minimum", .real), Column("maximum", .real), Column("cells", .bytea),
    ])
  /// The figures of a chunk for a quarter of an hour, or a value that is not packed, in the quarter in which the value begins. `time` is the
  /// quarter's beginning, `start_time` and `until` are those of the whole sample.
  public static let cell = CentreTable(
    of: "cell", key: ["ordinal"],
    [
      Column("ordinal", .integer), Column("device", .bigint), Column("identifier", .text, true),
      Column("count", .bigint, true), Column("sum", .real, true), Column("minimum", .real, true),
      Column("maximum", .real, true), Column("covered", .bigint, true), Column("held", .real, true),
      Column("start_time", .bigint, true), Column("until", .bigint, true),
    ])
  public static let run = CentreTable(
    of: "run", key: ["ordinal"],
    [
      Column("ordinal", .integer), Column("first", .bigint, true), Column("count", .bigint, true),
      Column("first_tick", .bigint, true), Column("anchor", .bigint, true), Column("slope", .bigint, true),
      Column("uncertainty", .bigint, true), Column("start_time", .bigint, true), Column("until", .bigint, true),
    ])
  public static let gap = CentreTable(
    of: "gap", key: ["ordinal"],
    [
      Column("ordinal", .integer), Column("reason", .text, true), Column("detail", .text),
      Column("start_time", .bigint, true), Column("until", .bigint, true), Column("lost", .real),
    ])
  public static let metadata = CentreTable(
    of: "metadata", key: ["ordinal"],
    [
      Column("ordinal", .integer), Column("key", .text, true), Column("form", .integer, true), Column("value", .json),
      Column("unit", .text),
    ])
  public static let association = CentreTable(
    of: "association", key: ["role", "position"],
    [Column("role", .integer), Column("position", .bigint), Column("member", .bigint, true), Column("object", .uuid)])
  /// Rows of every other table, also of kinds that this program does not know, as JSON.
  public static let opaque = CentreTable(
    of: "object", key: ["ordinal"],
    [Column("ordinal", .integer), Column("origin", .text, true), Column("row", .json, true)])
  /// A piece of a file that is attached to a sample; `file` is the SHA-256 of the whole file, `sha256` that of the piece. The file's name
  /// is in ``opaque``, among the rows of the sample.
  public static let attachment = CentreTable(
    of: "attachment", key: ["file", "ordinal"],
    [
      Column("file", .bytea), Column("ordinal", .integer), Column("size", .bigint, true),
      Column("sha256", .bytea, true), Column("payload", .bytea, true),
    ])
  /// Deletions of objects. A deletion has no person.
  public static let tombstone = CentreTable(
    "tombstone", key: ["gateway", "object", "store", "history", "number"],
    [
      Column("gateway", .text), Column("object", .uuid), Column("store", .uuid), Column("history", .integer),
      Column("number", .bigint), Column("deleted", .bigint),
    ])

  /// The tables of an object's rows beside its own row, but for the bytes of files.
  public static let parts = [chunk, cell, run, gap, metadata, association, opaque]
  /// The tables of persons' objects, divided by person.
  public static let sharded = [session, sample] + parts + [attachment]
  /// The tables that the forwarder reads and writes.
  public static let all = [gateway, link, fork, type, source, device] + sharded + [holder, tombstone]
}

/// The value of a statement's parameter.
public enum Field: Hashable, Sendable {
  /// SQL's NULL.
  case null
  /// A text in the form in which the server reads the column's type.
  case text(String)
  /// Bytes, for a `bytea`.
  case bytes([UInt8])
}

extension Field {
  /// A number, or NULL.
  public init(_ number: Int64?) { self = number.map { .text(String($0)) } ?? .null }
  /// A text, or NULL.
  public init(_ text: String?) { self = text.map { .text($0) } ?? .null }
  /// A real with all its digits, or NULL.
  public init(_ real: Double?) {
    self = real.map { .text($0.isInfinite ? ($0 < 0 ? "-Infinity" : "Infinity") : "\($0)") } ?? .null
  }
}

/// A statement that inserts many rows at a time. It needs no trigger and no conflict target, which not every engine has.
public struct Insertion: Hashable, Sendable {
  public var statement: String
  public var fields: [Field]
  /// The number of rows.
  public var count: Int

  /// The greatest number of parameters in a statement; PostgreSQL's limit is 65,535.
  static let most = 20_000

  /// The statements, table by table, that insert those of these rows whose keys the centre does not have yet.
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

  /// A list as one parameter, for `= ANY ($1::uuid[])`, of texts without commas and quotes.
  public static func list(_ texts: some Sequence<String>) -> Field { .text("{\(texts.joined(separator: ","))}") }

  /// A list of any texts as one parameter.
  public static func textList(_ texts: some Sequence<String>) -> Field {
    list(texts.map { "\"\($0.replacing("\\", with: "\\\\").replacing("\"", with: "\\\""))\"" })
  }
}
