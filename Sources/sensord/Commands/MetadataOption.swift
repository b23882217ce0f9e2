internal import ArgumentParser
internal import HealthModel

/// What is stored with something that begins.
struct MetadataOption: ParsableArguments {
  @Option(help: ArgumentHelp("What is stored with it; can be repeated.", valueName: "key=text"))
  var metadata: [String] = []

  func validate() throws {
    guard metadata.allSatisfy({ $0.contains("=") && !$0.hasPrefix("=") }) else {
      throw ValidationError("metadata are written as key=text")
    }
  }

  /// By key; the last value of a key counts.
  var values: Metadata {
    var values: Metadata = [:]
    for pair in metadata {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      values[String(parts[0])] = .text(String(parts[1]))
    }
    return values
  }
}
