extension CentreSchema {
  /// The statements of a script, each by itself, without remarks and semicolons: for programs, whose drivers often take one at a time.
  ///
  /// Texts in quotation marks and between two `$$` are whole; nothing else of the language has to be known for this program's scripts.
  public static func statements(of script: String) -> [String] {
    var statements: [String] = []
    var statement: [Unicode.Scalar] = []
    var rest = Array(script.unicodeScalars)[...]
    func end() {
      while statement.last?.properties.isWhitespace == true { statement.removeLast() }
      let text = String(String.UnicodeScalarView(statement.drop { $0.properties.isWhitespace }))
      if !text.isEmpty { statements.append(text) }
      statement = []
    }
    while let scalar = rest.first {
      switch scalar {
      case "-" where rest.starts(with: "--".unicodeScalars): rest = rest.drop { $0 != "\n" }
      case ";":
        rest = rest.dropFirst()
        end()
      case "'", "\"":
        // A doubled mark ends one text and begins another.
        let inside = rest.dropFirst().prefix { $0 != scalar }
        statement += [scalar] + inside + [scalar]
        rest = rest.dropFirst(inside.count + 2)
      case "$" where rest.starts(with: "$$".unicodeScalars):
        statement += "$$".unicodeScalars
        rest = rest.dropFirst(2)
        while !rest.isEmpty, !rest.starts(with: "$$".unicodeScalars) { statement.append(rest.removeFirst()) }
        statement += "$$".unicodeScalars
        rest = rest.dropFirst(2)
      default: statement.append(rest.removeFirst())
      }
    }
    end()
    return statements
  }
}
