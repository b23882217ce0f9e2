internal import FoundationEssentials
internal import HealthModel

/// A header of WFDB (`.hea`), as far as annotations need it.
package struct WFDBHeader: Hashable {
  var record: String
  var ticksPerSecond: Int32
  /// The time of tick 0; nil where the header has no date, or no zone.
  var start: Timestamp?
  /// The hardware that measured; empty where the header does not name it.
  var device: Device
  /// The maker of the record; nil where the header does not name one.
  var maker: String?
  /// The session or workout that the record copies.
  var identity: RecordingIdentity?
  /// The program that recorded the session or workout, where the header names it.
  var source: SourceRevision?
  /// The number of signals that the header announces.
  var signals: Int

  /// Ticks where a header names none.
  static let defaultTicks: Int32 = 250
  /// No header is longer.
  static let longest = 65_536

  private static let madeBy = "made by: "
  private static let recording = "recording: "
  private static let source = "source: "
  private static let sourceName = "source name: "
  private static let sourceVersion = "source version: "
  private static let device = "device: "
  private static let manufacturer = "manufacturer: "
  private static let model = "model: "

  /// The lines of a header for annotations alone: no signal.
  static func text(of recording: InterchangeRecording, ticksPerSecond: Int64, length: Int64) -> String {
    let start = recording.span.start.iso8601(fractionDigits: 6)
    // 2026-11-21T02:08:08.000000Z
    let (date, time) = (start.prefix(10).split(separator: "-"), start.dropFirst(11).dropLast())
    var text =
      "\(name(of: recording)) 0 \(ticksPerSecond) \(length) \(time) \(date.reversed().joined(separator: "/"))\n"
    text += "# \(WFDBCodes.zone)\n"
    let said: [(name: String, value: String?)] = [
      (madeBy, FITWriter.program), (Self.recording, recording.identity.text), (source, recording.source.identifier),
      (sourceName, recording.source.name), (sourceVersion, recording.source.version),
      (device, recording.device.name), (manufacturer, recording.device.manufacturer),
      (model, recording.device.model),
    ]
    for (name, value) in said {
      guard let value else { continue }
      let plain = String(
        value.unicodeScalars.map { $0.isASCII && $0.value >= 0x20 && $0.value < 0x7F ? Character($0) : "?" })
      text += "# \(name)\(plain)\n"
    }
    return text
  }

  /// Whether a record may have this name: letters, digits, hyphens and low lines.
  package static func isName(_ name: some StringProtocol) -> Bool {
    !name.isEmpty && name.utf8.allSatisfy(isNameByte)
  }

  private static func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  private static func name(of recording: InterchangeRecording) -> String {
    recording.name ?? String(recording.id.uuidString.lowercased().prefix(8))
  }

  /// Reads a whole header.
  init(_ bytes: [UInt8]) throws(FileDamage) {
    let lines = Self.lines(bytes)
    guard let place = lines.firstIndex(where: { !$0.isEmpty && !$0.hasPrefix("#") }),
      case let words = lines[place].split(whereSeparator: \.isWhitespace), words.count >= 2,
      let name = words[0].split(separator: "/").first, Self.isName(name), let signals = Int(words[1]), signals >= 0
    else { throw FileDamage("line 1", "it is no header of WFDB") }
    record = String(name)
    self.signals = signals
    ticksPerSecond = Self.defaultTicks
    if words.count > 2 {
      // 360/360(0): the counter's frequency and first value are behind the slash.
      guard let number = words[2].split(separator: "/").first.flatMap({ Double($0) }), number == number.rounded(),
        number >= 1, number <= 1_000_000
      else { throw FileDamage("line \(place + 1)", "its sampling frequency is no whole number") }
      ticksPerSecond = Int32(number)
    }
    let comments = lines.filter { $0.hasPrefix("#") }.map { $0.drop { $0 == "#" || $0 == " " } }
    func said(_ what: String) -> String? {
      comments.first { $0.hasPrefix(what) }.map { String($0.dropFirst(what.count)) }
    }
    maker = said(Self.madeBy)
    device = Device(name: said(Self.device), manufacturer: said(Self.manufacturer), model: said(Self.model))
    if let identity = said(Self.recording).flatMap({ RecordingIdentity($0) }) {
      self.identity = identity
      source = said(Self.source).flatMap {
        SourceRevision(saidToHaveRecorded: $0, name: said(Self.sourceName), version: said(Self.sourceVersion))
      }
    }
    guard words.count > 5, comments.contains(where: { $0 == WFDBCodes.zone }) else { return }
    let date = words[5].split(separator: "/")
    guard date.count == 3 else { return }
    start = Timestamp(iso8601: "\(date[2])-\(date[1])-\(date[0])T\(words[4])Z")
  }

  private static func lines(_ bytes: [UInt8]) -> [String] {
    bytes.split(separator: 0x0A, omittingEmptySubsequences: false).map { line in
      var line = line
      while let last = line.last, last == 0x0D || last == 0x20 || last == 0x09 { line = line.dropLast() }
      while let first = line.first, first == 0x20 || first == 0x09 { line = line.dropFirst() }
      return String(decoding: line, as: UTF8.self)
    }
  }

  /// Whether a file that begins like this is a header: a line with a name, a number of signals and a frequency, and as many lines behind
  /// it as it has signals or segments.
  static func begins(_ beginning: [UInt8]) -> Bool {
    let text = beginning.prefix { $0 != 0 }
    guard text.allSatisfy({ $0 >= 0x20 || $0 == 0x09 || $0 == 0x0A || $0 == 0x0D }) else { return false }
    let lines = lines(Array(text)).filter { !$0.isEmpty && !$0.hasPrefix("#") }
    guard let words = lines.first?.split(whereSeparator: \.isWhitespace), words.count >= 3 else { return false }
    let name = words[0].split(separator: "/", omittingEmptySubsequences: false)
    guard name.count <= 2, isName(name[0]), let signals = Int(words[1]), signals >= 0,
      words[2].first?.isNumber == true
    else { return false }
    guard let following = name.count == 2 ? Int(name[1]) : signals else { return false }
    return lines.count - 1 == following || beginning.count >= 4096
  }
}
