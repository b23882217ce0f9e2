/// Why a packed chunk cannot be read.
enum ChunkError: Error, Hashable {
  /// The bytes end before the last value.
  case truncated
  /// The checksum is wrong: the bytes were changed.
  case checksumMismatch
  /// This version of the program does not know the layout.
  case unknownLayout(UInt8)
  /// A field has a value that no encoder writes.
  case invalid(field: String)
}
