/// Numbers of Apple's export.
enum AppleNumber {
  private static let powers: [Double] = [
    1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
  ]

  /// Nil for what is no number.
  static func double(_ text: XMLBytes) -> Double? {
    // Whole numbers below 2^53 over powers of ten up to 22 are rounded once, so rightly.
    var number: Int64 = 0
    var digits = 0
    var decimals = -1
    var isNegative = false
    for place in 0..<text.count {
      switch text[place] {
      case 0x30...0x39 where digits < 15:
        number = number * 10 + Int64(text[place] - 0x30)
        digits += 1
        if decimals >= 0 { decimals += 1 }
      case 0x2E where decimals < 0: decimals = 0
      case 0x2D where place == 0: isNegative = true
      default: return general(text)
      }
    }
    guard digits > 0 else { return nil }
    let value = decimals > 0 ? Double(number) / powers[decimals] : Double(number)
    return isNegative ? -value : value
  }

  private static func general(_ text: XMLBytes) -> Double? {
    guard text.count <= 64, let value = Double(text.string), value.isFinite else { return nil }
    return value
  }
}
