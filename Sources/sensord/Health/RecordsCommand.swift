import ArgumentParser
import Documents
import FoundationEssentials
import Glibc
import HealthModel
import Reports
import SeriesStore
import Support

/// `sensord health records`: clinical records, which come from files of health providers.
struct RecordsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "records", abstract: "Import, list, get and remove clinical records.",
    discussion: """
      A record is a FHIR resource: an allergy, a diagnosis, a vaccination, a result
      of a laboratory and the like. It is kept byte for byte. No program saves one,
      and each is read only by programs to which you allow it ('sensord grants').

        sensord health records import download.json
        sensord health records list
        sensord health records get 3f2a91bc -o sodium.json
      """,
    subcommands: [
      RecordsListCommand.self, RecordsImportCommand.self, RecordsGetCommand.self, RecordsRemoveCommand.self,
    ], defaultSubcommand: RecordsListCommand.self)
}

/// `sensord health records list`.
struct RecordsListCommand: ListCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List clinical records, by the time that they are about.",
    usage: "sensord health records list [options]")

  @OptionGroup var list: ListOptions

  func listing() throws -> Listing {
    let entries = try list.read { store in
      let samples = try await SampleNames.records.samples(in: store)
      let names = try await store?.clinicalRecordNames(of: samples.map(\.id)) ?? [:]
      return samples.map { RecordEntry($0, name: names[$0.id] ?? "") }
    }
    return Listing(
      entries, json: \.json,
      absence: "There are no clinical records. 'sensord health records import FILE' brings some.\n", rows: Self.table)
  }

  private static func table(_ entries: [RecordEntry], columns: Int) -> String {
    var table = TextTable([
      .init("Record"), .init("Date"), .init("Type"), .init("Name", shrinks: true), .init("Source", shrinks: true),
    ])
    for entry in entries {
      table.add([
        entry.shortName, String(LocalTime.minute(entry.sample.start.microseconds).prefix(10)),
        TypeWords.text(entry.sample.type.identifier), entry.name, entry.sample.source.identifier,
      ])
    }
    return table.rendered(columns: columns)
  }
}

/// `sensord health records get RECORD`.
struct RecordsGetCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "get", abstract: "Write a record's document to standard output, or to a file.",
    discussion: "To a file or a pipe go the bytes as they came.")

  @Argument(help: "The first digits of the record's name, or last.")
  var record: String

  @Option(name: .shortAndLong, help: "Write to this file; it appears when it is whole.", completion: .file())
  var output: String?

  @OptionGroup var store: StoreOptions

  mutating func run() throws {
    let name = record
    let reader = try store.openToRead()
    let document = try CommandLoop.run { () async throws -> [UInt8] in
      let sample = try await SampleNames.records.sample(name, in: reader)
      guard let reader else { return [] }
      return try await ClinicalRecordQuery(sample.id).result(for: reader).value.resource.data
    }
    if let output {
      let file = try ReplacedFile(path: output)
      try file.write(document)
      try file.finish()
    } else if isatty(STDOUT_FILENO) == 1 {
      // A document is text of others: a terminal must not obey it.
      let lines = String(decoding: document, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
      try StandardOutput.write(lines.map { PrintableText.line(String($0)) + "\n" }.joined())
    } else {
      try StandardOutput.write(document)
    }
  }
}

/// `sensord health records remove RECORD`.
struct RecordsRemoveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "remove", abstract: "Remove a record, and its files, for good.")

  @Argument(help: "The first digits of the record's name, or last.")
  var record: String

  @OptionGroup var store: StoreOptions

  mutating func run() throws {
    let writer = try store.openToWrite(making: false)
    let name = record
    try CommandLoop.run {
      let sample = try await SampleNames.records.sample(name, in: writer)
      try await writer.delete([sample.id], as: sample.source.identifier)
      await writer.close()
    }
  }
}

