/// Puts the fragments of one direction of a connection together to L2CAP frames (Core specification, volume 3, part A).
struct L2CAPReassembly {
  private static let headerLength = 4
  private var frame: [UInt8] = []
  private var isOpen = false

  /// Takes one ACL packet's data; gives channel and content of the frame that it completes.
  mutating func take(
    _ data: ArraySlice<UInt8>, isContinuation: Bool
  ) -> (channel: UInt16, content: ArraySlice<UInt8>)? {
    if isContinuation {
      // What belongs to a frame whose beginning is not there is worth nothing.
      guard isOpen else { return nil }
      frame.append(contentsOf: data)
      guard let whole = Self.whole(frame[...]) else { return nil }
      isOpen = false
      return whole
    }
    if let whole = Self.whole(data) {
      isOpen = false
      return whole
    }
    frame = Array(data)
    isOpen = true
    return nil
  }

  private static func whole(_ bytes: ArraySlice<UInt8>) -> (channel: UInt16, content: ArraySlice<UInt8>)? {
    guard let length = bytes.uint16(at: 0), let channel = bytes.uint16(at: 2) else { return nil }
    let content = bytes.dropFirst(headerLength)
    return content.count >= Int(length) ? (channel, content.prefix(Int(length))) : nil
  }
}
