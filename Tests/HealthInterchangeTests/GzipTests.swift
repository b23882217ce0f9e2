import HealthModel
import Testing

@testable import HealthInterchange

/// What gzip writes, made here byte by byte.
enum MadeUpGzip {
  static let head: [UInt8] = [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3]

  /// Bytes as they are, in one block.
  static func packed(_ bytes: [UInt8]) -> [UInt8] {
    head + [1] + MadeUpZip.number(bytes.count, 2) + MadeUpZip.number(~bytes.count, 2) + bytes
      + MadeUpZip.number(MadeUpZip.checksum(bytes), 4) + MadeUpZip.number(bytes.count, 4)
  }
}

@Suite("What gzip packed")
struct GzipTests {
  private static let first = Array("800\n810\n".utf8)
  private static let second = Array("820\n".utf8)

  private func unpacked(_ bytes: [UInt8], pieces: Int = 1000) -> (bytes: [UInt8], damage: FileDamage?) {
    var reader = GzipReader()
    var unpacked: [UInt8] = []
    do throws(FileDamage) {
      for place in stride(from: 0, to: bytes.count, by: pieces) {
        reader.feed(Array(bytes[place..<min(place + pieces, bytes.count)]))
        while true {
          let piece = try reader.take()
          if piece.isEmpty { break }
          unpacked += piece
        }
      }
      try reader.finish()
    } catch {
      return (unpacked, error)
    }
    return (unpacked, nil)
  }

  @Test("files that follow each other are one, and zeros behind them are none", arguments: [1, 7, 1000])
  func several(pieces: Int) {
    let packed = MadeUpGzip.packed(Self.first) + MadeUpGzip.packed(Self.second) + [0, 0, 0]
    #expect(GzipReader.recognizes(packed))
    let (bytes, damage) = unpacked(packed, pieces: pieces)
    #expect(bytes == Self.first + Self.second && damage == nil)
  }

  @Test("cut off at any byte it says so there, and what is before it stays")
  func cut() {
    let packed = MadeUpGzip.packed(Self.first)
    for count in packed.indices {
      let (bytes, damage) = unpacked(Array(packed[..<count]))
      #expect(Self.first.starts(with: bytes))
      #expect(
        damage
          == FileDamage("byte \(count) of the packed file", "the file ends here, in the midst of what gzip packed"))
    }
    #expect(unpacked(packed.dropLast()).bytes == Self.first)
  }

  @Test("with any byte changed it says so or is read; something else behind it is told")
  func changed() {
    let packed = MadeUpGzip.packed(Self.first)
    for place in packed.indices {
      var changed = packed
      changed[place] ^= 0x55
      let (bytes, damage) = unpacked(changed)
      #expect(damage != nil || bytes == Self.first, "byte \(place)")
    }
    let (bytes, damage) = unpacked(packed + Self.second)
    #expect(bytes == Self.first)
    #expect(damage?.place == "byte \(packed.count) of the packed file")
    #expect(damage?.problem == "what gzip packed ends here, and something else begins")
  }

  @Test("a bomb is refused where it begins to be one")
  func bomb() {
    // A mebibyte of zeros in 1,037 bytes, again and again.
    var piece: [UInt8] = [0xEC, 0xC1, 0x31, 0x01, 0, 0, 0, 0xC2, 0xA0, 0xF5, 0x4F, 0x6D, 0x08, 0x5F, 0xA0]
    piece += Array(repeating: 0, count: 1016)
    piece += [0x3E, 0x03, 0, 0, 0xFF, 0xFF]
    let (bytes, damage) = unpacked(MadeUpGzip.head + Array(repeatElement(piece, count: 64).joined()), pieces: 65_536)
    #expect(damage?.problem == "it unpacks to more than 300 times its size: no recording does")
    #expect(bytes.count <= 17 << 20)
  }
}
