/// A declaration of a file: a row of `sqlite_schema`.
struct Declaration: Hashable {
  /// `table`, `index`, `view` or `trigger`.
  var kind: String
  var name: String
  /// The text of the declaration; nil for the index of a key, which SQLite makes by itself.
  var text: String?

  /// The reason why a file with this declaration is not opened, in words that follow its name; nil for a harmless
  /// declaration.
  ///
  /// Harmless are the declarations of every version of this program, later ones included, and plain tables and indexes of
  /// other programs: nothing in them is computed. Views are never run, so they may contain anything.
  func objection() -> String? {
    guard let text, !text.isEmpty else { return kind == "index" ? nil : "has no text" }
    if isPlain(text) || text == Schema.expressionIndex { return nil }
    var words = Array(SQLWords(text))
    // SQLite goes by the text; kind and name beside it are for readers.
    guard let declared = Self.head(&words), declared.kind == kind, SQLWords.lowercased(name) == declared.name else {
      return "is not what it is listed as"
    }
    switch kind {
    case "view": return Self.tableNames.contains(declared.name) ? "is a view" : nil
    case "table": return Self.viewNames.contains(declared.name) ? "is a table" : Self.objection(toTable: words)
    case "index": return Self.objection(toIndex: words)
    default: return "is a \(kind)"
    }
  }

  /// Whether the declaration is of the common form that is certainly harmless, so that an ordinary file is opened
  /// without a look at each word: a view with a name that no table has, or `CREATE TABLE name (…)` with only names,
  /// commas and parentheses.
  private func isPlain(_ text: String) -> Bool {
    if kind == "view" { return name.hasSuffix("_list") && text.hasPrefix("CREATE VIEW ") }
    guard kind == "table", !SQLWords.lowercased(name).hasSuffix("_list"), text.hasPrefix("CREATE TABLE \(name) (")
    else { return false }
    var letters: UInt64 = 0
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "_"):
        letters = letters << 8 | UInt64(byte | 0x20)
      case UInt8(ascii: " "), UInt8(ascii: ","), UInt8(ascii: "("), UInt8(ascii: ")"):
        // Of a longer word `letters` has the last eight, which are none of the telling words.
        if Self.telling.contains(letters) { return false }
        letters = 0
      default: return false
      }
    }
    return true
  }

  /// The telling words `as`, `check` and `default`, after which an expression may follow.
  private static let telling: [UInt64] = ["as", "check", "default"].map { word in
    word.utf8.reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// Removes `CREATE … name` from the beginning of a declaration, and returns the kind and the name.
  private static func head(_ words: inout [SQLWords.Word]) -> (kind: String, name: String)? {
    guard words.first == .bare("create") else { return nil }
    var position = 1
    if words.count > position, words[position] == .bare("unique") { position += 1 }
    guard words.count > position + 1, case .bare(let kind) = words[position], let name = words[position + 1].name else {
      return nil
    }
    words.removeFirst(position + 2)
    return (kind, name)
  }

  /// The objection to a table with more than columns, keys and plain defaults: an expression that is computed for a row
  /// could call any function.
  private static func objection(toTable words: [SQLWords.Word]) -> String? {
    for (position, word) in words.enumerated() {
      switch word {
      case .bare("check"): return "checks its rows"
      case .bare("as"): return "has a column that is computed"
      case .bare("default") where words.dropFirst(position + 1).first == .sign("("):
        return "has a default that is computed"
      default: break
      }
    }
    return nil
  }

  /// The objection to an index with more than columns, their order, and a condition on one of them for the rows:
  /// `ON table (column COLLATE name DESC, …) WHERE column IS NOT NULL`.
  private static func objection(toIndex words: [SQLWords.Word]) -> String? {
    let columns = words.dropFirst(3).prefix { $0 == .sign(",") || $0.name != nil }
    let rest = words.dropFirst(3 + columns.count)
    let condition = rest.dropFirst(3)
    let isPlain =
      words.starts(with: [.bare("on")]) && words.dropFirst(2).first == .sign("(") && rest.first == .sign(")")
      && (rest.count == 1 || rest.dropFirst().first == .bare("where") && rest.dropFirst(2).first?.name != nil)
      && (condition.isEmpty || condition.elementsEqual([.bare("is"), .bare("not"), .bare("null")]))
    return isPlain ? nil : "is of more than columns"
  }

  // Computed only for names that no ordinary file has.
  private static let tableNames = Set(Schema.allTables.map(\.name))
  private static let viewNames = Set(Schema.views.map(\.name))
}

