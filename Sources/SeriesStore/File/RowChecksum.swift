import CSQLite
import Bits

/// The checksum of a row: CRC-32C of its values in the order of the columns, as a signed number.
///
/// Each value is a byte for its kind (0 NULL, 1 integer, 2 real, 3 text, 4 blob) and behind it, little endian: an integer or
/// the bit pattern of a real in eight bytes, -0 as 0, since SQLite keeps no sign of zero; or the length in eight bytes, and the bytes.
///
/// It is a function of SQL on the store's own connections: a row is sealed by the statement that writes it, and checked
/// where it lies. What other programs read of the file needs it nowhere.
enum RowChecksum {
  static let name = "row_checksum"

  /// Makes the function known to a connection.
  static func register(on connection: Connection) throws(StoreError) {
    let flags = SQLITE_UTF8 | SQLITE_DETERMINISTIC
    try connection.check(
      unsafe sqlite3_create_function_v2(
        connection.handle, name, -1, flags, nil,
        { context, count, values in
          var checksum = CRC32C()
          for index in 0..<Int(count) {
            guard let value = unsafe values?[index] else { continue }
            unsafe RowChecksum.add(value, to: &checksum)
          }
          unsafe sqlite3_result_int64(context, Int64(Int32(bitPattern: checksum.value)))
        }, nil, nil, nil))
  }

  private static func add(_ value: OpaquePointer, to checksum: inout CRC32C) {
    switch unsafe sqlite3_value_type(value) {
    case SQLITE_INTEGER:
      checksum.add(byte: 1)
      checksum.add(word: UInt64(bitPattern: unsafe sqlite3_value_int64(value)))
    case SQLITE_FLOAT:
      let real = unsafe sqlite3_value_double(value)
      checksum.add(byte: 2)
      checksum.add(word: real == 0 ? 0 : real.bitPattern)
    case SQLITE_TEXT:
      let text = unsafe sqlite3_value_text(value)
      let count = Int(unsafe sqlite3_value_bytes(value))
      checksum.add(byte: 3)
      checksum.add(word: UInt64(count))
      unsafe checksum.add(UnsafeRawBufferPointer(start: text, count: count).bytes)
    case SQLITE_BLOB:
      let blob = unsafe sqlite3_value_blob(value)
      let count = Int(unsafe sqlite3_value_bytes(value))
      checksum.add(byte: 4)
      checksum.add(word: UInt64(count))
      unsafe checksum.add(UnsafeRawBufferPointer(start: blob, count: blob == nil ? 0 : count).bytes)
    default:
      checksum.add(byte: 0)
    }
  }
}
