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

  /// The file whose header stands there, and where its bytes begin; nil where there is none.
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

  /// Where the bytes of a file end; nil where that cannot be found out.
  private func end(of entry: Entry, from contents: Int64) -> Int64? {
    guard entry.isOpenEnded else {
      return entry.packedSize >= 0 && entry.packedSize <= size - contents ? contents + entry.packedSize : nil
    }
    // Only who unpacks it knows.
    guard let reader = try? open(entry) else { return nil }
    while let piece = try? reader.next(), !piece.isEmpty {}
    return reader.hasEnded ? reader.position : nil
  }

  /// Where the next header stands: checksum and sizes may come before it, in several forms.
  private func next(behind end: Int64) throws(FileDamage) -> Int64? {
    let bytes = try source(end, 28)
    let place = [0, 12, 16, 20, 24].first { bytes.isSignature(Self.localHeader, at: $0) }
    return place.map { end + Int64($0) }
  }
}
