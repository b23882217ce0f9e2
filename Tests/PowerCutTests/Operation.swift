import Foundation

/// One entry of the log that the preloaded library writes (Tests/PowerCut/include/PowerCut.h).
struct Operation {
  enum Kind: UInt32 {
    case open = 1
    case write, truncate, rename, unlink, makeFolder, removeFolder, syncBegin, syncEnd
  }

  var kind: Kind
  /// The file's inode number.
  var file: UInt64 = 0
  var offset: Int64 = 0
  var result: Int64 = 0
  /// Relative to the root; empty for the root itself.
  var path = ""
  var secondPath = ""
  var data: [UInt8] = []

  /// The entries of a log; an incomplete last one is left out.
  static func read(_ log: Data) -> [Operation] {
    let bytes = [UInt8](log)
    var operations: [Operation] = []
    var position = 0
    func number(_ offset: Int, _ count: Int) -> UInt64 {
      (0..<count).reduce(0) { $0 | UInt64(bytes[position + offset + $1]) << UInt64(8 * $1) }
    }
    while bytes.count - position >= 40 {
      let lengths = [4, 8, 12].map { Int(number($0, 4)) }
      guard let kind = Kind(rawValue: UInt32(number(0, 4))), bytes.count - position - 40 >= lengths.reduce(0, +) else {
        break
      }
      var operation = Operation(
        kind: kind, file: number(16, 8), offset: Int64(bitPattern: number(24, 8)),
        result: Int64(bitPattern: number(32, 8)))
      position += 40
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