/// `sensord health records import FILE…`.
struct RecordsImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Import FHIR resources from files.",
    usage: "sensord health records import <file> … [--source <name>] [options]",
    discussion: """
      A file is one resource as JSON, a Bundle, or a resource on each line. What is
      no record, such as a Patient, is left out and told. Twice adds nothing.

      With --source, the name of a provider, a resource that was changed there
      replaces the one of the same identifier; without, it is kept beside it.

        sensord health records import --source clinic allergies.json results.ndjson
      """)

  @Argument(help: "The files.", completion: .file())
  var files: [String]

  @Option(help: ArgumentHelp("Whose records they are.", valueName: "name"))
  var source: String?

  @Option(name: .customLong("fhir-version"), help: ArgumentHelp("The version of FHIR, as in 4.0.1.", valueName: "n"))
  var fhirVersion: String?

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print what came in as JSON.")
  var json = false

  func validate() throws {
    if let source, source.isEmpty || source.utf8.count > 100 { throw ValidationError("--source has 1 to 100 bytes") }
  }

  private static let mostBytes = 256 << 20

  mutating func run() throws {
    let writer = try store.openToWrite(making: true)
    let provider = SourceRevision(identifier: source ?? "fhir", name: source ?? "FHIR file")
    var account = RecordAccount()
    for path in files {
      Progress.show("importing \(PrintableText.line(path, columns: 60))")
      defer { Progress.clear() }
      let batch = Self.batch(
        try FileAccess.read(path, limit: Self.mostBytes), isNamed: source != nil, fhirVersion: fhirVersion, &account)
      let outcomes = try CommandLoop.run { try await writer.save(batch, as: provider) }
      account.add(outcomes)
    }
    try CommandLoop.run { await writer.close() }
    try account.write(json)
  }

  /// The records of a file. Invalid resources are added to the account.
  private static func batch(
    _ bytes: [UInt8], isNamed: Bool, fhirVersion: String?, _ account: inout RecordAccount
  ) -> [NewSample] {
    let resources: [[UInt8]]
    do throws(ClinicalRecordError) {
      resources = try FHIRFile.resources(in: bytes)
    } catch {
      account.leaveOut(error)
      return []
    }
    var batch: [NewSample] = []
    for resource in resources {
      do throws(ClinicalRecordError) {
        let imported = try ImportedRecord(resource, fhirVersion: fhirVersion)
        let time = imported.date ?? imported.lastUpdated ?? Timestamp(microseconds: LocalTime.now())
        batch.append(try NewSample(imported.record, at: time, sync: identity(of: imported, isNamed: isNamed)))
      } catch {
        account.leaveOut(error)
      }
    }
    return batch
  }

  /// The identity of a record: its identifier on the server where `--source` names the provider and the record has a date of
  /// change; else the digest of its bytes.
  private static func identity(of imported: ImportedRecord, isNamed: Bool) -> SyncIdentity {
    let resource = imported.record.resource
    if isNamed, let identifier = resource.identifier, let updated = imported.lastUpdated {
      return SyncIdentity(identifier: "\(resource.resourceType)/\(identifier)", version: updated.microseconds)
    }
    var hash = SHA256()
    hash.add(resource.data[...])
    return SyncIdentity(identifier: "sha256:" + Hexadecimal.text(hash.digest()), version: 1)
  }
}

/// The outcomes of the records and other resources in the files.
private struct RecordAccount {
  private var outcomes: [CommitOutcome: Int] = [:]
  private var leftOut: [ClinicalRecordError: Int] = [:]

  mutating func add(_ outcomes: [CommitOutcome]) {
    for outcome in outcomes { self.outcomes[outcome, default: 0] += 1 }
  }

  mutating func leaveOut(_ reason: ClinicalRecordError) { leftOut[reason, default: 0] += 1 }

  /// Whether the files are damaged. Other resources are no damage: every download has a Patient.
  private var isDamaged: Bool {
    leftOut.keys.contains { if case .otherResource = $0 { false } else { true } }
  }

  private var reasons: [(text: String, count: Int)] {
    leftOut.map { ($0.key.description, $0.value) }.sorted { ($1.count, $0.text) < ($0.count, $1.text) }
  }

  /// Prints the account; throws where something is damaged.
  func write(_ json: Bool) throws {
    func count(_ outcome: CommitOutcome) -> Int { outcomes[outcome, default: 0] }
    if json {
      let document: JSONValue = [
        "added": .integer(count(.stored)), "replaced": .integer(count(.replaced)),
        "known": .integer(count(.unchanged)),
        "leftOut": .array(reasons.map { ["reason": .string($0.text), "count": .integer($0.count)] }),
      ]
      try StandardOutput.write(document.text + "\n")
    } else {
      let added = "\(count(.stored)) record\(count(.stored) == 1 ? "" : "s") added"
      try StandardOutput.write("\(added), \(count(.replaced)) replaced, \(count(.unchanged)) known already\n")
      for reason in reasons {
        StandardError.write("sensord: left out: \(PrintableText.line(reason.text)) (\(reason.count) ×)\n")
      }
    }
    if isDamaged { throw EarlierReport(status: .badData) }
  }
}
