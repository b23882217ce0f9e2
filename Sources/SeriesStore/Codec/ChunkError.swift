/// Why a packed chunk cannot be read.
enum ChunkError: Error, Hashable {
  /// The bytes end before the values do.
  case truncated
  /// The bytes are not those that were written.
  case checksumMismatch
  /// A layout that this version of the program does not know.
  case unknownLayout(UInt8)
  /// A field holds what no encoder writes.
  case invalid(field: String)
}
