/// The bytes of a file in a ZIP file, piece by piece.
package final class ZipEntryReader {
  private let entry: ZipArchive.Entry
  private let source: ZipArchive.Source
  private var place: Int64
  private var packedLeft: Int64
  private var inflation: Inflation?
  private var input: [UInt8] = []
  private var inputPlace = 0
  private var isOver = false
  /// Whether the end of what was packed was found.
  private(set) var hasEnded = false
  private var damage: FileDamage?
  private var checksum: UInt32 = 0
  /// The number of unpacked bytes so far.
  package private(set) var written: Int64 = 0

  private static let pieceSize = 65_536

  init(_ entry: ZipArchive.Entry, from place: Int64, _ source: @escaping ZipArchive.Source) {
    (self.entry, self.place, self.source) = (entry, place, source)
    packedLeft = entry.packedSize
  }

  /// The place in the ZIP file behind the bytes that were unpacked.
  package var position: Int64 { place - Int64(input.count - inputPlace) }

  /// The next piece; empty at the end.
  package func next() throws(FileDamage) -> [UInt8] {
    guard !isOver else { return [] }
    let piece = entry.method == 0 ? try stored() : try inflated()
    written += Int64(piece.count)
    checksum = Inflation.checksum(checksum, piece)
    let read = entry.packedSize - packedLeft
    guard !Inflation.isBomb(written, from: read) else {
      isOver = true
      throw FileDamage(
        "byte \(place)", "\(entry.text) unpacks to more than \(Inflation.mostExpansion) times its size: no export does")
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
    let inflation = inflation ?? Inflation(.raw)
    self.inflation = inflation
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
        step(inflation, &output, &filled)
      }
    }
    // The bytes before the damage are good.
    if filled == 0, let damage {
      isOver = true
      throw damage
    }
    isOver = false
    output.removeLast(output.count - filled)
    return output
  }

  private func step(_ inflation: Inflation, _ output: inout [UInt8], _ filled: inout Int) {
    switch inflation.step(&input, &inputPlace, into: &output, &filled) {
    case .goesOn: break
    case .hasEnded: hasEnded = true
    // There were bytes, and room.
    case .isDamaged, .needsMore: damage = FileDamage("byte \(place)", "\(entry.text) cannot be unpacked")
    case .hasNoMemory: damage = FileDamage("byte \(place)", "there is no memory to unpack \(entry.text)")
    }
  }
}
