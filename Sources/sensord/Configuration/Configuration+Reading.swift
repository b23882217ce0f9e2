// The fuzzer builds this file in a package of its own.
#if FUZZER
  @testable import HealthModel
#else
  internal import HealthModel
#endif

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
