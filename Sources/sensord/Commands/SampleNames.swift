internal import FoundationEssentials
internal import HealthModel

/// Stored samples of a kind by the names that people give them: the first digits of an identifier, or `last`.
struct SampleNames {
  static let audiograms = SampleNames(noun: "audiogram", command: "hearing")
  static let prescriptions = SampleNames(noun: "prescription", command: "prescriptions")

  /// What one is called.
  let noun: String
  /// The command of sensord that lists them.
  let command: String

  /// All where no name is given, else the one that it names. The samples come in the order of their start.
  func chosen(_ name: String?, of samples: [HealthSample]) throws(CommandFailure) -> [HealthSample] {
    guard let name else { return samples }
    return [try sample(name, of: samples)]
  }

  /// The one that is named.
  func sample(_ name: String, of samples: [HealthSample]) throws(CommandFailure) -> HealthSample {
    if name == "last" {
      guard let last = samples.last else {
        throw CommandFailure(
          .noInput, "no \(noun) is stored", remedy: "other programs save them; see Documentation/clients.md")
      }
      return last
    }
    let found = samples.filter { $0.id.uuidString.lowercased().hasPrefix(name.lowercased()) }
    guard found.count <= 1, !name.isEmpty else {
      throw CommandFailure(.usage, "several \(noun)s begin with '\(name)'", remedy: "give more digits")
    }
    guard let sample = found.first else {
      throw CommandFailure(.noInput, "there is no \(noun) \(name)", remedy: "'sensord \(command)' lists them")
    }
    return sample
  }
}
