public import FoundationEssentials
internal import HealthModel
public import SeriesStore

/// A session or a sample as the centre gets it: whose it is, and a row for each table that has some of it.
public struct CentreObject: Hashable, Sendable {
  /// A row of a table of the centre; a field for each of its columns.
  public struct Row: Hashable, Sendable {
    public var table: CentreTable
    public var fields: [Field]

    public init(table: CentreTable, fields: [Field]) {
      self.table = table
      self.fields = fields
    }

    /// Whether the server takes each field for its column.
    var fits: Bool {
      zip(fields, table.columns).allSatisfy { field, column in
        switch (field, column.kind) {
        case (.null, _): !column.isRequired
        case (.bytes, let kind): kind == .bytea
        case (.text(let text), .bigint): Int64(text) != nil
        case (.text(let text), .integer): Int32(text) != nil
        case (.text(let text), .real): Double(text) != nil
        case (.text, let kind): kind != .bytea
        }
      }
    }
  }

  /// An object's name in its source.
  public struct SyncKey: Hashable, Sendable {
    /// The source's identifier, as the centre has it.
    public var source: String
    public var identifier: String

    public init(source: String, identifier: String) {
      (self.source, self.identifier) = (source, identifier)
    }
  }

  public var id: UUID
  public var isSession: Bool
  /// The session that a sample belongs to: what is deleted with it.
  public var session: UUID?
  public var person = ""
  /// When it begins, in microseconds since 1970.
  public var time: Int64 = 0
  public var until: Int64 = 0
  /// The number of the change that saved it, and its version among those of the same identity.
  public var change: Int64
  public var syncVersion: Int64 = 0
  /// The number of the change that saved its session.
  public var sessionChange: Int64?
  /// By which a program knows it, whatever its identifier is; nil where nothing does.
  public var sync: SyncKey?
  /// SHA-256 of the digests of all its rows, in order.
  public var digest: [UInt8] = []
  /// Its own row first.
  public var rows: [Row] = []
  /// Whether a row is not as the store's format has it: it is among the others as JSON, and what is derived of it is missing.
  public var isDamaged = false
  /// Whether a row is not what was written: it goes where the centre has nothing of the object, and takes the place of nothing.
  public var isAltered = false
  /// SHA-256 of each packed chunk, in order.
  public var chunks: [[UInt8]] = []

  /// An object without its rows.
  public init(id: UUID, isSession: Bool, session: UUID?, change: Int64) {
    self.id = id
    self.isSession = isSession
    self.session = session
    self.change = change
  }

  /// Whether what its own line has at the centre gives way to this: it is the same object in an older version.
  public func replaces(syncVersion other: Int64, change otherChange: Int64) -> Bool {
    (syncVersion, change) >= (other, otherChange)
  }
}

/// Makes objects of what a store has.
public struct CentreObjects: Sendable {
  /// The gateway, the store and which history of it.
  public var copy: CentreCopy
  /// The wearers of the sensors.
  public var persons: Persons

  public init(copy: CentreCopy, persons: Persons) {
    self.copy = copy
    self.persons = persons
  }

