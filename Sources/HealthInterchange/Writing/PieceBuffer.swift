/// Gathers bytes to pieces that are worth a call.
package struct PieceBuffer: ~Copyable {
  private(set) var bytes: [UInt8] = []
  static let size = 65_536

  package init() {
    bytes.reserveCapacity(Self.size + 4096)
  }

  package mutating func append(_ text: String) {
    bytes.append(contentsOf: text.utf8)
  }

  package mutating func append(_ number: Int64) {
    guard number >= 0 else { return append("\(number)") }
    let start = bytes.count
    var rest = number
    repeat {
      bytes.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
      rest /= 10
    } while rest > 0
    bytes[start...].reverse()
  }

  package mutating func append(byte: UInt8) { bytes.append(byte) }

  package mutating func append(_ more: some Sequence<UInt8>) { bytes.append(contentsOf: more) }

  /// Hands on what there is where it is enough.
  package mutating func hand<Failure: Error>(
    to receive: ([UInt8]) throws(Failure) -> Void, all: Bool = false
  ) throws(Failure) {
    guard bytes.count >= Self.size || (all && !bytes.isEmpty) else { return }
    try receive(bytes)
    bytes.removeAll(keepingCapacity: true)
  }
}
