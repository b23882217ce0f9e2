import ArgumentParser
import BlueZ
import DBus
import Documents
import FoundationEssentials
import HealthModel
import Reports
import SeriesStore
import Support

/// `--bus system|session|ADDRESS`.
struct BusOptions: ParsableArguments {
  @Option(
    name: .customLong("bus"),
    help: ArgumentHelp("The message bus that bluetoothd is on: system, session or an address.", valueName: "bus"))
  var name = "system"

  /// The bus to use.
  var address: BusAddress { BusAddress(name) }

  mutating func validate() throws {
    if case .address(let text) = address, !text.contains(":") {
      throw ValidationError("the bus is system, session or an address such as unix:path=/run/bus, not '\(name)'")
    }
  }
}

/// `--config FILE`, and the settings of a command from there or from the usual places.
struct ConfigurationOptions: ParsableArguments {
  @Option(name: .customLong("config"), help: ArgumentHelp("Read the settings from this file.", valueName: "file"))
  var path: String?

  /// The settings; see ``Configuration/load(named:environment:)``.
  func load() throws -> Configuration {
    try Configuration.load(named: path, environment: .current)
  }
}

/// The metadata that are stored with a new session, workout or event.
struct MetadataOption: ParsableArguments {
  @Option(help: ArgumentHelp("What is stored with it; can be repeated.", valueName: "key=text"))
  var metadata: [String] = []

  func validate() throws {
    guard metadata.allSatisfy({ $0.contains("=") && !$0.hasPrefix("=") }) else {
      throw ValidationError("metadata are written as key=text")
    }
  }

  /// The metadata by key; the last value of a key counts.
  var values: Metadata {
    var values: Metadata = [:]
    for pair in metadata {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      values[String(parts[0])] = .text(String(parts[1]))
    }
    return values
  }
}

/// The address of a device, as a person writes it.
enum DeviceAddressArgument {
  /// - Throws: 64 where `text` is not an address.
  static func address(_ text: String) throws(CommandFailure) -> DeviceAddress {
    guard let address = DeviceAddress(text) else {
      throw CommandFailure(.usage, "\(text) is no Bluetooth address", remedy: "write six bytes: C0:FF:EE:00:00:01")
    }
    return address
  }
}

/// The rules for a name that a person gives to a sensor.
enum SensorName {
  /// `text` without blanks around it, where it is printable and no longer than a Bluetooth name.
  static func checked(_ text: String) throws(CommandFailure) -> String {
    let name = String(ConfigurationSyntax.trimmed(text[...]))
    guard !name.isEmpty, name.utf8.count <= 248, name.unicodeScalars.allSatisfy(PrintableText.isSafe) else {
      throw CommandFailure(.usage, "a sensor's name has 1 to 248 bytes and no control or invisible characters")
    }
    return name
  }
}

/// Stored samples of a kind, or files of theirs, by the names that people give them: the first digits of an identifier, or `last`.
struct SampleNames {
  static let audiograms = SampleNames(.type(.audiogram), noun: "audiogram", command: "hearing")
  static let prescriptions = SampleNames(
    .type(.visionPrescription), noun: "prescription", command: "prescriptions")
  static let records = SampleNames(
    .or(ClinicalType.standard.map { .type(.clinical($0)) }), noun: "record", command: "records")
  /// The samples that files can belong to.
  static let documents = SampleNames(
    .or([prescriptions.predicate, records.predicate]), noun: "prescription or record", command: "prescriptions")
  /// The files, which are no samples.
  static let attachments = SampleNames(.or([]), noun: "attachment", command: "attachments")

  /// The samples of the kind.
  private let predicate: SamplePredicate
  /// The noun for a sample of the kind.
  private let noun: String
  /// The command of `sensord health` that lists the samples.
  private let command: String

  private init(_ predicate: SamplePredicate, noun: String, command: String) {
    (self.predicate, self.noun, self.command) = (predicate, noun, command)
  }

  private var plural: String { noun.split(separator: " ").map { $0 == "or" ? "or" : "\($0)s" }.joined(separator: " ") }

  /// The stored samples in the order of their start, where a name is given the named one alone. Without a store there are none.
  @concurrent func samples(_ name: String? = nil, in store: HealthStore?) async throws -> [HealthSample] {
    var samples: [HealthSample] = []
    if let store { samples = try await SampleQuery(predicate).result(for: store).value }
    guard let name else { return samples }
    return [try sample(name, of: samples)]
  }

  /// The named one of the stored samples.
  @concurrent func sample(_ name: String, in store: HealthStore?) async throws -> HealthSample {
    try sample(name, of: try await samples(in: store))
  }

  /// The named sample. The samples must be in the order of their start.
  func sample<Sample: Identifiable>(
    _ name: String, of samples: [Sample]
  ) throws(CommandFailure) -> Sample where Sample.ID == UUID {
    if name == "last" {
      guard let last = samples.last else {
        throw CommandFailure(
          .noInput, "no \(noun) is stored", remedy: "other programs save them; see Documentation/clients.md")
      }
      return last
    }
    let found = samples.filter { $0.id.uuidString.lowercased().hasPrefix(name.lowercased()) }
    guard found.count <= 1, !name.isEmpty else {
      throw CommandFailure(.usage, "several \(plural) begin with '\(name)'", remedy: "give more digits")
    }
    guard let sample = found.first else {
      throw CommandFailure(.noInput, "there is no \(noun) \(name)", remedy: "'sensord health \(command)' lists them")
    }
    return sample
  }
}

/// A command that lists what is stored: as rows for a person, as JSON for programs.
protocol ListCommand: ParsableCommand {
  var list: ListOptions { get }

  /// Reads the listed values.
  func listing() throws -> Listing
}

extension ListCommand {
  mutating func run() throws { try printList() }

  /// Prints the list.
  func printList() throws {
    if !list.json { try ZoneChoice.requireLocal() }
    try listing().write(asJSON: list.json)
  }
}

/// `--store FILE` and `--json`, the options of each list.
struct ListOptions: ParsableArguments {
  @OptionGroup var store: StoreOptions

  @Flag(help: "Print it as JSON, for programs.")
  var json = false

  /// The answer of `body` to the store; to nil where the usual store was not made yet, since nothing was recorded.
  func read<Value: Sendable>(_ body: @escaping @Sendable (HealthStore?) async throws -> Value) throws -> Value {
    let reader = try store.openToRead()
    return try CommandLoop.run { try await body(reader) }
  }
}

/// The content of a list, ready to be printed.
struct Listing {
  var isEmpty: Bool
  var json: () -> [UInt8]
  /// The rows for a person, by the number of columns.
  var rows: (Int) -> String
  /// The line on standard error in place of rows, with a line feed.
  var absence: String
  /// The damages that keep something from being listed, a line each.
  var damages: [String] = []
}

extension Listing {
  /// The list of some values, in JSON an array with a line for each.
  init<Entry>(
    _ entries: [Entry], json: @escaping (Entry) -> JSONValue, absence: String, damages: [String] = [],
    rows: @escaping ([Entry], Int) -> String
  ) {
    self.init(
      isEmpty: entries.isEmpty, json: { JSONValue.lines(entries.map(json)) }, rows: { rows(entries, $0) },
      absence: absence, damages: damages)
  }

  /// Prints the list, and reports the damages; ends the command with 65 if there is one.
  func write(asJSON isJSON: Bool) throws {
    if isJSON {
      try StandardOutput.write(json())
    } else if isEmpty, damages.isEmpty {
      StandardError.write(absence)
    } else {
      try StandardOutput.write(rows(StandardOutput.columns))
    }
    try damages.reportDamages()
  }
}
