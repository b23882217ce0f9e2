/// Unpacks the output of gzip (RFC 1952), piece by piece: one file, or several that follow each other.
package struct GzipReader {
  private let inflation = Inflation(.gzip)
  private var input: [UInt8] = []
  private var place = 0
  /// The bytes that were fed.
  private var fed: Int64 = 0
  private var written: Int64 = 0
  /// Whether one file has ended, and no other one has begun.
  private var isBetween = false
  /// Whether zlib may have more without being fed.
  private var mayHaveMore = false
  private var damage: FileDamage?

  private static let pieceSize = 65_536

  package static func recognizes(_ beginning: [UInt8]) -> Bool { beginning.starts(with: [0x1F, 0x8B]) }

  package init() {}

  /// Feeds more of the packed file, when ``take()`` has returned all pieces of the bytes before.
  package mutating func feed(_ bytes: [UInt8]) {
    input = Array(input[place...]) + bytes
    place = 0
    fed += Int64(bytes.count)
  }

  /// Returns the next piece; empty until more bytes are fed.
  ///
  /// - Throws: ``FileDamage``, behind all pieces before the damage.
  package mutating func take() throws(FileDamage) -> [UInt8] {
    var output = [UInt8](repeating: 0, count: Self.pieceSize)
    var filled = 0
    while filled < output.count, place < input.count || mayHaveMore, damage == nil {
      if isBetween { step(between: input[place]) } else { step(into: &output, &filled) }
    }
    mayHaveMore = filled == output.count && !isBetween
    if filled == 0, let damage { throw damage }
    output.removeLast(output.count - filled)
    return output
  }

  /// Checks the end, when all bytes were fed and all pieces returned.
  package func finish() throws(FileDamage) {
    guard isBetween else { throw damage("the file ends here, in the midst of what gzip packed") }
  }

  private mutating func step(into output: inout [UInt8], _ filled: inout Int) {
    let before = filled
    switch inflation.step(&input, &place, into: &output, &filled) {
    case .goesOn: break
    case .needsMore: mayHaveMore = false
    case .hasEnded: (isBetween, mayHaveMore) = (true, false)
    case .isDamaged: damage = damage("it cannot be unpacked by gzip from here on, or is not as it was packed")
    case .hasNoMemory: damage = damage("there is no memory to unpack it")
    }
    written += Int64(filled - before)
    if damage == nil, Inflation.isBomb(written, from: position) {
      damage = damage("it unpacks to more than \(Inflation.mostExpansion) times its size: no recording does")
    }
  }

  /// Behind one file another one begins, or zeros fill a block.
  private mutating func step(between byte: UInt8) {
    switch byte {
    case 0: place += 1
    case 0x1F:
      inflation.begin()
      isBetween = false
    default: damage = damage("what gzip packed ends here, and something else begins")
    }
  }

  private var position: Int64 { fed - Int64(input.count - place) }

  private func damage(_ problem: String) -> FileDamage {
    FileDamage("byte \(position)\(Self.placeEnding)", problem)
  }

  /// Tells places in the packed file from those in what was unpacked.
  package static let placeEnding = " of the packed file"
}