  /// An object with its rows; nil where the store does not have it any more, and of a clinical record that stays at home.
  ///
  /// - Throws: ``StoreError/Code/corrupt(object:)`` where its own row, or one that says whose it is, is not as the store's format has
  ///   it, or not what was written.
  public func object(_ stored: StoredChange) throws(StoreError) -> CentreObject? {
    guard stored.damagedTables.isDisjoint(with: Self.identifying) else { throw Self.damaged(stored) }
    guard let own = stored.rows.first else { return nil }
    let isRecord = stored.rows.contains { $0.table == Self.recordTable }
    if isRecord, !persons.sendsRecords { return nil }
    guard case .integer(let start) = own["start"], case .integer(let end) = own["end"] else {
      throw Self.damaged(stored)
    }
    let person = persons.person(ofDevice: stored.device)
    var made = CentreObject(
      id: stored.object, isSession: own.table == "sessions", session: stored.session, change: stored.number)
    (made.person, made.time, made.until) = (person, start, end)
    made.syncVersion = own["sync_version"].integer ?? 0
    made.sessionChange = own["session"].integer
    if case .text(let identifier) = own["sync_identifier"], let source = stored.source,
      case .text(let name) = persons.sendsNames ? source["identifier"] : .text(Self.nameless(source))
    {
      made.sync = .init(source: name, identifier: identifier)
    }
    made.isAltered = !stored.damagedTables.isEmpty
    made.digest = Self.digest(of: stored.rows)
    let head: [Field] = [.text(person), Field(start), .text(copy.gateway), .text(stored.object.text)]
    let first = ownRow(own, of: stored, head: head, digest: made.digest)
    guard first.fits else { throw Self.damaged(stored) }
    made.rows.append(first)
    var numbers: [String: Int64] = [:]
    func next(_ table: CentreTable) -> Int64 {
      defer { numbers[table.name, default: 0] += 1 }
      return numbers[table.name, default: 0]
    }
    let summaries = Dictionary(
      stored.rows.filter { $0.table == "summaries" }.map { ($0["id"], $0) }, uniquingKeysWith: { first, _ in first })
    let chunks = Set(stored.rows.filter { $0.table == "chunks" }.map { $0["id"] })
    for row in stored.rows {
      if row.hasZero {
        // A text of the server cannot have a zero; in JSON it is written as others.
        made.rows.append(opaque(row, head: head, ordinal: next(.opaque)))
        if row.table != own.table { continue }
      } else if isRecord, row.table == "metadata_values" {
        // Metadata of clinical records become rows that no researcher sees.
        made.rows.append(opaque(row, head: head, ordinal: next(.opaque)))
        continue
      }
      switch row.table {
      case own.table: break
      case "chunks":
        guard case .blob(let payload) = row["payload"] else { throw Self.damaged(stored) }
        let digest = StoredRow.digest(of: payload)
        made.chunks.append(digest)
        let summary = summaries[row["id"]]
        let ordinal = next(.chunk)
        let figures = ["start", "end", "count", "sum", "minimum", "maximum", "cells"]
        let packed = head + [Field(ordinal), .bytes(digest), .bytes(payload)]
        let whole = CentreObject.Row(table: .chunk, fields: packed + figures.map { summary?[$0].field ?? .null })
        if let summary, !whole.fits || stored.damagedTables.contains("summaries") {
          made.isDamaged = true
          made.rows.append(.init(table: .chunk, fields: packed + figures.map { _ in .null }))
          made.rows.append(opaque(summary, head: head, ordinal: next(.opaque)))
          continue
        }
        made.rows.append(whole)
        if case .blob(let bytes)? = summary?["cells"] {
          let device = own["device"].field
          let identifier = stored.type?["identifier"].field ?? .text("")
          let cells: [QuarterCell]
          do throws(StoreError) { cells = try QuarterCell.unpack(bytes) } catch {
            made.isDamaged = true
            continue
          }
          for (place, cell) in cells.enumerated() {
            made.rows.append(
              .init(
                table: .cell,
                fields: [
                  .text(person), Field(cell.start.microseconds), .text(copy.gateway), .text(stored.object.text),
                  Field(ordinal << 16 | Int64(place)), device, identifier, Field(Int64(cell.count)), Field(cell.sum),
                  Field(cell.minimum), Field(cell.maximum), Field(cell.covered), Field(cell.held), Field(start),
                  Field(end),
                ]))
          }
        }
      case "summaries" where chunks.contains(row["id"]): break
      case "runs":
        let columns = ["first", "count", "first_tick", "anchor", "slope", "uncertainty", "start", "end"]
        made.rows.append(
          .init(table: .run, fields: head + [row["ordinal"].field] + columns.map { row[$0].field }))
      case "gaps":
        let columns = ["ordinal", "reason", "detail", "start", "end", "lost"]
        made.rows.append(.init(table: .gap, fields: head + columns.map { row[$0].field }))
      case "metadata_values":
        made.rows.append(
          .init(
            table: .metadata,
            fields: head + [
              Field(next(.metadata)), row["key"].field, row["form"].field, .text(RowText.json(row["value"])),
              row["unit"].field,
            ]))
      case "associations":
        let member = row["member"].integer ?? 0
        made.rows.append(
          .init(
            table: .association,
            fields: head + [
              row["role"].field, row["position"].field, Field(member), Field(stored.members[member]?.text),
            ]))
      default: made.rows.append(opaque(row, head: head, ordinal: next(.opaque)))
      }
      if let last = made.rows.last, !last.fits {
        made.isDamaged = true
        made.rows[made.rows.count - 1] = opaque(row, head: head, ordinal: next(.opaque))
      }
    }
    if let cell = cellOfValue(own, of: stored, person: person) { made.rows.append(cell) }
    return made
  }

