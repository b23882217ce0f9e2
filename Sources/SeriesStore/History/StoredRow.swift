import Support

/// A row of the store's file as it is, without its checksum; Documentation/store-format.md says what the columns mean.
public struct StoredRow: Hashable, Sendable {
  /// The table, also one that this program does not know.
  public var table: String
  /// The names of the columns, in the order of the table.
  public var columns: [String]
  /// A value for each column.
  public var values: [SQLValue]

  /// A row with a value for each column.
  public init(table: String, columns: [String], values: [SQLValue]) {
    self.table = table
    self.columns = columns
    self.values = values
  }

  /// The value of a column; NULL where the table has none of that name.
  public subscript(column: String) -> SQLValue {
    guard let index = columns.firstIndex(of: column), index < values.count else { return .null }
    return values[index]
  }

  /// SHA-256 of the table's name and the values in their order, which says whether two rows are the same.
  ///
  /// Each is a byte for its kind (0 NULL, 1 integer, 2 real, 3 text, 4 blob), then an integer or the bit pattern of a real in
  /// eight bytes, little endian, or the length in eight bytes and the bytes. The name is a text.
  public var digest: [UInt8] {
    var bytes: [UInt8] = []
    for value in [.text(table)] + values { Self.append(value, to: &bytes) }
    return Self.digest(of: bytes)
  }

  /// SHA-256 of bytes: of a packed chunk, for example.
  public static func digest(of bytes: [UInt8]) -> [UInt8] {
    var digest = SHA256()
    digest.add(bytes[...])
    return digest.digest()
  }

  private static func append(_ value: SQLValue, to bytes: inout [UInt8]) {
    switch value {
    case .null: bytes.append(0)
    case .integer(let integer): append(1, UInt64(bitPattern: integer), to: &bytes)
    case .real(let real): append(2, real == 0 ? 0 : real.bitPattern, to: &bytes)
    case .text(let text):
      append(3, UInt64(text.utf8.count), to: &bytes)
      bytes += text.utf8
    case .blob(let blob):
      append(4, UInt64(blob.count), to: &bytes)
      bytes += blob
    }
  }

  private static func append(_ kind: UInt8, _ word: UInt64, to bytes: inout [UInt8]) {
    bytes.append(kind)
    for shift in stride(from: 0, to: 64, by: 8) { bytes.append(UInt8(truncatingIfNeeded: word >> UInt64(shift))) }
  }
}
