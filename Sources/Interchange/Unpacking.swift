internal import HealthInterchange

/// The bytes of a file, unpacked where gzip packed it.
struct Unpacking {
  private var gzip: GzipReader?

  /// Whether it is packed.
  var isPacked: Bool { gzip != nil }

  /// The first piece: at least 4,096 bytes where there are so many, and less before damage. `source` has the bytes of the file, empty at
  /// the end.
  mutating func first(_ source: () throws -> [UInt8]) throws -> [UInt8] {
    let piece = try source()
    guard GzipReader.recognizes(piece) else { return piece }
    gzip = GzipReader()
    gzip?.feed(piece)
    var first: [UInt8] = []
    while first.count < 4096 {
      do {
        let more = try next(source)
        if more.isEmpty { break }
        first += more
      } catch let error as FileDamage {
        // It is told again by the next call.
        guard !first.isEmpty else { throw error }
        break
      }
    }
    return first
  }

  /// The next piece; empty at the end.
  mutating func next(_ source: () throws -> [UInt8]) throws -> [UInt8] {
    guard gzip != nil else { return try source() }
    while true {
      if let piece = try gzip?.take(), !piece.isEmpty { return piece }
      let more = try source()
      guard !more.isEmpty else {
        try gzip?.finish()
        return []
      }
      gzip?.feed(more)
    }
  }

  /// A place of what was unpacked is told from one of the packed file.
  func placed(_ damage: FileDamage?) -> FileDamage? {
    guard isPacked, var damage, !damage.place.hasSuffix(GzipReader.placeEnding) else { return damage }
    damage.place += " of what is in it"
    return damage
  }
}
