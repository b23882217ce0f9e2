internal import ArgumentParser
internal import Bits
internal import Documents
internal import FoundationEssentials
internal import HealthModel
internal import Recordings
internal import SeriesStore
internal import StoreCommands

/// `sensord records import FILE…`.
struct RecordsImportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Import FHIR resources from files.",
    usage: "sensord records import <file> … [--source <name>] [options]",
    discussion: """
      A file is one resource as JSON, a Bundle, or a resource on each line. What is
      no record, such as a Patient, is left out and told. Twice adds nothing.

      With --source, the name of a provider, a resource that was changed there
      replaces the one of the same identifier; without, it is kept beside it.

        sensord records import --source clinic allergies.json results.ndjson
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

  /// The records of a file. What cannot be one goes to the account.
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

  /// By its identifier on the server where both say which; else by its bytes.
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

/// What became of what stood in the files.
private struct RecordAccount {
  private var outcomes: [CommitOutcome: Int] = [:]
  private var leftOut: [ClinicalRecordError: Int] = [:]

  mutating func add(_ outcomes: [CommitOutcome]) {
    for outcome in outcomes { self.outcomes[outcome, default: 0] += 1 }
  }

  mutating func leaveOut(_ reason: ClinicalRecordError) { leftOut[reason, default: 0] += 1 }

  /// Other resources are no damage: every download has a Patient.
  private var isDamaged: Bool {
    leftOut.keys.contains { if case .otherResource = $0 { false } else { true } }
  }

  private var reasons: [(text: String, count: Int)] {
    leftOut.map { ($0.key.description, $0.value) }.sorted { ($1.count, $0.text) < ($0.count, $1.text) }
  }

  /// Prints it; throws where something is damaged.
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
