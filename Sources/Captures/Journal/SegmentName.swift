/// Names of journal files: `00000042.journal`, so that `ls` shows them in order.
enum SegmentName {
  static let suffix = ".journal"
  /// A segment that repeats records after a failed sync; it is not valid until it is renamed.
  static let rewritingSuffix = ".rewriting"
  /// A segment that is no longer needed but was damaged: set aside for analysis.
  static let damagedSuffix = ".damaged"
  /// A file that was set aside and that a person has looked at.
  static let seenSuffix = ".seen"

  static func name(_ number: Int) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 8 - digits.utf8.count)) + digits + suffix
  }

  /// The number of the segment with this name; nil for any other file.
  static func number(_ name: String) -> Int? {
    guard name.hasSuffix(suffix), let number = leadingNumber(name), self.name(number) == name else { return nil }
    return number
  }

  /// The number at the beginning of a name, of a segment or of a file set aside: new segments get higher numbers.
  static func leadingNumber(_ name: String) -> Int? {
    let digits = name.utf8.prefix { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard let number = Int(String(decoding: digits, as: UTF8.self)), number > 0, number < Int.max / 2 else {
      return nil
    }
    return number
  }

  /// The name of a file that is set aside, which says why.
  static func aside(_ name: String, _ reason: ForeignFile.Reason) -> String {
    switch reason {
    case .notAJournal: "\(name).not-a-journal"
    case .newerVersion(let version): "\(name).newer-version-\(version)"
    case .unreadable: "\(name).unreadable"
    }
  }
}
