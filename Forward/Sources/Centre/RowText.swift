internal import Bits
internal import SeriesStore

/// Rows as JSON, from which they can be made again: nothing is rounded, and no kind is lost.
public enum RowText {
  /// An object with a member for each column: numbers, texts and null as themselves, a real with a point or an exponent;
  /// `{"blob": "hexadecimal digits"}`, and `{"real": "inf"}` for what is no number in JSON.
  static func json(_ row: StoredRow) -> String {
    let members = zip(row.columns, row.values).map { "\(quoted($0)):\(json($1))" }
    return "{\(members.joined(separator: ","))}"
  }

  static func json(_ value: SQLValue) -> String {
    switch value {
    case .null: "null"
    case .integer(let integer): "\(integer)"
    case .real(let real): real.isFinite ? "\(real)" : "{\"real\":\"\(real)\"}"
    case .text(let text): quoted(text)
    case .blob(let bytes): "{\"blob\":\"\(Hexadecimal.text(bytes))\"}"
    }
  }

  /// A text as JSON has it, with its quotation marks.
  public static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case _ where scalar.value < 32:
        let digits = String(scalar.value, radix: 16)
        result += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }
}
