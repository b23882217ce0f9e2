// The fuzzer builds this file in a package of its own.
#if FUZZER
  @testable import HealthModel
#else
  internal import HealthModel
#endif

/// The settings of `sensord run`; what a file leaves out has the values given here.
///
/// `systemd/sensord.conf.example` shows every one with its default; a test reads it.
struct Configuration: Hashable {
  /// `[sessions] away-limit`: how long the link may be down before the session ends.
  var awayLimit: Duration = .seconds(300)
  /// `[sessions] off-skin-limit`: how long the sensor may be off the skin or silent before the session ends.
  var offSkinLimit: Duration = .seconds(300)
  /// `[sessions] maximum-length`: a longer recording goes on in a linked session.
  var maximumLength: Duration = .seconds(86_400)
  /// `[journal] sync-interval`: how long a value may wait for the disk, and so how much a power cut can lose.
  var syncInterval: Duration = .seconds(5)
  /// `[captures] keep`: for how long the captures of committed sessions are kept; nil keeps none.
  var capturesKept: Duration? = .seconds(30 * 86_400)
  /// `[captures] size`: how many bytes of captures are kept at most.
  var capturesSize: Int64 = 256 << 20
  /// `[sensors] record`: whether heart-rate sensors that nobody added are recorded too.
  var recordsAny = false
  /// `[sensors] minimum-signal`: how near those have to be, in dBm.
  var minimumSignal: Int16 = -70
  /// `[sensors] adapters`: which Bluetooth adapters are used, `hci0` for example; nil means all.
  var adapters: [String]?
  /// `[events]`: which heart events are looked for.
  var eventRules = HeartEventRules()
  /// `[zones] maximum`: the person's greatest heart rate, in beats a minute; nil shows no zones.
  var maximumRate: Double?
  /// `[zones] resting`: that at rest; nil takes percentages of the maximum instead of the reserve.
  var restingRate: Double?
  /// `[clients] bus`: the bus on which other programs may query the recordings.
  var clientsBus = ClientsBus.auto
  /// `[clients] allow-share` and `allow-read`: the permissions of programs that need no question.
  var grants: [Grant] = []
  /// `[log] level`: the least important messages that are still logged.
  var logLevel: LogLevel = .info

  /// The zones of the heart rate; nil where no maximum is configured.
  var zones: HeartRateZones? {
    guard let maximumRate else { return nil }
    return HeartRateZones(restingRate.map { .reserve(resting: $0, maximum: maximumRate) } ?? .maximum(maximumRate))
  }

  /// The levels of a log, most talkative first.
  enum LogLevel: String, CaseIterable, Hashable {
    case debug, info, notice, warning, error
  }
}

/// The values of `[clients] bus`: the bus on which other programs are let in.
enum ClientsBus: String, CaseIterable, Hashable {
  case auto, system, session, off
}

extension Configuration {
  /// Reads a file's bytes; every unknown section, key or value is an error, since a misspelt setting that is silently
  /// ignored is found out months later.
  init(reading bytes: [UInt8]) throws(ConfigurationError) {
    self.init()
    var seen: [String: Int] = [:]
    for entry in try ConfigurationSyntax.entries(of: bytes) {
      let keys = try Self.keys(of: entry.section, line: entry.line)
      guard keys.contains(entry.key) else {
        throw ConfigurationError(
          line: entry.line,
          message: "[\(entry.section)] has no \"\(entry.key)\", only \(keys.joined(separator: ", "))")
      }
      if let earlier = seen.updateValue(entry.line, forKey: "\(entry.section).\(entry.key)") {
        throw ConfigurationError(line: entry.line, message: "\"\(entry.key)\" was already set in line \(earlier)")
      }
      try set(entry)
    }
    if let restingRate, maximumRate.map({ $0 <= restingRate }) ?? true {
      throw ConfigurationError(
        line: seen["zones.resting"] ?? 1, message: "\"resting\" needs a \"maximum\" that is greater")
    }
  }

  private static let sections: [(name: String, keys: [String])] = [
    ("sessions", ["away-limit", "off-skin-limit", "maximum-length"]),
    ("journal", ["sync-interval"]),
    ("captures", ["keep", "size"]),
    ("sensors", ["record", "minimum-signal", "adapters"]),
    ("events", ["low", "high", "irregular"]),
    ("zones", ["maximum", "resting"]),
    ("clients", ["bus", "allow-share", "allow-read"]),
    ("log", ["level"]),
  ]

