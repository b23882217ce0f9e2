/// The bytes of a hexadecimal text; blanks and everything from `#` to the end of a line are comments.
func hex(_ text: String) -> [UInt8] {
  var digits: [UInt8] = []
  for line in text.split(separator: "\n") {
    for character in line.prefix(while: { $0 != "#" }) where !character.isWhitespace {
      digits.append(UInt8(character.hexDigitValue!))
    }
  }
  precondition(digits.count.isMultiple(of: 2), "half a byte in \(text)")
  return stride(from: 0, to: digits.count, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
}