  /// The tables that say what an object is, whose and when. Where a row of these was altered the object is left out: it could be made
  /// another person's.
  private static let identifying: Set = ["changes", "sessions", "samples", "types", "sources", "devices"]

  /// The cell of a quantity that its sample's row has, not a chunk. Figures of a session are none: it has its rates.
  private func cellOfValue(_ own: StoredRow, of stored: StoredChange, person: String) -> CentreObject.Row? {
    guard own.table == "samples", own["session"] == .null, own["count"] == .integer(1),
      case .real(let value) = own["most_recent"], let start = own["most_recent_start"].integer,
      let end = own["most_recent_end"].integer, !stored.rows.contains(where: { $0.table == "chunks" })
    else { return nil }
    let quarter: Int64 = 900_000_000
    let rest = start % quarter
    let covered = end.subtractingReportingOverflow(start).partialValue
    return .init(
      table: .cell,
      fields: [
        .text(person), Field(start &- (rest < 0 ? rest + quarter : rest)), .text(copy.gateway),
        .text(stored.object.text),
        .text("0"), own["device"].field, stored.type?["identifier"].field ?? .text(""), .text("1"), Field(value),
        Field(value), Field(value), Field(covered), Field(value * Double(covered)), own["start"].field,
        own["end"].field,
      ])
  }

  private func ownRow(_ own: StoredRow, of stored: StoredChange, head: [Field], digest: [UInt8]) -> CentreObject.Row {
    let shared =
      head + [
        .text(copy.store.text), Field(copy.history), Field(stored.number), Field(stored.time?.microseconds),
        .bytes(digest), own["end"].field, own["source"].field, own["device"].field,
      ]
    if own.table == "sessions" {
      let columns = ["sync_version", "end_reason", "coverage_floor", "coverage_ceiling", "quality"]
      return .init(table: .session, fields: shared + columns.map { own[$0].field })
    }
    let columns = [
      "value", "count", "sum", "average", "minimum", "maximum", "most_recent", "most_recent_start", "most_recent_end",
      "duration", "sync_identifier", "sync_version",
    ]
    return .init(
      table: .sample,
      fields: shared + [
        own["type"].field, stored.type?["identifier"].field ?? .text(""), Field(stored.session?.text),
        own["session"].field,
      ] + columns.map { own[$0].field })
  }

  private func opaque(_ row: StoredRow, head: [Field], ordinal: Int64) -> CentreObject.Row {
    .init(table: .opaque, fields: head + [Field(ordinal), SQLValue.text(row.table).field, .text(RowText.json(row))])
  }

  /// The rows that objects refer to.
  public func references(_ stored: StoredChange) -> [CentreObject.Row] {
    func row(_ table: CentreTable, _ row: StoredRow, _ columns: [String], _ first: [Field] = []) -> CentreObject.Row {
      let copy: [Field] = [.text(copy.gateway), .text(copy.store.text), Field(copy.history), row["id"].field]
      return .init(table: table, fields: copy + first + columns.map { row[$0].field })
    }
    var rows: [CentreObject.Row] = []
    if let type = stored.type {
      rows.append(row(.type, type, ["identifier", "kind", "unit", "style", "style_version"]))
    }
    if let source = stored.source {
      let further = ["version", "product_type", "operating_system_version"]
      if persons.sendsNames {
        rows.append(row(.source, source, ["identifier", "name"] + further))
      } else {
        let identifier = Field.text(Self.nameless(source))
        rows.append(row(.source, source, further, [identifier, identifier]))
      }
    }
    if let device = stored.device {
      let home = persons.sendsNames ? ["local_identifier", "unique_device_identifier"] : ["", ""]
      let columns =
        [persons.sendsNames ? "name" : ""] + [
          "manufacturer", "model", "hardware_version", "firmware_version", "software_version",
        ] + home
      rows.append(row(.device, device, columns, [.text(persons.person(ofDevice: device))]))
    }
    return rows
  }

