package import HealthModel

/// Apple's `export.xml`, in pieces.
package struct AppleHealthReader {
  private let contents: AppleContents
  private let stream: XMLStream
  private var isOver = false

  /// Whether a file that begins like that is one.
  package static func recognizes(_ beginning: [UInt8]) -> Bool {
    let text = String(decoding: beginning.prefix(65_536), as: UTF8.self)
    return text.contains("<!DOCTYPE HealthData") || text.contains("<HealthData")
  }

  /// - Parameters:
  ///   - types: What is asked for, by the names of our types; nil: everything.
  ///   - since: What ended before is left out.
  package init(types: Set<String>? = nil, since: Timestamp? = nil) {
    self.init(types: types, since: since, capacity: AppleSeriesTable.mostValues)
  }

  /// The same with a number of values in memory from which some are given away.
  init(types: Set<String>?, since: Timestamp?, capacity: Int) {
    contents = AppleContents(wanted: types, since: since, capacity: capacity)
    stream = XMLStream(contents)
  }

  /// The account of the contents; whole at the end.
  package var account: AppleAccount { contents.account }

  /// The clinical records that stand in files beside the export, by the last part of their names.
  package var clinicalFiles: [String: AppleClinicalFile] { contents.files }

  /// The files of the workouts' routes, by the last part of their names.
  package var routeFiles: [String: AppleRouteFile] { contents.routes }

  /// The number of records that have begun.
  package var records: Int { contents.records }

  /// Reads on. The returned objects are to be stored in this order.
  ///
  /// - Throws: ``FileDamage``; ``finish()`` has what is before it.
  package mutating func read(_ bytes: [UInt8]) throws(FileDamage) -> [AppleObject] {
    try parse(bytes, isLast: false)
    return contents.isDue ? contents.take(all: false) : []
  }

  /// Ends the file: there are no more bytes.
  package mutating func end() throws(FileDamage) {
    try parse([], isLast: true)
  }

  /// Returns the remaining objects, at the end or behind damage.
  package mutating func finish() -> [AppleObject] {
    contents.take(all: true)
  }

  private mutating func parse(_ bytes: [UInt8], isLast: Bool) throws(FileDamage) {
    guard !isOver else { return }
    do throws(FileDamage) {
      try stream.read(bytes, isLast: isLast)
    } catch {
      isOver = true
      let element = contents.path.last.map { " in \($0)" } ?? ""
      throw FileDamage("byte \(stream.byte), record \(contents.records)\(element)", error.problem)
    }
  }
}

/// The contents of Apple's `export.zip`.
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

  /// The last part of a path.
  package static func lastName(_ path: String) -> String {
    path.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(path[path.index(after: $0)...]) } ?? path
  }

  private static func kind(of name: String) -> String {
    if name.contains("/electrocardiograms/") { return "file of an electrocardiogram" }
    if name.hasSuffix("export_cda.xml") { return "export_cda.xml: says the same in another format" }
    return "other file"
  }
}
