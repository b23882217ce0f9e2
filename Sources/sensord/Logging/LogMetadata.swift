internal import Documents
internal import Logging

/// The `key=value` part of a log line.
enum LogMetadata {
  static func merged(_ first: Logger.Metadata, _ second: Logger.Metadata?) -> Logger.Metadata {
    guard let second, !second.isEmpty else { return first }
    return first.merging(second) { $1 }
  }

  /// Two blanks and the pairs by name; empty where there are none.
  static func text(_ metadata: Logger.Metadata) -> String {
    guard !metadata.isEmpty else { return "" }
    let pairs = metadata.sorted { $0.key < $1.key }.map { "\($0.key)=\(PrintableText.line("\($0.value)"))" }
    return "  " + pairs.joined(separator: " ")
  }
}
