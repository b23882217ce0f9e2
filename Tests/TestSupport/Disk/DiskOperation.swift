/// One entry of the log that the preloaded library writes (Tests/PowerCut/include/PowerCut.h).
public struct DiskOperation: Sendable {
  public enum Kind: UInt32, Sendable {
    case open = 1
    case write, truncate, rename, unlink, makeFolder, removeFolder, syncBegin, syncEnd, link, start, receive
  }

  public var kind: Kind
  /// The file's inode number.
  public var file: UInt64
  public var offset: Int64
  public var result: Int64
  /// Microseconds on the boot clock.
  public var instant: Int64
  /// Relative to the root; empty for the root itself.
  public var path: String
  public var secondPath: String
  public var data: [UInt8]

  public init(
    kind: Kind, file: UInt64 = 0, offset: Int64 = 0, result: Int64 = 0, instant: Int64 = 0, path: String = "",
    secondPath: String = "", data: [UInt8] = []
  ) {
    self.kind = kind
    self.file = file
    self.offset = offset
    self.result = result
    self.instant = instant
    self.path = path
    self.secondPath = secondPath
    self.data = data
  }

  private static let headerLength = 48

  /// The entries of a log; an incomplete last one is left out.
  public static func read(_ bytes: [UInt8]) -> [DiskOperation] {
    var operations: [DiskOperation] = []
    var position = 0
    func number(_ offset: Int, _ count: Int) -> UInt64 {
      (0..<count).reduce(0) { $0 | UInt64(bytes[position + offset + $1]) << UInt64(8 * $1) }
    }
    while bytes.count - position >= headerLength {
      let lengths = [4, 8, 12].map { Int(number($0, 4)) }
      guard let kind = Kind(rawValue: UInt32(number(0, 4))),
        bytes.count - position - headerLength >= lengths.reduce(0, +)
      else { break }
      var operation = DiskOperation(
        kind: kind, file: number(16, 8), offset: Int64(bitPattern: number(24, 8)),
        result: Int64(bitPattern: number(32, 8)), instant: Int64(bitPattern: number(40, 8)))
      position += headerLength
      let parts = lengths.map { length in
        defer { position += length }
        return Array(bytes[position..<position + length])
      }
      operation.path = String(decoding: parts[0], as: UTF8.self)
      operation.secondPath = String(decoding: parts[1], as: UTF8.self)
      operation.data = parts[2]
      operations.append(operation)
    }
    return operations
  }
}
