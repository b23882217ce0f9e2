/// Puts the fragments of one direction of a connection together to L2CAP frames (Core specification, volume 3, part A).
struct L2CAPReassembly {
  private static let headerLength = 4
  private var fragments: [UInt8] = []
  private var isOpen = false

  /// A whole frame's channel and where its content is.
  enum Frame {
    /// In the file, at this place.
    case inPlace(channel: UInt16, Range<Int>)
    /// Put together from fragments: the frame with its four bytes of header.
    case assembled(channel: UInt16, [UInt8])
  }

  /// Takes the data of one ACL packet, at `range` of the file's bytes; gives the frame that it completes.
  mutating func take(_ bytes: Span<UInt8>, _ range: Range<Int>, isContinuation: Bool) -> Frame? {
    if isContinuation {
      // What belongs to a frame whose beginning is not there is worth nothing.
      guard isOpen else { return nil }
      fragments += bytes.array(range)
      guard let (channel, end) = Self.whole(fragments.span, 0..<fragments.count) else { return nil }
      isOpen = false
      return .assembled(channel: channel, Array(fragments[..<end]))
    }
    if let (channel, end) = Self.whole(bytes, range) {
      isOpen = false
      return .inPlace(channel: channel, range.lowerBound + Self.headerLength..<end)
    }
    fragments = bytes.array(range)
    isOpen = true
    return nil
  }

  /// The channel of the frame that begins with `range`, and where it ends; nil where it is not whole.
  private static func whole(_ bytes: Span<UInt8>, _ range: Range<Int>) -> (channel: UInt16, end: Int)? {
    guard range.count >= headerLength, let length = bytes.uint16(at: range.lowerBound),
      let channel = bytes.uint16(at: range.lowerBound + 2)
    else { return nil }
    let end = range.lowerBound + headerLength + Int(length)
    return end <= range.upperBound ? (channel, end) : nil
  }
}