  /// The mark of an object that is damaged in the store, or has files that are: of nobody, so that who asks for persons does not
  /// find it.
  public func mark(_ object: UUID, ofFiles: Bool = false) -> CentreObject.Row {
    .init(
      table: .opaque,
      fields: [
        .text(""), .text("0"), .text(copy.gateway), .text(object.text), Field(ofFiles ? Self.fileMark : 0),
        .text(Self.damagedOrigin),
        .text("{}"),
      ])
  }

  /// The ordinal of marks of damaged files: they go and come by themselves.
  public static let fileMark: Int64 = 1
  /// The origin by which marks of damaged objects are known.
  public static let damagedOrigin = "damaged"

  /// Returns the identifier that a source gets where names stay at home.
  ///
  /// Programs' own identifiers stay, so that after a restoration they find what is theirs. Those that an import made have the name
  /// of a device or a file in them, or a serial number: these get the number of their row, which tells nothing. No digest: of a
  /// name one could try which it is.
  static func nameless(_ source: StoredRow) -> String {
    guard case .text(let identifier) = source["identifier"] else { return "source" }
    let number = source["id"].integer ?? 0
    let first = identifier.prefix { $0 != "." }
    if imports.contains(String(first)) { return first == identifier ? identifier : "\(first).\(number)" }
    let isOfProgram = identifier.contains(".") && Persons.isPseudonym(identifier)
    return isOfProgram || ownSources.contains(identifier) ? identifier : "source.\(number)"
  }

  /// The first parts of the identifiers that imports make.
  private static let imports: Set = ["apple", "fit", "tcx", "wfdb"]
  /// The identifiers of the recorder, and of files that do not say where they are from.
  private static let ownSources: Set = ["sensord", "hrvlogger", "rr", "fhir"]

  /// The store's table with the documents of clinical records.
  public static let recordTable = "clinical_records"
  /// The samples that are clinical records.
  static let recordTypes = [
    ClinicalType.allergyRecord, .clinicalNoteRecord, .conditionRecord, .coverageRecord, .immunizationRecord,
    .labResultRecord, .medicationRecord, .procedureRecord, .vitalSignRecord,
  ].map(\.identifier)
  /// Rows of other tables that no researcher sees: documents, what files are called, and metadata of documents.
  static let hiddenOrigins = [recordTable, "attachments", "metadata_values"]

  /// The row of a deletion.
  public func tombstone(_ stored: StoredChange) -> CentreObject.Row {
    .init(
      table: .tombstone,
      fields: [
        .text(copy.gateway), .text(stored.object.text), .text(copy.store.text), Field(copy.history),
        Field(stored.number), Field(stored.time?.microseconds),
      ])
  }

  static func digest(of rows: [StoredRow]) -> [UInt8] { StoredRow.digest(of: rows.flatMap(\.digest)) }

  private static func damaged(_ stored: StoredChange) -> StoreError {
    StoreError(
      .corrupt(object: "change \(stored.number)"),
      "change \(stored.number) is damaged in the store and was not forwarded; 'sensord check' says more")
  }
}

/// A copy of a store, and which of its histories: one more each time that an older copy was put in its place.
public struct CentreCopy: Hashable, Sendable {
  public var gateway: String
  public var store: UUID
  public var history: Int64

  public init(gateway: String, store: UUID, history: Int64) {
    self.gateway = gateway
    self.store = store
    self.history = history
  }

  public var line: Line { Line(store: store, history: history) }
}

extension UUID {
  /// As the centre writes it.
  public var text: String { uuidString.lowercased() }
}

extension SQLValue {
  var integer: Int64? { if case .integer(let integer) = self { integer } else { nil } }

  var field: Field {
    switch self {
    case .null: .null
    case .integer(let integer): Field(integer)
    case .real(let real): Field(real)
    case .text(let text): .text(text.contains("\0") ? text.replacing("\0", with: "\u{FFFD}") : text)
    case .blob(let bytes): .bytes(bytes)
    }
  }
}

extension StoredRow {
  /// Whether a text of it has a zero.
  fileprivate var hasZero: Bool {
    values.contains { if case .text(let text) = $0 { text.utf8.contains(0) } else { false } }
  }
}
