/// One packet between host and controller, from any file format.
struct HCIPacket {
  /// Wall time in microseconds since 1970, UTC.
  let microseconds: Int64
  /// The adapter's number; 0 in files without one.
  let adapter: Int
  let kind: Kind
  /// Its place in the part of the file at hand, without H4's byte for the packet type.
  let range: Range<Int>

  enum Kind: Hashable {
    case event
    case data(isReceived: Bool)
    /// The adapter was switched off or removed: its connections have ended.
    case adapterGone
  }

  /// Decodes the first byte of an H4 packet (Core specification, volume 4, part A); nil for types of no interest.
  static func h4(_ bytes: Span<UInt8>, _ range: Range<Int>, microseconds: Int64, isReceived: Bool) -> HCIPacket? {
    guard !range.isEmpty else { return nil }
    let kind: Kind
    switch bytes[range.lowerBound] {
    case 2: kind = .data(isReceived: isReceived)
    case 4: kind = .event
    default: return nil
    }
    return HCIPacket(
      microseconds: microseconds, adapter: 0, kind: kind, range: range.lowerBound + 1..<range.upperBound)
  }

  /// Decodes the opcode of the Linux monitor (BlueZ, monitor/bt.h); nil for those of no interest.
  static func monitor(_ range: Range<Int>, microseconds: Int64, adapter: Int, code: Int) -> HCIPacket? {
    let kind: Kind
    switch code {
    case 1, 9: kind = .adapterGone
    case 3: kind = .event
    case 4: kind = .data(isReceived: false)
    case 5: kind = .data(isReceived: true)
    default: return nil
    }
    return HCIPacket(microseconds: microseconds, adapter: adapter, kind: kind, range: range)
  }
}
