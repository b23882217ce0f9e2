extension Value {
  /// The signature of this value. Arrays and dictionaries have their declared type; elements are not checked.
  ///
  /// - Throws: ``DBusError/Code/nestedTooDeeply``, ``DBusError/Code/invalid`` for a struct without fields.
  public var type: Signature {
    get throws(DBusError) {
      var text = ""
      try appendType(to: &text, structs: 0)
      return try Signature(text)
    }
  }

  private func appendType(to text: inout String, structs: Int) throws(DBusError) {
    switch self {
    case .byte: text.append("y")
    case .boolean: text.append("b")
    case .int16: text.append("n")
    case .uint16: text.append("q")
    case .int32: text.append("i")
    case .uint32: text.append("u")
    case .int64: text.append("x")
    case .uint64: text.append("t")
    case .double: text.append("d")
    case .string: text.append("s")
    case .objectPath: text.append("o")
    case .signature: text.append("g")
    case .descriptor: text.append("h")
    case .bytes: text.append("ay")
    case .variant: text.append("v")
    case .array(_, of: let element):
      guard element.isSingleType else {
        throw DBusError(.invalid, "the elements of an array are of one single type")
      }
      text.append("a\(element.text)")
    case .dictionary(let dictionary):
      text.append("a{\(dictionary.entrySignature.text)}")
    case .structure(let fields):
      guard structs < SignatureParser.maximumStructs else {
        throw DBusError(.nestedTooDeeply, "a signature nests at most \(SignatureParser.maximumStructs) structs")
      }
      text.append("(")
      for field in fields { try field.appendType(to: &text, structs: structs + 1) }
      text.append(")")
    }
  }
}
