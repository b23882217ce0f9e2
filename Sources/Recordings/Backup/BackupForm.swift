import Captures

/// The form of a backup: a tar archive of these files, in this order, and nothing behind its end (Documentation/backup.md).
enum BackupForm {
  /// The number of this form. A later one that earlier programs cannot read has a greater number.
  static let version = 1
  /// The first file, so that a backup is known by its beginning.
  static let description = "sensord-backup"
  static let configuration = "sensord.conf"
  static let journal = "sensord.journal/"
  static let attachments = "sensord.attachments/"
  static let store = "sensord.sqlite"
  /// The last file: a line for each file before it, as `sha256sum` writes and reads them.
  static let sums = "SHA256SUMS"

  /// The two empty blocks at the end.
  static let end = [UInt8](repeating: 0, count: 2 * TarHeader.blockLength)
  /// The greatest size of each file that is read into memory.
  static let longest = [description: 1 << 16, configuration: 1 << 20, sums: 1 << 28]

  /// The content of the first file: a line.
  static func description(version program: String) -> [UInt8] {
    Array("sensord-backup \(version) sensord \(program)\n".utf8)
  }

  /// The number of the form in the first file; nil for a file without one.
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

/// The block before each file in a tar archive (POSIX.1-1988, "ustar"), in which each value has one form only, so that any
/// flipped bit is found.
struct TarHeader: Hashable {
  static let blockLength = 512

  /// The path in the archive: at most 155 bytes up to the last slash, and 100 behind it.
  var name: String
  /// The size in bytes.
  var size: Int
  /// The time of writing, in seconds since 1970 (UTC).
  var time: Int

  /// The empty bytes behind a file of this size, up to a whole block.
  static func padding(_ size: Int) -> Int { (blockLength - size % blockLength) % blockLength }

  /// The block.
  var bytes: [UInt8] {
    var block = [UInt8](repeating: 0, count: Self.blockLength)
    func put(_ bytes: some Sequence<UInt8>, at offset: Int) {
      for (index, byte) in bytes.enumerated() { block[offset + index] = byte }
    }
    let slash = name.utf8.lastIndex(of: UInt8(ascii: "/"))
    put(slash.map { name.utf8[name.utf8.index(after: $0)...] } ?? name.utf8[...], at: 0)
    put("0000600\0".utf8, at: 100)
    for offset in [108, 116] { put("0000000\0".utf8, at: offset) }
    put(Self.number(size), at: 124)
    put(Self.number(time), at: 136)
    put("        0".utf8, at: 148)
    put("ustar\u{0}00".utf8, at: 257)
    if let slash { put(name.utf8[..<slash], at: 345) }
    let sum = block.reduce(0) { $0 + Int($1) }
    put(Self.octal(sum, digits: 6) + [0, UInt8(ascii: " ")], at: 148)
    return block
  }

  /// Reads a block; nil for a block that ``bytes`` would not write exactly so.
  init?(_ block: [UInt8]) {
    guard block.count == Self.blockLength, let size = Self.number(block[124..<136]),
      let time = Self.number(block[136..<148]),
      let name = String(validating: block[0..<100].prefix { $0 != 0 }, as: UTF8.self),
      let folder = String(validating: block[345..<500].prefix { $0 != 0 }, as: UTF8.self), !name.isEmpty
    else { return nil }
    self.init(name: folder.isEmpty ? name : "\(folder)/\(name)", size: size, time: time)
    guard bytes == block else { return nil }
  }

  init(name: String, size: Int, time: Int) {
    (self.name, self.size, self.time) = (name, size, time)
  }

  /// The largest number in eleven octal digits; a greater one stands in binary, as GNU tar writes it.
  private static let greatestOctal = 1 << 33 - 1

  private static func number(_ value: Int) -> [UInt8] {
    if value <= greatestOctal { return octal(value, digits: 11) + [0] }
    return [0x80, 0, 0, 0] + (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }
  }

  private static func number(_ field: ArraySlice<UInt8>) -> Int? {
    if field.first == 0x80 {
      let value = field.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
      return Int(exactly: value)
    }
    let digits = field.dropLast()
    guard digits.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }) else { return nil }
    return digits.reduce(0) { $0 << 3 | Int($1 & 7) }
  }

  private static func octal(_ value: Int, digits: Int) -> [UInt8] {
    (0..<digits).map { UInt8(ascii: "0") + UInt8(value >> (3 * (digits - 1 - $0)) & 7) }
  }
}
