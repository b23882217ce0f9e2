internal import FoundationEssentials
internal import StoreCommands

/// Stored samples of a kind, or files of theirs, by the names that people give them: the first digits of an identifier, or `last`.
struct SampleNames {
  static let audiograms = SampleNames(noun: "audiogram", command: "hearing")
  static let prescriptions = SampleNames(noun: "prescription", command: "prescriptions")
  static let records = SampleNames(noun: "record", command: "records list")
  /// What files can belong to.
  static let documents = SampleNames(noun: "prescription or record", command: "prescriptions")
  static let attachments = SampleNames(noun: "attachment", command: "attachments list")

  /// What one is called.
  let noun: String
  /// The command of sensord that lists them.
  let command: String

  private var plural: String { noun.split(separator: " ").map { $0 == "or" ? "or" : "\($0)s" }.joined(separator: " ") }

  /// All where no name is given, else the one that it names. The samples come in the order of their start.
  func chosen<Sample: Identifiable>(
    _ name: String?, of samples: [Sample]
  ) throws(CommandFailure) -> [Sample] where Sample.ID == UUID {
    guard let name else { return samples }
    return [try sample(name, of: samples)]
  }

  /// The one that is named.
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
