// The fuzzer builds this file in a package of its own.
#if FUZZER
  @testable import Clients
  @testable import HealthModel
#else
  internal import Clients
  internal import HealthModel
#endif

/// Reads the value of one setting, or reports the allowed values.
struct SettingReader {
  var entry: ConfigurationSyntax.Entry

  /// A length of time such as `90`, `5s`, `5min` or `1h 30min`; a bare number means seconds.
  func duration(in range: ClosedRange<Duration>) throws(ConfigurationError) -> Duration {
    let allowed =
      "a time from \(Self.text(range.lowerBound)) to \(Self.text(range.upperBound)), such as 90s, 5min or \"1h 30min\""
    guard let seconds = Self.seconds(entry.value) else { throw refused(allowed) }
    let duration = Duration.seconds(seconds)
    guard range.contains(duration) else { throw refused(allowed) }
    return duration
  }

  /// A number of bytes such as `1048576`, `512K`, `256M` or `1G`; the units are powers of 1024.
  func bytes(in range: ClosedRange<Int64>) throws(ConfigurationError) -> Int64 {
    let allowed = "a size of at least \(range.lowerBound >> 20)M, such as 256M or 1G"
    let units: [Character: Int64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40]
    var digits = entry.value[...]
    var factor: Int64 = 1
    if let last = digits.last, let unit = units[last] {
      factor = unit
      digits = digits.dropLast()
    }
    guard let number = Self.number(digits) else { throw refused(allowed) }
    let (bytes, overflow) = number.multipliedReportingOverflow(by: factor)
    guard !overflow, range.contains(bytes) else { throw refused(allowed) }
    return bytes
  }

  /// One of `words`, as it is written there.
  func choice(of words: [String]) throws(ConfigurationError) -> String {
    guard words.contains(entry.value) else { throw refused(words.joined(separator: ", ")) }
    return entry.value
  }

  /// A signal strength in dBm, such as `-70`.
  func signal(in range: ClosedRange<Int16>) throws(ConfigurationError) -> Int16 {
    let allowed = "a signal from \(range.lowerBound) to \(range.upperBound) dBm, such as -70"
    guard entry.value.hasPrefix("-"), let number = Self.number(entry.value.dropFirst()), number <= 127,
      range.contains(-Int16(number))
    else { throw refused(allowed) }
    return -Int16(number)
  }

  /// A heart rate in whole beats a minute, such as `40`, or `no` (nil).
  func rate(in range: ClosedRange<Int64>) throws(ConfigurationError) -> Double? {
    if entry.value == "no" { return nil }
    guard let number = Self.number(entry.value[...]), range.contains(number) else {
      throw refused("no, or a rate from \(range.lowerBound) to \(range.upperBound) beats a minute")
    }
    return Double(number)
  }

  /// `all` (nil) or names such as `hci0 hci1`.
  func adapters() throws(ConfigurationError) -> [String]? {
    if entry.value == "all" { return nil }
    let names = entry.value.split(separator: " ")
    let areAdapters = names.allSatisfy { name in
      name.hasPrefix("hci") && Self.number(name.dropFirst(3)) != nil && name.count <= 8
    }
    guard !names.isEmpty, areAdapters else { throw refused("all, or names such as \"hci0 hci1\"") }
    return names.map(String.init)
  }

  /// `none`, or the programs that have the permission, with its types: `org.example.Game@1000:heartRate,stepCount`, with blanks
  /// between several.
  func grants(_ permission: Permission) throws(ConfigurationError) -> [Grant] {
    if entry.value == "none" { return [] }
    let allowed = "none, or such as org.example.Game@1000:heartRate,stepCount (a user's number after the @)"
    var grants: [Grant] = []
    for word in entry.value.split(separator: " ") {
      let parts = word.split(separator: ":", omittingEmptySubsequences: false)
      guard parts.count == 2, let client = ClientArgument.client(String(parts[0])) else { throw refused(allowed) }
      let types = parts[1].split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      do throws(Refusal) {
        grants += try ClientRegistry.grants(
          about: client, share: permission == .share ? types : [], read: permission == .read ? types : [], .allowed,
          at: Timestamp(microseconds: 0), isType: ClientArgument.isType)
      } catch {
        throw refused(allowed)
      }
    }
    guard !grants.isEmpty else { throw refused(allowed) }
    return grants
  }

  /// The error that names the setting, its value and what is allowed.
  func refused(_ allowed: String) -> ConfigurationError {
    ConfigurationError(line: entry.line, message: "\(entry.key) = \(entry.value): allowed is \(allowed)")
  }

  private static let units: [String: Int64] = [
    "": 1, "s": 1, "sec": 1, "min": 60, "m": 60, "h": 3_600, "d": 86_400, "w": 7 * 86_400,
  ]

  /// Whole seconds of `1h 30min`; nil for anything else, overflow included.
  static func seconds(_ text: String) -> Int64? {
    var rest = text[...]
    var total: Int64 = 0
    guard !rest.isEmpty else { return nil }
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && $0.isNumber }
      rest = rest.dropFirst(digits.count)
      rest = rest.drop { $0 == " " }
      let name = rest.prefix { $0.isASCII && $0.isLetter }
      rest = rest.dropFirst(name.count)
      rest = rest.drop { $0 == " " }
      guard let number = number(digits), let unit = units[String(name)] else { return nil }
      let (part, partOverflow) = number.multipliedReportingOverflow(by: unit)
      let (sum, sumOverflow) = total.addingReportingOverflow(part)
      guard !partOverflow, !sumOverflow, sum < 1 << 40 else { return nil }
      total = sum
    }
    return total
  }

  /// Digits only: `Int64.init` would accept a sign too.
  private static func number(_ digits: Substring) -> Int64? {
    guard !digits.isEmpty, digits.allSatisfy({ $0.isASCII && $0.isNumber }) else { return nil }
    return Int64(digits)
  }

  private static func text(_ duration: Duration) -> String {
    let seconds = duration.components.seconds
    return switch seconds {
    case let days where days % 86_400 == 0: "\(days / 86_400)d"
    case let hours where hours % 3_600 == 0: "\(hours / 3_600)h"
    case let minutes where minutes % 60 == 0: "\(minutes / 60)min"
    default: "\(seconds)s"
    }
  }
}

/// The text by which a person names another program: `org.example.Game@1000`, its name and the number of the user that it runs
/// as.
enum ClientArgument {
  /// Reads such a text; nil for anything else. Whether a program can have the name is checked with each decision.
  static func client(_ text: String) -> ClientIdentity? {
    let parts = text.split(separator: "@", omittingEmptySubsequences: false)
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    guard parts.count == 2, !parts[0].isEmpty, parts[1].utf8.allSatisfy(digits.contains), let uid = UInt32(parts[1])
    else { return nil }
    return ClientIdentity(uid: uid, application: String(parts[0]))
  }

  /// The same as text.
  static func text(_ client: ClientIdentity) -> String { "\(client.application)@\(client.uid)" }

  /// Whether an identifier is that of a type.
  static let isType: @Sendable (String) -> Bool = { SampleType(identifier: $0) != nil }
}
