import Bits
import DBus
import Glibc

/// The ground truth file: one JSON line for each entry, written at once, so that nothing is lost if the process ends.
final class GroundTruthLog {
  private let descriptor: FileDescriptor

  /// Creates or truncates the file; nil if it cannot be written.
  init?(path: String) {
    let number = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard number >= 0 else { return nil }
    descriptor = FileDescriptor(owning: number)
  }

  /// Writes one line.
  func write(_ entry: LogEntry) {
    var time = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &time)
    let unix = Double(time.tv_sec) + Double(time.tv_nsec / 1000) / 1e6
    var line = Array(entry.json(unix: unix, boot: Double(BootClock.now()) / 1e6).utf8)
    line.append(UInt8(ascii: "\n"))
    // On a full disk lines are lost, but the run goes on.
    _ = unsafe line.withUnsafeBytes { unsafe Glibc.write(descriptor.number, $0.baseAddress, $0.count) }
  }
}

/// One line of the ground truth: a value that a strap really sent, or an event of the strap or the machine.
///
/// The words are those of the lab's `strap.log`, so that one program compares recordings with either.
struct LogEntry: Equatable, Sendable {
  /// A value of the line.
  enum Field: Equatable, Sendable {
    case string(String)
    case int(Int)
    case double(Double)
    case bool(Bool)
    case null
  }

  /// The word for the event: `notify`, `unsent`, `subscription`, `connected` …
  let event: String
  /// The strap's address; nil where the machine is meant.
  let strap: String?
  /// More, in the order of writing.
  let fields: [(name: String, value: Field)]

  init(_ event: String, strap: String? = nil, _ fields: KeyValuePairs<String, Field> = [:]) {
    self.event = event
    self.strap = strap
    self.fields = fields.map { (name: $0.key, value: $0.value) }
  }

  static func == (left: LogEntry, right: LogEntry) -> Bool {
    left.event == right.event && left.strap == right.strap
      && left.fields.elementsEqual(right.fields) { $0.name == $1.name && $0.value == $1.value }
  }

  /// The entry as one line of JSON, without the line's end; `unix` and `boot` are seconds of both clocks.
  func json(unix: Double, boot: Double) -> String {
    var line = "{\"unix\":\(unix),\"mono\":\(boot),\"ev\":\(Self.quoted(event))"
    if let strap { line += ",\"strap\":\(Self.quoted(strap))" }
    for (name, value) in fields { line += ",\(Self.quoted(name)):\(Self.text(value))" }
    return line + "}"
  }

  private static func text(_ value: Field) -> String {
    switch value {
    case .string(let string): quoted(string)
    case .int(let int): "\(int)"
    case .double(let double): double == double.rounded() && abs(double) < 1e15 ? "\(Int64(double))" : "\(double)"
    case .bool(let bool): bool ? "true" : "false"
    case .null: "null"
    }
  }

  private static func quoted(_ string: String) -> String {
    var quoted = "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": quoted += "\\\""
      case "\\": quoted += "\\\\"
      case "\u{0}"..<"\u{20}":
        let hex = String(scalar.value, radix: 16)
        quoted += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }
}

extension Sequence where Element == UInt8 {
  /// The bytes as lower-case hexadecimal digits.
  var hex: String { Hexadecimal.text(Array(self)) }
}