  private static func keys(of section: String, line: Int) throws(ConfigurationError) -> [String] {
    guard let found = sections.first(where: { $0.name == section }) else {
      let names = sections.map { "[\($0.name)]" }.joined(separator: ", ")
      throw ConfigurationError(line: line, message: "there is no section [\(section)], only \(names)")
    }
    return found.keys
  }

  private mutating func set(_ entry: ConfigurationSyntax.Entry) throws(ConfigurationError) {
    let reader = SettingReader(entry: entry)
    switch entry.key {
    case "away-limit": awayLimit = try reader.duration(in: .seconds(10) ... .seconds(86_400))
    case "off-skin-limit": offSkinLimit = try reader.duration(in: .seconds(10) ... .seconds(86_400))
    case "maximum-length": maximumLength = try reader.duration(in: .seconds(60) ... .seconds(7 * 86_400))
    case "sync-interval": syncInterval = try reader.duration(in: .seconds(1) ... .seconds(60))
    case "keep":
      capturesKept = entry.value == "no" ? nil : try reader.duration(in: .seconds(3_600) ... .seconds(36_500 * 86_400))
    case "size": capturesSize = try reader.bytes(in: 1 << 20...1 << 50)
    case "record": recordsAny = try reader.choice(of: ["allowed", "any"]) == "any"
    case "minimum-signal": minimumSignal = try reader.signal(in: -100 ... -20)
    case "adapters": adapters = try reader.adapters()
    case "low": eventRules.low = try reader.rate(in: 20...100)
    case "high": eventRules.high = try reader.rate(in: 60...250)
    case "irregular": eventRules.irregular = try reader.choice(of: ["no", "yes"]) == "yes"
    case "maximum": maximumRate = try reader.rate(in: 60...250)
    case "resting": restingRate = try reader.rate(in: 20...120)
    case "bus":
      let name = try reader.choice(of: ClientsBus.allCases.map(\.rawValue))
      clientsBus = ClientsBus(rawValue: name) ?? .auto
    case "allow-share": grants += try reader.grants(.share)
    case "allow-read": grants += try reader.grants(.read)
    case "level":
      let name = try reader.choice(of: LogLevel.allCases.map(\.rawValue))
      logLevel = LogLevel(rawValue: name) ?? .info
    default: throw reader.refused("a setting that exists")
    }
  }
}

/// The syntax of a configuration file: `key = value` lines in `[sections]`, as systemd writes them.
///
/// Empty lines and lines that begin with `#` or `;` are skipped; a comment cannot follow a value. Pure, and safe for any bytes:
/// what cannot be read is an error with its line.
enum ConfigurationSyntax {
  /// One `key = value` with the place it was found at.
  struct Entry: Hashable {
    var line: Int
    var section: String
    var key: String
    var value: String
  }

  /// Splits `bytes` into entries, in the order of the file.
  static func entries(of bytes: [UInt8]) throws(ConfigurationError) -> [Entry] {
    var entries: [Entry] = []
    var section: String?
    for (index, raw) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      let number = index + 1
      guard let line = String(validating: raw, as: UTF8.self) else {
        throw ConfigurationError(line: number, message: "is not UTF-8 text")
      }
      let text = trimmed(line[...])
      guard let first = text.first, first != "#", first != ";" else { continue }
      if first == "[" {
        guard text.last == "]", text.count > 2 else {
          throw ConfigurationError(line: number, message: "a section is written [name]")
        }
        section = String(trimmed(text.dropFirst().dropLast()))
        continue
      }
      guard let equals = text.firstIndex(of: "=") else {
        throw ConfigurationError(line: number, message: "neither a [section], a \"key = value\" nor a # comment")
      }
      let key = String(trimmed(text[..<equals]))
      guard !key.isEmpty else { throw ConfigurationError(line: number, message: "no key before \"=\"") }
      guard let section else {
        throw ConfigurationError(line: number, message: "\"\(key)\" stands before the first [section]")
      }
      let value = String(trimmed(text[text.index(after: equals)...]))
      entries.append(Entry(line: number, section: section, key: key, value: value))
    }
    return entries
  }

  /// The text without blanks at both ends; a carriage return counts as one, so that a file from elsewhere works.
  static func trimmed(_ text: Substring) -> Substring {
    let isBlank: (Character) -> Bool = { $0 == " " || $0 == "\t" || $0 == "\r" }
    guard let start = text.firstIndex(where: { !isBlank($0) }), let end = text.lastIndex(where: { !isBlank($0) }) else {
      return ""
    }
    return text[start...end]
  }
}

/// An error in a configuration file, with its line.
struct ConfigurationError: Error, Hashable {
  /// The line, counted from 1.
  var line: Int
  var message: String
}
