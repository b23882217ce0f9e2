import HealthModel
import Testing

@testable import HealthInterchange

/// ZIP files that are made here, byte by byte.
struct MadeUpZip {
  var bytes: [UInt8] = []
  private var directory: [UInt8] = []
  private var count = 0

  static func number(_ value: Int, _ bytes: Int) -> [UInt8] {
    (0..<bytes).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
  }

  static func checksum(_ bytes: [UInt8]) -> Int {
    var sum = UInt32.max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
    }
    return Int(~sum)
  }

  /// Adds a file; `method` 0 is stored as it is. Wide: its sizes stand in a ZIP64 field. Open-ended: in front of it are neither checksum
  /// nor sizes, which stand behind it.
  mutating func add(
    _ name: String, _ packed: [UInt8], method: Int = 0, size: Int? = nil, checksum: Int? = nil, flags: Int = 0,
    isWide: Bool = false, isOpenEnded: Bool = false
  ) {
    let place = bytes.count
    let flags = isOpenEnded ? flags | 8 : flags
    let (size, sum) = (size ?? packed.count, checksum ?? Self.checksum(packed))
    var common = Self.number(flags, 2)
    common += Self.number(method, 2)
    common += Self.number(0, 4)
    common += Self.number(sum, 4)
    var wide: [UInt8] = []
    var sizes = Self.number(packed.count, 4)
    sizes += Self.number(size, 4)
    var own = Self.number(place, 4)
    bytes += [0x50, 0x4B, 3, 4, 20, 0]
    if isOpenEnded {
      bytes += common.dropLast(4)
      bytes += Array(repeating: 0, count: 12)
    } else {
      bytes += common
      bytes += sizes
    }
    bytes += Self.number(name.utf8.count, 2)
    bytes += Self.number(0, 2)
    bytes += Array(name.utf8)
    bytes += packed
    if isOpenEnded {
      bytes += [0x50, 0x4B, 7, 8]
      bytes += Self.number(sum, 4)
      bytes += sizes
    }
    if isWide {
      for (value, length) in [(1, 2), (24, 2), (size, 8), (packed.count, 8), (place, 8)] {
        wide += Self.number(value, length)
      }
      (sizes, own) = (Array(repeating: 0xFF, count: 8), Array(repeating: 0xFF, count: 4))
    }
    directory += [0x50, 0x4B, 1, 2, 20, 0, 20, 0]
    directory += common
    directory += sizes
    directory += Self.number(name.utf8.count, 2)
    directory += Self.number(wide.count, 2)
    directory += Self.number(0, 10)
    directory += own
    directory += Array(name.utf8)
    directory += wide
    count += 1
  }

  /// The whole file. Wide: with the ZIP64 end of the directory.
  func finish(isWide: Bool = false) -> [UInt8] {
    var all = bytes + directory
    if isWide {
      let place = all.count
      all += [0x50, 0x4B, 6, 6]
      for (value, length) in [
        (44, 8), (45, 4), (0, 8), (count, 8), (count, 8), (directory.count, 8), (bytes.count, 8),
      ] {
        all += Self.number(value, length)
      }
      all += [0x50, 0x4B, 6, 7]
      for (value, length) in [(0, 4), (place, 8), (1, 4)] { all += Self.number(value, length) }
    }
    all += [0x50, 0x4B, 5, 6]
    for (value, length) in [(0, 4), (count, 2), (count, 2)] { all += Self.number(value, length) }
    let narrow = (isWide ? 0xFFFF_FFFF : directory.count, isWide ? 0xFFFF_FFFF : bytes.count)
    all += Self.number(narrow.0, 4)
    all += Self.number(narrow.1, 4)
    return all + Self.number(0, 2)
  }
}

