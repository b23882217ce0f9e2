/// Where the parts of a JSON value begin and end: for who needs their bytes as they stand. The value has been read as JSON before, so
/// what is left to find are strings and brackets.
struct JSONExtent {
  private let bytes: ArraySlice<UInt8>

  init(_ bytes: some Collection<UInt8>) {
    self.bytes = ArraySlice(bytes)
  }

  /// The elements of an array; none of anything else.
  var elements: [ArraySlice<UInt8>] {
    parts(of: UInt8(ascii: "["))
  }

  /// The values of an object's members with that name, which has no character that JSON escapes.
  func members(named name: String) -> [ArraySlice<UInt8>] {
    let key = Array("\"\(name)\"".utf8)
    return parts(of: UInt8(ascii: "{")).compactMap { member in
      guard member.starts(with: key) else { return nil }
      let rest = member.dropFirst(key.count).drop { Self.isSpace($0) }
      return rest.first == UInt8(ascii: ":") ? Self.trimmed(rest.dropFirst()) : nil
    }
  }

  /// What stands between the commas of the outermost brackets.
  private func parts(of bracket: UInt8) -> [ArraySlice<UInt8>] {
    let bytes = Self.trimmed(bytes)
    guard bytes.first == bracket else { return [] }
    var parts: [ArraySlice<UInt8>] = []
    var (depth, start) = (0, bytes.startIndex + 1)
    var (isString, isEscaped) = (false, false)
    for (index, byte) in zip(bytes.indices, bytes) {
      if isString {
        if isEscaped {
          isEscaped = false
        } else if byte == UInt8(ascii: "\\") {
          isEscaped = true
        } else if byte == UInt8(ascii: "\"") {
          isString = false
        }
        continue
      }
      switch byte {
      case UInt8(ascii: "\""): isString = true
      case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
      case UInt8(ascii: ","):
        guard depth == 1 else { continue }
        parts.append(Self.trimmed(bytes[start..<index]))
        start = index + 1
      case UInt8(ascii: "}"), UInt8(ascii: "]"):
        depth -= 1
        guard depth == 0 else { continue }
        let last = Self.trimmed(bytes[start..<index])
        return last.isEmpty ? parts : parts + [last]
      default: break
      }
    }
    return parts
  }

  private static func trimmed(_ bytes: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
    let rest = bytes.drop { isSpace($0) }
    guard let last = rest.lastIndex(where: { !isSpace($0) }) else { return [] }
    return rest[...last]
  }

  /// RFC 8259, section 2.
  private static func isSpace(_ byte: UInt8) -> Bool {
    byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
  }
}
