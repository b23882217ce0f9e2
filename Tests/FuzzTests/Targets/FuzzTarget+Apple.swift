@testable import HealthModel

@testable import HealthInterchange

extension FuzzTarget {
  /// Apple's export: in one piece and in small ones it says the same, and what it says can be packed.
  static func readExport(_ bytes: [UInt8]) throws(BrokenPromise) {
    let whole = try objects(of: bytes, pieces: max(bytes.count, 1))
    try BrokenPromise.unless(try objects(of: bytes, pieces: 7) == whole, "pieces of an export say what the export says")
    for object in whole {
      guard case .series(let type, let values, _) = object.content else { continue }
      try BrokenPromise.unless(
        !values.isEmpty && SampleDraft.QuantityValue.inOrder(values) == values
          && values.allSatisfy { $0.value.isFinite && $0.value.magnitude <= type.greatestMagnitude },
        "the values of a series are in order, once, and can be stored")
    }
  }

  private static func objects(of bytes: [UInt8], pieces: Int) throws(BrokenPromise) -> [AppleObject] {
    // Little room, so that series go on.
    var reader = AppleHealthReader(types: nil, since: nil, capacity: 1 << 12)
    var objects: [AppleObject] = []
    do throws(FileDamage) {
      for place in stride(from: 0, to: bytes.count, by: pieces) {
        objects += try reader.read(Array(bytes[place..<min(place + pieces, bytes.count)]))
      }
      try reader.end()
    } catch {
      try BrokenPromise.unless(!error.place.isEmpty && !error.problem.isEmpty, "damage is named")
    }
    return objects + reader.finish()
  }

  /// What gzip packed, up to a mebibyte: in one piece and in small ones it is the same.
  private static func unpack(_ bytes: [UInt8]) throws(BrokenPromise) {
    let whole = try unpacked(bytes, pieces: max(bytes.count, 1))
    try BrokenPromise.unless(try unpacked(bytes, pieces: 7) == whole, "pieces of a packed file have what the file has")
  }

  private static func unpacked(_ bytes: [UInt8], pieces: Int) throws(BrokenPromise) -> [UInt8] {
    var reader = GzipReader()
    var unpacked: [UInt8] = []
    do throws(FileDamage) {
      for place in stride(from: 0, to: bytes.count, by: pieces) {
        reader.feed(Array(bytes[place..<min(place + pieces, bytes.count)]))
        while unpacked.count < 1 << 20 {
          let piece = try reader.take()
          if piece.isEmpty { break }
          unpacked += piece
        }
      }
      if unpacked.count < 1 << 20 { try reader.finish() }
    } catch {
      try BrokenPromise.unless(!error.place.isEmpty && !error.problem.isEmpty, "damage is named")
    }
    return Array(unpacked.prefix(1 << 20))
  }

  /// A ZIP file: its list, and each file in it up to a mebibyte; or what gzip packed.
  static func readArchive(_ bytes: [UInt8]) throws(BrokenPromise) {
    guard !GzipReader.recognizes(bytes) else { return try unpack(bytes) }
    do throws(FileDamage) {
      let archive = try ZipArchive(size: Int64(bytes.count)) { place, count in
        let start = Int(clamping: place)
        guard place >= 0, start < bytes.count else { return [] }
        return Array(bytes[start..<min(bytes.count, start + min(count, bytes.count))])
      }
      _ = try AppleArchive(archive)
      try archive.forEach { (entry) throws(FileDamage) in
        guard let reader = try? archive.open(entry) else { return true }
        while reader.written < 1 << 20, let piece = try? reader.next(), !piece.isEmpty {}
        return true
      }
    } catch {
      try BrokenPromise.unless(!error.place.isEmpty && !error.problem.isEmpty, "damage is named")
    }
  }
}
