/// One packet between host and controller, from any file format.
struct HCIPacket {
  /// Wall time in microseconds since 1970, UTC.
  let microseconds: Int64
  /// The adapter's number; 0 in files without one.
  let adapter: Int
  let kind: Kind
  /// The packet's place in the part of the file at hand, without H4's byte for the packet type.
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

extension Span where Element == UInt8 {
  /// Two bytes, the lowest first, as Bluetooth writes all its numbers; nil where they are cut off.
  func uint16(at offset: Int) -> UInt16? {
    guard offset >= 0, count - offset >= 2 else { return nil }
    return UInt16(self[offset]) | UInt16(self[offset + 1]) << 8
  }

  /// The byte at `offset`; nil behind the end.
  func byte(at offset: Int) -> UInt8? {
    offset >= 0 && offset < count ? self[offset] : nil
  }

  /// A Bluetooth device address, its lowest byte first; nil where it is cut off.
  func address(at offset: Int) -> UInt64? {
    guard offset >= 0, count - offset >= 6 else { return nil }
    return (0..<6).reduce(0) { $0 | UInt64(self[offset + $1]) << UInt64(8 * $1) }
  }

  /// A number of the width of `Value` in the given order; nil where it is cut off.
  func integer<Value: FixedWidthInteger & BitwiseCopyable>(
    at offset: Int, isBigEndian: Bool, as type: Value.Type = Value.self
  ) -> Value? {
    guard offset >= 0, count - offset >= MemoryLayout<Value>.size else { return nil }
    let value = unsafe bytes.unsafeLoadUnaligned(fromByteOffset: offset, as: type)
    return isBigEndian ? Value(bigEndian: value) : Value(littleEndian: value)
  }

  /// A copy of the bytes in `range`.
  func array(_ range: Range<Int>) -> [UInt8] {
    let part = extracting(range)
    return unsafe [UInt8](unsafeUninitializedCapacity: part.count) { output, count in
      for index in 0..<part.count {
        unsafe output.initializeElement(at: index, to: part[index])
      }
      count = part.count
    }
  }
}
