/// A ZIP file that can be read at any place: its central directory (APPNOTE 6.3.10, 4.3 to 4.5; ZIP64 included). Where that is lost,
/// files are found by the header that each has.
package struct ZipArchive {
  /// Bytes at a place; fewer than asked for at the end of the file only.
  package typealias Source = (_ place: Int64, _ count: Int) throws(FileDamage) -> [UInt8]

  /// A file in it.
  package struct Entry: Hashable, Sendable {
    /// The bytes of the name; the encoding is unknown.
    package var name: [UInt8]
    package var method: Int
    package var isEncrypted: Bool
    package var checksum: UInt32
    package var packedSize: Int64
    package var size: Int64
    var header: Int64
    /// Whether checksum and sizes stand behind it, and `packedSize` is the most that it can be.
    var isOpenEnded = false

    /// The name in printable letters.
    package var text: String { String(decoding: name, as: UTF8.self) }
  }

  let source: Source
  let size: Int64
  /// The places of the directory; nil where it is lost.
  private let directory: Range<Int64>?
  /// The reason for which the directory is lost.
  package let damage: FileDamage?

  /// The most files that are looked at.
  static let mostEntries = 1_000_000

  static let localHeader = 0x0403_4B50

  package static func recognizes(_ beginning: [UInt8]) -> Bool {
    beginning.starts(with: [0x50, 0x4B, 0x03, 0x04]) || beginning.starts(with: [0x50, 0x4B, 0x05, 0x06])
  }

  /// Finds the directory, and reads it once: one that is damaged somewhere is lost, since files behind the damage would be.
  ///
  /// - Throws: ``FileDamage`` where it is lost, and no file begins where the first has to.
  package init(size: Int64, _ source: @escaping Source) throws(FileDamage) {
    self.source = source
    self.size = size
    do throws(FileDamage) {
      let found = try Self.directory(size, source)
      try Self.forEach(in: found, source) { _ in true }
      (directory, damage) = (found, nil)
    } catch {
      guard try source(0, 4).isSignature(Self.localHeader, at: 0) else { throw error }
      directory = nil
      damage = error
    }
  }

  private static func directory(_ size: Int64, _ source: Source) throws(FileDamage) -> Range<Int64> {
    let tail = try source(max(0, size - 65_557), Int(min(size, 65_557)))
    let base = size - Int64(tail.count)
    var place = tail.count - 22
    while place >= 0,
      !(tail.isSignature(0x0605_4B50, at: place) && place + 22 + tail.number(2, at: place + 20) <= tail.count)
    {
      place -= 1
    }
    guard place >= 0 else {
      throw FileDamage("byte \(size)", "the ZIP file ends before its list of files: it is not whole")
    }
    var start = Int64(tail.number(4, at: place + 16))
    var length = Int64(tail.number(4, at: place + 12))
    if start == 0xFFFF_FFFF || length == 0xFFFF_FFFF || tail.number(2, at: place + 10) == 0xFFFF {
      let locator = place - 20
      guard locator >= 0, tail.isSignature(0x0706_4B50, at: locator) else {
        throw FileDamage("byte \(base + Int64(place))", "the ZIP file lacks the place of its list of files")
      }
      let record = try source(Int64(clamping: tail.wide(at: locator + 8)), 56)
      guard record.count == 56, record.isSignature(0x0606_4B50, at: 0) else {
        throw FileDamage("byte \(base + Int64(locator))", "the ZIP file's list of files is not where it is said to be")
      }
      (start, length) = (Int64(clamping: record.wide(at: 48)), Int64(clamping: record.wide(at: 40)))
    }
    guard start >= 0, length >= 0, start <= size, length <= size - start else {
      throw FileDamage("byte \(base + Int64(place))", "the ZIP file's list of files is not where it is said to be")
    }
    return start..<start + length
  }

  /// Each file in the order of the directory, until `body` returns false; where it is lost, in the order in which they stand there.
  package func forEach(_ body: (Entry) throws(FileDamage) -> Bool) throws(FileDamage) {
    guard let directory else { return try walk(body) }
    try Self.forEach(in: directory, source, body)
  }

  private static func forEach(
    in directory: Range<Int64>, _ source: Source, _ body: (Entry) throws(FileDamage) -> Bool
  ) throws(FileDamage) {
    var place = directory.lowerBound
    var count = 0
    var buffer: [UInt8] = []
    var bufferStart: Int64 = 0
    func bytes(_ wanted: Int) throws(FileDamage) -> ArraySlice<UInt8> {
      if place < bufferStart || place + Int64(wanted) > bufferStart + Int64(buffer.count) {
        buffer = try source(place, max(65_536, wanted))
        bufferStart = place
      }
      let from = Int(place - bufferStart)
      guard from + wanted <= buffer.count else {
        throw FileDamage("byte \(place)", "the ZIP file's list of files is cut off")
      }
      return buffer[from..<from + wanted]
    }
    while place + 46 <= directory.upperBound {
      let head = Array(try bytes(46))
      guard head.isSignature(0x0201_4B50, at: 0), count < mostEntries else {
        throw FileDamage("byte \(place)", "the ZIP file's list of files is damaged")
      }
      let (nameLength, extraLength) = (head.number(2, at: 28), head.number(2, at: 30))
      let whole = 46 + nameLength + extraLength + head.number(2, at: 32)
      let record = Array(try bytes(whole))
      var entry = Entry(
        name: Array(record[46..<46 + nameLength]), method: head.number(2, at: 10),
        isEncrypted: head.number(2, at: 8) & 1 == 1,
        checksum: UInt32(truncatingIfNeeded: head.number(4, at: 16)), packedSize: Int64(head.number(4, at: 20)),
        size: Int64(head.number(4, at: 24)), header: Int64(head.number(4, at: 42)))
      entry.widen(Array(record[(46 + nameLength)..<(46 + nameLength + extraLength)]))
      guard try body(entry) else { return }
      place += Int64(whole)
      count += 1
    }
  }

  /// A reader of the bytes of a file, unpacked.
  package func open(_ entry: Entry) throws(FileDamage) -> ZipEntryReader {
    guard !entry.isEncrypted else { throw FileDamage("byte \(entry.header)", "\(entry.text) is encrypted") }
    guard entry.method == 0 || entry.method == 8 else {
      throw FileDamage("byte \(entry.header)", "\(entry.text) is packed by method \(entry.method), not by deflate")
    }
    let head = try source(entry.header, 30)
    guard head.count == 30, head.isSignature(Self.localHeader, at: 0) else {
      throw FileDamage("byte \(entry.header)", "\(entry.text) is not where the ZIP file's list of files says")
    }
    let start = entry.header + 30 + Int64(head.number(2, at: 26) + head.number(2, at: 28))
    guard start <= size else { throw FileDamage("byte \(entry.header)", "\(entry.text) is cut off") }
    return ZipEntryReader(entry, from: start, source)
  }
}