@Suite("Apple's export in a ZIP file")
struct ZipTests {
  /// A rate of 61, packed by zlib.
  private static let packed: [UInt8] = [
    0x85, 0x8E, 0x4D, 0x0B, 0xC2, 0x30, 0x10, 0x44, 0xFF, 0x4A, 0xD8, 0x7B, 0xED, 0x26, 0x16, 0x95, 0xD2, 0x8F, 0x8B,
    0x87,
    0x8A, 0x20, 0x58, 0x04, 0xCF, 0xA1, 0x5D, 0x31, 0xD0, 0x26, 0x12, 0x37, 0xC5, 0xFE, 0x7B, 0xF7, 0xE8, 0xCD, 0xDB,
    0x3C,
    0x78, 0x33, 0x4C, 0xD5, 0x7E, 0xE6, 0x49, 0x2D, 0x14, 0xDF, 0x2E, 0xF8, 0x1A, 0xF4, 0x06, 0xA1, 0x6D, 0xAA, 0x8E,
    0xEC,
    0xC4, 0xCF, 0xA3, 0x65, 0xDB, 0x54, 0x3D, 0x0D, 0x21, 0x8E, 0x8A, 0xD7, 0x17, 0xD5, 0xD0, 0x9D, 0xAF, 0xC9, 0x7A,
    0x76,
    0xBC, 0xDE, 0x84, 0x4F, 0x23, 0x49, 0x7E, 0x38, 0x8A, 0x52, 0x88, 0xDC, 0x5B, 0x26, 0x50, 0xC9, 0x3B, 0xAE, 0x61,
    0x08,
    0xC9, 0x73, 0x3E, 0x3B, 0x0F, 0xEA, 0x1D, 0x52, 0x1C, 0xE8, 0x62, 0x67, 0xE9, 0xDF, 0x05, 0x59, 0x54, 0x99, 0x16,
    0x32,
    0x68, 0x8A, 0x0C, 0xB7, 0x19, 0x6A, 0x85, 0xFB, 0x52, 0x17, 0xA5, 0x31, 0x2A, 0xC3, 0x03, 0x22, 0x28, 0xF2, 0xE3,
    0x5F,
    0x67, 0xB1, 0x53, 0x12, 0x63, 0xA7, 0x21, 0x6F, 0xAA, 0xFC, 0xE7, 0xF3, 0x17,
  ]

  private func archive(_ bytes: [UInt8]) throws(FileDamage) -> ZipArchive {
    try ZipArchive(size: Int64(bytes.count)) { place, count in
      let start = Int(clamping: place)
      guard start < bytes.count else { return [] }
      return Array(bytes[start..<min(bytes.count, start + count)])
    }
  }

  /// What is in the export of a ZIP file, and what was wrong.
  private func reading(_ bytes: [UInt8]) -> (values: [Double], damage: FileDamage?) {
    var reader = AppleHealthReader()
    var objects: [AppleObject] = []
    var damage: FileDamage?
    do throws(FileDamage) {
      let archive = try archive(bytes)
      guard let export = try AppleArchive(archive).export else {
        return ([], archive.damage ?? FileDamage("", "no export"))
      }
      let unpacked = try archive.open(export.entry)
      while true {
        let piece = try unpacked.next()
        if piece.isEmpty { break }
        objects += try reader.read(piece)
      }
      try reader.end()
      damage = archive.damage
    } catch {
      damage = error
    }
    objects += reader.finish()
    let values = objects.flatMap { object -> [Double] in
      if case .series(_, let values, _) = object.content { values.map(\.value) } else { [] }
    }
    return (values, damage)
  }

  private func made(
    checksum: Int = 0x9D35_7251, size: Int = 213, method: Int = 8, flags: Int = 0, isWide: Bool = false,
    isOpenEnded: Bool = false
  ) -> [UInt8] {
    var zip = MadeUpZip()
    zip.add("apple_health_export/", [])
    zip.add("apple_health_export/export_cda.xml", Array("<?xml version='1.0'?><ClinicalDocument/>".utf8))
    // Its checksum is wrong, which is nobody's business who passes it over.
    zip.add(
      "apple_health_export/workout-routes/route_1.gpx", isOpenEnded ? Self.packed : [], method: isOpenEnded ? 8 : 0,
      isOpenEnded: isOpenEnded)
    zip.add(
      "a/\u{42D}\u{43A}\u{441}\u{43F}\u{43E}\u{440}\u{442}.xml", Self.packed, method: method, size: size,
      checksum: checksum, flags: flags, isWide: isWide, isOpenEnded: isOpenEnded)
    return zip.finish(isWide: isWide)
  }

