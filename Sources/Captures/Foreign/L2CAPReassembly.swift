/// Reassembles the fragments of one direction of a connection to L2CAP frames (Core specification, volume 3, part A).
struct L2CAPReassembly {
  private static let headerLength = 4
  private var fragments: [UInt8] = []
  private var isOpen = false

  /// A complete frame: its channel and its content.
  enum Frame {
    /// The frame is contiguous in the file, at this range.
    case inPlace(channel: UInt16, Range<Int>)
    /// The frame was reassembled: its bytes with the four bytes of its header.
    case assembled(channel: UInt16, [UInt8])
  }

  /// Appends the data of one ACL packet, at `range` of the file's bytes. Returns the frame that it completes.
  mutating func append(_ bytes: Span<UInt8>, _ range: Range<Int>, isContinuation: Bool) -> Frame? {
    if isContinuation {
      // Fragments without the beginning of their frame are dropped.
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

  /// The channel and end of the frame at the beginning of `range`; nil if it is incomplete.
  private static func whole(_ bytes: Span<UInt8>, _ range: Range<Int>) -> (channel: UInt16, end: Int)? {
    guard range.count >= headerLength, let length = bytes.uint16(at: range.lowerBound),
      let channel = bytes.uint16(at: range.lowerBound + 2)
    else { return nil }
    let end = range.lowerBound + headerLength + Int(length)
    return end <= range.upperBound ? (channel, end) : nil
  }
}
