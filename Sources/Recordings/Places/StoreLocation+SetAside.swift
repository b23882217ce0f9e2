internal import Captures
package import SeriesStore

extension StoreLocation {
  /// Files of the journal that were set aside and nobody has looked at, each with the command that reads it.
  ///
  /// - Throws: `JournalError`.
  package func setAside() throws -> [StoreDamage] {
    try SetAsideFile.all(in: journal).map { file in
      let name = file.name == "*" ? "*" : "'\(file.name)'"
      let isServices = path == Self.servicePath
      let command =
        isServices
        ? "sudo sensord replay '\(file.directory)'/\(name)"
        : "sensord replay '\(file.directory)'/\(name) --store '\(path)'"
      return StoreDamage(
        object: "journal",
        problem: "\(file.directory)/\(file.name) was set aside, since \(file.reason); to read it: \(command)")
    }
  }
}
