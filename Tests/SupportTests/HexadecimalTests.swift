import Support
import Testing

@Suite("Hexadecimal")
struct HexadecimalTests {
  @Test("bytes are written in lower case and read in either")
  func text() {
    #expect(Hexadecimal.text([0x00, 0x9A, 0xBC, 0xFF]) == "009abcff")
    #expect(Hexadecimal.bytes("009aBCff") == [0x00, 0x9A, 0xBC, 0xFF])
    #expect(Hexadecimal.text([]).isEmpty && Hexadecimal.bytes("") == [])
  }

  @Test(
    "half a byte, a sign or any other character is no row of bytes",
    arguments: ["1", "123", "+1", "0x16", "g0", "1 2", "é"])
  func refused(text: String) {
    #expect(Hexadecimal.bytes(text) == nil)
  }

  @Test("every byte is a digit or none, in lower case alone or in either")
  func digits() {
    for byte in UInt8.min...UInt8.max {
      let character = Character(Unicode.Scalar(byte))
      let value = character.isASCII ? character.hexDigitValue.map { UInt8($0) } : nil
      #expect(Hexadecimal.valueInEitherCase(byte) == value)
      #expect(Hexadecimal.value(byte) == (character.isUppercase ? nil : value))
      if let lower = Hexadecimal.value(byte) { #expect(Hexadecimal.digit(lower) == byte) }
    }
  }

  @Test("eight digits in one word are four bytes, whatever one of them is replaced by")
  func words() {
    let digits = Array("09af7e3c".utf8)
    func word(_ digits: [UInt8]) -> UInt64 { digits.reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    #expect(Hexadecimal.bytes(word(digits)) == 0x3C7E_AF09)
    for place in digits.indices {
      for byte in UInt8.min...UInt8.max {
        var changed = digits
        changed[place] = byte
        let isReadable = Hexadecimal.value(byte) != nil
        #expect((Hexadecimal.bytes(word(changed)) != nil) == isReadable, "\(byte) at \(place)")
      }
    }
  }
}
