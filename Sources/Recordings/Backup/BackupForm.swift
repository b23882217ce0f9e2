internal import Captures

/// The form of a backup: a tar archive of these files, in this order, and nothing behind its end (Documentation/backup.md).
enum BackupForm {
  /// The number of this form. A later one that earlier programs cannot read has a greater number.
  static let version = 1
  /// First, so that a backup is known by its beginning.
  static let description = "sensord-backup"
  static let configuration = "sensord.conf"
  static let journal = "sensord.journal/"
  static let attachments = "sensord.attachments/"
  static let store = "sensord.sqlite"
  /// Last: a line for each file before it, as `sha256sum` writes and reads them.
  static let sums = "SHA256SUMS"

  /// The two empty blocks at the end.
  static let end = [UInt8](repeating: 0, count: 2 * TarHeader.blockLength)
  /// The most bytes of a file that is held in memory, for each that is.
  static let longest = [description: 1 << 16, configuration: 1 << 20, sums: 1 << 28]

  /// The content of the first file: a line.
  static func description(version program: String) -> [UInt8] {
    Array("sensord-backup \(version) sensord \(program)\n".utf8)
  }

  /// The number of the form in the first file; nil where it has none.
  static func version(in bytes: [UInt8]) -> Int? {
    let words = bytes.split(separator: UInt8(ascii: " "))
    guard words.first?.elementsEqual("sensord-backup".utf8) ?? false else { return nil }
    return words.dropFirst().first.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
  }

  /// The line for one file.
  static func sum(_ digest: String, of name: String) -> String { "\(digest)  \(name)\n" }

  /// The place of a name in the order; nil for a name that no backup has.
  static func place(of name: String) -> Int? {
    if let place = [description, configuration].firstIndex(of: name) { return place }
    if name.hasPrefix(journal) { return JournalFiles.isOne(String(name.dropFirst(journal.count))) ? 2 : nil }
    if name.hasPrefix(attachments) { return isAttachment(name.dropFirst(attachments.count)) ? 3 : nil }
    return [store, sums].firstIndex(of: name).map { $0 + 4 }
  }

  /// The store's UUID, a hyphen and a SHA-256, in hexadecimal digits.
  private static func isAttachment(_ name: Substring) -> Bool {
    let parts = name.split(separator: "-", omittingEmptySubsequences: false)
    return parts.map(\.utf8.count) == [32, 64]
      && parts.joined().utf8.allSatisfy { (48...57).contains($0) || (97...102).contains($0) }
  }
}
