internal import ArgumentParser
internal import Documents
internal import FoundationEssentials
internal import Glibc
internal import HealthModel
internal import Recordings
internal import SeriesStore
internal import StoreCommands

/// `sensord records`: clinical records, which come from files of health providers.
struct RecordsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "records", abstract: "Import, list, get and remove clinical records.",
    discussion: """
      A record is a FHIR resource: an allergy, a diagnosis, a vaccination, a result
      of a laboratory and the like. It is kept byte for byte. No program saves one,
      and each is read only by programs to which you allow it ('sensord grants').

        sensord records import download.json
        sensord records list
        sensord records get 3f2a91bc -o sodium.json
      """,
    subcommands: [
      RecordsListCommand.self, RecordsImportCommand.self, RecordsGetCommand.self, RecordsRemoveCommand.self,
    ], defaultSubcommand: RecordsListCommand.self)

  /// The record that a person means.
  @concurrent static func record(_ name: String, in store: HealthStore?) async throws -> HealthSample {
    guard let store else { return try SampleNames.records.sample(name, of: [HealthSample]()) }
    return try SampleNames.records.sample(name, of: try await SampleQuery(.clinicalRecords).result(for: store).value)
  }
}

/// `sensord records list`.
struct RecordsListCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "List clinical records, by the time that they are about.",
    usage: "sensord records list [options]")

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the list as JSON.")
  var json = false

  mutating func run() throws {
    if !json { try ZoneChoice.requireLocal() }
    let reader = try store.openToRead()
    let entries = try CommandLoop.run { () async throws -> [RecordEntry] in
      guard let reader else { return [] }
      let samples = try await SampleQuery(.clinicalRecords).result(for: reader).value
      let names = try await reader.clinicalRecordNames(of: samples.map(\.id))
      return samples.map { RecordEntry($0, name: names[$0.id] ?? "") }
    }
    if json { return try StandardOutput.write(JSONValue.lines(entries.map(\.json))) }
    guard !entries.isEmpty else {
      return StandardError.write("There are no clinical records. 'sensord records import FILE' brings some.\n")
    }
    var table = TextTable([
      .init("Record"), .init("Date"), .init("Type"), .init("Name", shrinks: true), .init("Source", shrinks: true),
    ])
    for entry in entries {
      table.add([
        entry.shortName, String(LocalTime.minute(entry.sample.start.microseconds).prefix(10)),
        TypeWords.text(entry.sample.type.identifier), entry.name, entry.sample.source.identifier,
      ])
    }
    try StandardOutput.write(table.rendered(columns: StandardOutput.columns))
  }
}

/// `sensord records get RECORD`.
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
      let sample = try await RecordsCommand.record(name, in: reader)
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

/// `sensord records remove RECORD`.
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
      let sample = try await RecordsCommand.record(name, in: writer)
      try await writer.delete([sample.id], as: sample.source.identifier)
      await writer.close()
    }
  }
}
