import CSQLite
import Bits

/// The checksum of a row: CRC-32C of its values in the order of the columns, as a signed number.
///
/// For each value there is a byte for its type (0 NULL, 1 integer, 2 real, 3 text, 4 blob), followed in little endian by
/// eight bytes with the integer or the real's bit pattern (−0 as 0, since SQLite drops the sign of zero), or by the length
/// in eight bytes and the bytes.
///
/// The checksum is an SQL function on the store's own connections: the statement that writes a row computes it, and a
/// statement can check it in place. Other programs do not need the function to read the file.
enum RowChecksum {
  static let name = "row_checksum"

  /// Registers the function with a connection.
  static func register(on connection: Connection) throws(StoreError) {
    try connection.check(
      unsafe sqlite3_create_function_v2(
        connection.handle, name, -1, Connection.directOnly, nil,
        { context, count, values in
          var checksum = CRC32C()
          for index in 0..<Int(count) {
            guard let value = unsafe values?[index] else { continue }
            unsafe RowChecksum.add(value, to: &checksum)
          }
          unsafe sqlite3_result_int64(context, Int64(Int32(bitPattern: checksum.value)))
        }, nil, nil, nil))
  }

  /// The checksum of a row with these values.
  static func of(_ values: [SQLValue]) -> Int64 {
    var checksum = CRC32C()
    for value in values {
      switch value {
      case .null: checksum.add(byte: 0)
      case .integer(let integer):
        checksum.add(byte: 1)
        checksum.add(word: UInt64(bitPattern: integer))
      case .real(let real):
        checksum.add(byte: 2)
        checksum.add(word: real == 0 ? 0 : real.bitPattern)
      case .text(let text): add(Array(text.utf8), of: 3, to: &checksum)
      case .blob(let bytes): add(bytes, of: 4, to: &checksum)
      }
    }
    return Int64(Int32(bitPattern: checksum.value))
  }

  private static func add(_ bytes: [UInt8], of type: UInt8, to checksum: inout CRC32C) {
    checksum.add(byte: type)
    checksum.add(word: UInt64(bytes.count))
    unsafe checksum.add(bytes.span.bytes)
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
