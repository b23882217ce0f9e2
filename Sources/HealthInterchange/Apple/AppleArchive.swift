/// What stands in Apple's `export.zip`.
package struct AppleArchive {
  /// The export, and how many files of which kinds stand beside it.
  package let export: (entry: ZipArchive.Entry, others: [String: Int])?
  /// Exports behind the first one, which are not read.
  package let furtherExports: [String]

  /// Looks through the files: the export is the first whose root is `HealthData`, whatever its name.
  package init(_ archive: ZipArchive) throws(FileDamage) {
    var found: ZipArchive.Entry?
    var further: [String] = []
    var others: [String: Int] = [:]
    var looked = 0
    try archive.forEach { (entry) throws(FileDamage) in
      let name = entry.text.lowercased()
      guard !name.hasSuffix("/") else { return true }
      if name.hasSuffix(".xml"), looked < Self.mostLooked {
        looked += 1
        if let piece = try? archive.open(entry).next(), AppleHealthReader.recognizes(piece) {
          if found == nil { found = entry } else { further.append(entry.text) }
          return true
        }
      }
      if Self.isClinical(entry.text) || Self.isRoute(entry.text) { return true }
      others[Self.kind(of: name), default: 0] += 1
      return true
    }
    export = found.map { ($0, others) }
    furtherExports = further
  }

  private static let mostLooked = 100

  /// Whether it is a file of a clinical record.
  package static func isClinical(_ name: String) -> Bool {
    name.contains("clinical-records/") && name.hasSuffix(".json")
  }

  /// Whether it is a file of a workout's route.
  package static func isRoute(_ name: String) -> Bool {
    name.contains("workout-routes/") && name.hasSuffix(".gpx")
  }

  /// What stands behind the last stroke.
  package static func lastName(_ path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.index(after: $0)...]) } ?? path
  }

  private static func kind(of name: String) -> String {
    if name.contains("/electrocardiograms/") { return "file of an electrocardiogram" }
    if name.hasSuffix("export_cda.xml") { return "export_cda.xml: says the same in another format" }
    return "other file"
  }
}
