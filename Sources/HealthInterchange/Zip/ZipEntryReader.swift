internal import CZlib

/// The bytes of a file in a ZIP file, piece by piece.
@safe package final class ZipEntryReader {
  private let entry: ZipArchive.Entry
  private let source: ZipArchive.Source
  private var place: Int64
  private var packedLeft: Int64
  private var stream = unsafe z_stream()
  private var input: [UInt8] = []
  private var inputPlace = 0
  private var isReady = false
  private var isOver = false
  /// Whether the end of what was packed was found.
  private(set) var hasEnded = false
  private var damage: FileDamage?
  private var checksum: UInt32 = 0
  /// How many bytes came out.
  package private(set) var written: Int64 = 0

  private static let pieceSize = 65_536
  /// Text of exports shrinks to a tenth or a thirtieth; deflate cannot do more than 1,032.
  static let mostExpansion: Int64 = 300
  /// Below it nothing is refused.
  private static let anyway: Int64 = 16 << 20
  /// The most that is unpacked of one file.
  private static let most: Int64 = 64 << 30

  init(_ entry: ZipArchive.Entry, from place: Int64, _ source: @escaping ZipArchive.Source) {
    (self.entry, self.place, self.source) = (entry, place, source)
    packedLeft = entry.packedSize
  }

  deinit {
    if isReady { _ = unsafe inflateEnd(&stream) }
  }

  /// The place in the ZIP file behind the bytes that were unpacked.
  package var position: Int64 { place - Int64(input.count - inputPlace) }

  /// The next piece; empty at the end.
  package func next() throws(FileDamage) -> [UInt8] {
    guard !isOver else { return [] }
    let piece = entry.method == 0 ? try stored() : try inflated()
    written += Int64(piece.count)
    checksum = Self.checksum(checksum, piece)
    let read = entry.packedSize - packedLeft
    guard written <= Self.anyway || written / Self.mostExpansion <= read, written <= Self.most else {
      isOver = true
      throw FileDamage(
        "byte \(place)", "\(entry.text) unpacks to more than \(Self.mostExpansion) times its size: no export does")
    }
    if piece.isEmpty { try finish() }
    return piece
  }

  private func finish() throws(FileDamage) {
    isOver = true
    guard try checksum == expected(), entry.isOpenEnded || written == entry.size else {
      throw FileDamage("byte \(place)", "\(entry.text) is not as it was packed: its checksum or its size differs")
    }
  }

  private func expected() throws(FileDamage) -> UInt32 {
    guard entry.isOpenEnded else { return entry.checksum }
    let bytes = try source(position, 8)
    let place = bytes.isSignature(0x0807_4B50, at: 0) ? 4 : 0
    guard bytes.count >= place + 4 else { throw cutOff() }
    return UInt32(truncatingIfNeeded: bytes.number(4, at: place))
  }

  private func more() throws(FileDamage) -> [UInt8] {
    let wanted = Int(min(packedLeft, Int64(Self.pieceSize)))
    guard wanted > 0 else { return [] }
    let bytes = try source(place, wanted)
    place += Int64(bytes.count)
    packedLeft -= Int64(bytes.count)
    return bytes
  }

  private func stored() throws(FileDamage) -> [UInt8] {
    let piece = try more()
    if piece.isEmpty, packedLeft > 0 { throw cutOff() }
    return piece
  }

  private func cutOff() -> FileDamage {
    isOver = true
    return FileDamage("byte \(place)", "\(entry.text) is cut off")
  }

  private func inflated() throws(FileDamage) -> [UInt8] {
    if !isReady, damage == nil {
      // Raw deflate: ZIP files have no header of zlib's.
      guard unsafe inflateInit2_(&stream, -15, ZLIB_VERSION, CInt(MemoryLayout<z_stream>.size)) == Z_OK else {
        throw FileDamage("byte \(place)", "there is no memory to unpack \(entry.text)")
      }
      isReady = true
    }
    var output = [UInt8](repeating: 0, count: Self.pieceSize)
    var filled = 0
    while filled < output.count, !hasEnded, damage == nil {
      if inputPlace == input.count {
        input = try more()
        inputPlace = 0
      }
      if input.isEmpty {
        damage = cutOff()
      } else {
        step(&output, &filled)
      }
    }
    // What came before the damage is good.
    if filled == 0, let damage {
      isOver = true
      throw damage
    }
    isOver = false
    output.removeLast(output.count - filled)
    return output
  }

  private func step(_ output: inout [UInt8], _ filled: inout Int) {
    let (from, to) = (inputPlace, filled)
    let result = unsafe input.withUnsafeMutableBufferPointer { input in
      unsafe output.withUnsafeMutableBufferPointer { output in
        unsafe stream.next_in = input.baseAddress.map { unsafe $0 + from }
        unsafe stream.avail_in = UInt32(input.count - from)
        unsafe stream.next_out = output.baseAddress.map { unsafe $0 + to }
        unsafe stream.avail_out = UInt32(output.count - to)
        return unsafe inflate(&stream, Z_NO_FLUSH)
      }
    }
    inputPlace = unsafe input.count - Int(stream.avail_in)
    filled = unsafe output.count - Int(stream.avail_out)
    hasEnded = result == Z_STREAM_END
    guard result != Z_OK, result != Z_STREAM_END, result != Z_BUF_ERROR || (inputPlace, filled) == (from, to) else {
      return
    }
    damage = FileDamage("byte \(place)", "\(entry.text) cannot be unpacked")
  }

  private static func checksum(_ before: UInt32, _ bytes: [UInt8]) -> UInt32 {
    unsafe bytes.withUnsafeBufferPointer {
      UInt32(truncatingIfNeeded: unsafe crc32(UInt(before), $0.baseAddress, UInt32($0.count)))
    }
  }
}
