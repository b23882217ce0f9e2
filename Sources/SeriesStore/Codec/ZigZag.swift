/// Maps signed to unsigned integers, small ones to small ones: 0, −1, 1, −2 … become 0, 1, 2, 3 …
enum ZigZag {
  static func encode(_ value: Int64) -> UInt64 {
    UInt64(bitPattern: (value << 1) ^ (value >> 63))
  }

  static func decode(_ value: UInt64) -> Int64 {
    Int64(bitPattern: value >> 1) ^ -Int64(bitPattern: value & 1)
  }
}