  @Test("the export is found by its root, whatever its name, also in ZIP64", arguments: [false, true])
  func found(isWide: Bool) throws {
    let bytes = made(isWide: isWide)
    #expect(ZipArchive.recognizes(bytes))
    #expect(reading(bytes).values == [61])
    #expect(reading(bytes).damage == nil)
    let others = try #require(try AppleArchive(archive(bytes)).export).others
    #expect(others == ["export_cda.xml: says the same in another format": 1])
    var plain = MadeUpZip()
    plain.add("export.xml", Array("<HealthData>\(AppleText.rate(60))</HealthData>".utf8))
    #expect(reading(plain.finish()).values == [60])
  }

  @Test("wrong checksums and sizes are told, and what was read stays")
  func wrong() {
    #expect(reading(made(checksum: 1)).values == [61])
    #expect(reading(made(checksum: 1)).damage?.problem.contains("checksum") == true)
    #expect(reading(made(size: 212)).damage?.problem.contains("size") == true)
  }

  @Test(
    "a ZIP file that was cut off before its list is read file by file, and says so", arguments: [false, true])
  func withoutList(isOpenEnded: Bool) throws {
    let whole = made(isOpenEnded: isOpenEnded)
    #expect(reading(whole).values == [61] && reading(whole).damage == nil)
    let list = try #require(whole.indices.first { whole[$0...].starts(with: [0x50, 0x4B, 1, 2]) })
    let others = try AppleArchive(archive(Array(whole[..<list]))).export?.others
    #expect(others == ["export_cda.xml: says the same in another format": 1])
    for count in list..<whole.count {
      let (values, damage) = reading(Array(whole[..<count]))
      #expect(values == [61], "cut off at \(count)")
      #expect(damage == FileDamage("byte \(count)", "the ZIP file ends before its list of files: it is not whole"))
    }
    // In the midst of the export.
    let end = isOpenEnded ? list - 16 : list
    #expect(reading(Array(whole[..<(end - 1)])).values == [61])
    #expect(reading(Array(whole[..<(end - 1)])).damage?.problem.hasSuffix("is cut off") == true)
    #expect(reading(Array(whole[..<(end - 100)])).values.isEmpty)
    let wrong = made(checksum: 1, isOpenEnded: isOpenEnded)
    #expect(reading(Array(wrong[..<list])).damage?.problem.contains("checksum") == true)
  }

  @Test("what cannot be unpacked is no export")
  func refused() {
    #expect(reading(made(method: 12)).damage?.problem == "no export")
    #expect(reading(made(flags: 1)).damage?.problem == "no export")
  }

  @Test("cut off at any byte, and with any byte changed, a ZIP file says so or is read")
  func damaged() {
    let bytes = made()
    for count in 0..<bytes.count {
      #expect(reading(Array(bytes[..<count])).damage != nil, "cut off at \(count)")
    }
    for place in bytes.indices {
      var changed = bytes
      changed[place] ^= 0x55
      let (values, damage) = reading(changed)
      #expect(damage != nil || values == [61], "byte \(place)")
    }
  }

  @Test("a bomb is refused where it begins to be one")
  func bomb() throws {
    // A mebibyte of zeros in 1,037 bytes, again and again.
    var piece: [UInt8] = [0xEC, 0xC1, 0x31, 0x01, 0, 0, 0, 0xC2, 0xA0, 0xF5, 0x4F, 0x6D, 0x08, 0x5F, 0xA0]
    piece += Array(repeating: 0, count: 1016)
    piece += [0x3E, 0x03, 0, 0, 0xFF, 0xFF]
    var packed = Array(repeatElement(piece, count: 4096).joined())
    packed += [3, 0]
    var zip = MadeUpZip()
    zip.add("export.xml", packed, method: 8, size: 4096 << 20, checksum: 0)
    let bytes = zip.finish()
    let archive = try archive(bytes)
    var entry: ZipArchive.Entry?
    try archive.forEach { (found) throws(FileDamage) in
      entry = found
      return true
    }
    let reader = try archive.open(try #require(entry))
    let damage = #expect(throws: FileDamage.self) { while try !reader.next().isEmpty {} }
    #expect(damage?.problem == "export.xml unpacks to more than 300 times its size: no export does")
    // 300 times the first piece that was read.
    #expect(reader.written <= 20 << 20)
  }
}
