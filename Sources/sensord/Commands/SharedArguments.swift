import ArgumentParser
import BlueZ
import DBus
import Documents
import FoundationEssentials
import HealthModel
import Reports
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
  static let audiograms = SampleNames(noun: "audiogram", command: "hearing")
  static let prescriptions = SampleNames(noun: "prescription", command: "prescriptions")
  static let records = SampleNames(noun: "record", command: "records list")
  /// The samples that files can belong to.
  static let documents = SampleNames(noun: "prescription or record", command: "prescriptions")
  static let attachments = SampleNames(noun: "attachment", command: "attachments list")

  /// The noun for a sample of the kind.
  let noun: String
  /// The command of sensord that lists the samples.
  let command: String

  private var plural: String { noun.split(separator: " ").map { $0 == "or" ? "or" : "\($0)s" }.joined(separator: " ") }

  /// All samples where no name is given, else the named one. The samples must be in the order of their start.
  func chosen<Sample: Identifiable>(
    _ name: String?, of samples: [Sample]
  ) throws(CommandFailure) -> [Sample] where Sample.ID == UUID {
    guard let name else { return samples }
    return [try sample(name, of: samples)]
  }

  /// The named sample.
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
      throw CommandFailure(.noInput, "there is no \(noun) \(name)", remedy: "'sensord \(command)' lists them")
    }
    return sample
  }
}