extension Connection {
  /// All declarations of the file.
  func declarations() throws(StoreError) -> [Declaration] {
    var statement = try prepare("SELECT type, name, sql FROM sqlite_schema")
    var declarations: [Declaration] = []
    while try statement.step() {
      declarations.append(
        Declaration(kind: statement.text(0) ?? "", name: statement.text(1) ?? "", text: statement.text(2)))
    }
    return declarations
  }
}

extension [Declaration] {
  /// Throws unless all declarations are harmless: SQLite would run the expressions of others for rows that are read or
  /// written.
  func verify(_ path: String) throws(StoreError) {
    let objections = lazy.compactMap { declaration in
      declaration.objection().map { "\(declaration.kind) \(declaration.name.prefix(40)) \($0)" }
    }
    guard let first = objections.first else { return }
    let others = objections.dropFirst().count
    throw StoreError(
      .foreignDeclaration,
      "\(path) declares what no sensord does: \(first)\(others > 0 ? ", and \(others) more" : "");"
        + " nothing of it was run; take a copy of the store that nobody has changed")
  }
}

/// The words and signs of a text of SQL, as SQLite's tokenizer divides it; comments are left out.
///
/// No grammar is checked here: the caller refuses a declaration that it does not understand.
struct SQLWords: Sequence, IteratorProtocol {
  enum Word: Hashable {
    /// A keyword or a name, in lower case as far as it is ASCII: SQLite compares both so.
    case bare(String)
    /// A name in `"…"`, `[…]` or a pair of grave accents, in lower case too.
    case quoted(String)
    /// A text in `'…'`, a blob or a number.
    case literal
    case sign(UInt8)

    /// A name, however it is written.
    var name: String? {
      switch self {
      case .bare(let name), .quoted(let name): name
      case .literal, .sign: nil
      }
    }

    static func sign(_ scalar: Unicode.Scalar) -> Word { .sign(UInt8(ascii: scalar)) }
  }

  private var rest: ArraySlice<UInt8>

  init(_ text: String) {
    rest = Array(text.utf8)[...]
  }

  mutating func next() -> Word? {
    skipSpaces()
    guard let first = rest.first else { return nil }
    switch first {
    case UInt8(ascii: "'"):
      _ = quoted(until: first)
      return .literal
    case UInt8(ascii: "\""), UInt8(ascii: "`"): return .quoted(quoted(until: first))
    case UInt8(ascii: "["): return .quoted(quoted(until: UInt8(ascii: "]")))
    case UInt8(ascii: "0")...UInt8(ascii: "9"):
      _ = take { Self.isPartOfName($0) || $0 == UInt8(ascii: ".") }
      return .literal
    case _ where Self.isPartOfName(first): return .bare(Self.lowercased(take(Self.isPartOfName)))
    default:
      rest.removeFirst()
      return .sign(first)
    }
  }

  private mutating func skipSpaces() {
    while let first = rest.first {
      if first == UInt8(ascii: " ") || 9...13 ~= first {
        rest.removeFirst()
      } else if rest.starts(with: "--".utf8) {
        _ = take { $0 != UInt8(ascii: "\n") }
      } else if rest.starts(with: "/*".utf8) {
        rest = rest.dropFirst(2)
        while !rest.isEmpty, !rest.starts(with: "*/".utf8) { rest.removeFirst() }
        rest = rest.dropFirst(2)
      } else {
        return
      }
    }
  }

  private mutating func take(_ belongs: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let taken = rest.prefix(while: belongs)
    rest = rest.dropFirst(taken.count)
    return taken
  }

  /// Reads the text up to the closing quote; a doubled quote stands for one.
  private mutating func quoted(until end: UInt8) -> String {
    rest.removeFirst()
    var content: ArraySlice<UInt8> = []
    while let byte = rest.popFirst() {
      if byte == end {
        guard end != UInt8(ascii: "]"), rest.first == end else { break }
        rest.removeFirst()
      }
      content.append(byte)
    }
    return Self.lowercased(content)
  }

  private static func isPartOfName(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"),
      UInt8(ascii: "_"), UInt8(ascii: "$"), 0x80...:
      true
    default: false
    }
  }

  /// A name as SQLite compares it.
  static func lowercased(_ name: String) -> String { lowercased(Array(name.utf8)[...]) }

  private static func lowercased(_ bytes: ArraySlice<UInt8>) -> String {
    String(decoding: bytes.map { UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 ? $0 | 0x20 : $0 }, as: UTF8.self)
  }
}
