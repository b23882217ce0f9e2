// The fuzzer builds this file in a package of its own.
#if FUZZER
  @testable import HealthModel
#else
  internal import HealthModel
#endif

/// How a person names another program: `org.example.Game@1000`, its name and the number of the user that it runs as.
enum ClientArgument {
  /// Nil for anything else; whether the name can be one is checked where something is decided about it.
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
