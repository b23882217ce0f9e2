extension Value {
  /// The signature of this value. Arrays and dictionaries have their declared type; elements are not checked.
  ///
  /// - Throws: ``DBusError/Code/nestedTooDeeply``, ``DBusError/Code/invalid`` for a struct without fields.
  public var type: Signature {
    get throws(DBusError) {
      if let simpleCode { return Signature(trusted: simpleCode) }
      var text = ""
      try appendType(to: &text, structs: 0)
      return try Signature(text)
    }
  }

  /// The type of a value that declares none of its own; nil for arrays, dictionaries and structs.
  private var simpleCode: String? {
    switch self {
    case .byte: "y"
    case .boolean: "b"
    case .int16: "n"
    case .uint16: "q"
    case .int32: "i"
    case .uint32: "u"
    case .int64: "x"
    case .uint64: "t"
    case .double: "d"
    case .string: "s"
    case .objectPath: "o"
    case .signature: "g"
    case .descriptor: "h"
    case .bytes: "ay"
    case .variant: "v"
    case .array, .dictionary, .structure: nil
    }
  }

  private func appendType(to text: inout String, structs: Int) throws(DBusError) {
    switch self {
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
    default:
      if let simpleCode { text.append(simpleCode) }
    }
  }
}