extension ZipArchive.Entry {
  /// Takes sizes and place of the ZIP64 field, in the order in which they are missing.
  mutating func widen(_ extra: [UInt8]) {
    var place = 0
    while place + 4 <= extra.count {
      let (tag, length) = (extra.number(2, at: place), extra.number(2, at: place + 2))
      let end = place + 4 + length
      guard end <= extra.count else { return }
      if tag == 1 {
        var next = place + 4
        func wide() -> Int64? {
          guard next + 8 <= end else { return nil }
          next += 8
          return Int64(clamping: extra.wide(at: next - 8))
        }
        if size == 0xFFFF_FFFF { size = wide() ?? size }
        if packedSize == 0xFFFF_FFFF { packedSize = wide() ?? packedSize }
        if header == 0xFFFF_FFFF { header = wide() ?? header }
      }
      place = end
    }
  }
}

extension [UInt8] {
  /// A number of up to four bytes, the least first; 0 beyond the end.
  func number(_ bytes: Int, at place: Int) -> Int {
    guard place >= 0, place + bytes <= count else { return 0 }
    return (0..<bytes).reduce(0) { $0 | Int(self[place + $1]) << ($1 * 8) }
  }

  func wide(at place: Int) -> UInt64 {
    UInt64(number(4, at: place)) | UInt64(number(4, at: place + 4)) << 32
  }

  func isSignature(_ signature: Int, at place: Int) -> Bool { number(4, at: place) == signature }
}

/// The files of a ZIP file whose directory is lost, since it was cut off: each has a header in front of it (APPNOTE 6.3.10, 4.3.7
/// to 4.3.9).
extension ZipArchive {
  /// Each file as they follow each other, until `body` returns false, or no other one begins.
  func walk(_ body: (Entry) throws(FileDamage) -> Bool) throws(FileDamage) {
    var place: Int64 = 0
    var count = 0
    while count < Self.mostEntries, let (entry, contents) = try header(at: place) {
      guard try body(entry), let end = end(of: entry, from: contents), let next = try next(behind: end) else { return }
      place = next
      count += 1
    }
  }

  /// The file whose header stands at `place`, and the place of the file's bytes; nil without a header there.
  private func header(at place: Int64) throws(FileDamage) -> (entry: Entry, contents: Int64)? {
    let head = try source(place, 30)
    guard head.count == 30, head.isSignature(Self.localHeader, at: 0) else { return nil }
    let (nameLength, extraLength) = (head.number(2, at: 26), head.number(2, at: 28))
    let rest = try source(place + 30, nameLength + extraLength)
    guard rest.count == nameLength + extraLength else { return nil }
    let (flags, method) = (head.number(2, at: 6), head.number(2, at: 8))
    var entry = Entry(
      name: Array(rest[..<nameLength]), method: method, isEncrypted: flags & 1 == 1,
      checksum: UInt32(truncatingIfNeeded: head.number(4, at: 14)), packedSize: Int64(head.number(4, at: 18)),
      size: Int64(head.number(4, at: 22)), header: place)
    entry.widen(Array(rest[nameLength...]))
    let contents = place + 30 + Int64(rest.count)
    if flags & 8 == 8, method == 8, entry.packedSize == 0 {
      entry.isOpenEnded = true
      entry.packedSize = size - contents
    }
    return (entry, contents)
  }

  /// The end of the bytes of a file; nil where the end cannot be found.
  private func end(of entry: Entry, from contents: Int64) -> Int64? {
    guard entry.isOpenEnded else {
      return entry.packedSize >= 0 && entry.packedSize <= size - contents ? contents + entry.packedSize : nil
    }
    // Only who unpacks it knows.
    guard let reader = try? open(entry) else { return nil }
    while let piece = try? reader.next(), !piece.isEmpty {}
    return reader.hasEnded ? reader.position : nil
  }

  /// The place of the next header: checksum and sizes may come before the header, in several forms.
  private func next(behind end: Int64) throws(FileDamage) -> Int64? {
    let bytes = try source(end, 28)
    let place = [0, 12, 16, 20, 24].first { bytes.isSignature(Self.localHeader, at: $0) }
    return place.map { end + Int64($0) }
  }
}
