import Foundation

/// A scenario of the lab (Lab/README.md), as far as a test has to know it: the simulator reads the same file.
struct LabScenario {
  /// What is right for the number of gaps.
  enum Gaps: Equatable {
    case any
    case oneOf([Int])
    /// As many as links were lost between two values.
    case losses
  }

  let file: URL
  /// The addresses of its straps.
  let straps: [String]
  /// Those that are to be recorded.
  let allowed: [String]
  /// How many seconds after the simulator the recorder starts; nil where it does not matter.
  let recorderStart: Int?
  /// How many calls of the other program are answered before that.
  let callsBefore: Int
  private let expectations: [String: Any]

  static let folder = URL(fileURLWithPath: #filePath)
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appendingPathComponent("Lab/scenarios")

  init(_ name: String) throws {
    try self.init(contentsOf: Self.folder.appendingPathComponent("\(name).json"))
  }

  init(contentsOf file: URL) throws {
    let json = try JSONSerialization.jsonObject(with: Data(contentsOf: file)) as? [String: Any] ?? [:]
    self.file = file
    straps = (json["straps"] as? [[String: Any]] ?? [json]).map { $0["address"] as? String ?? "C0:FF:EE:00:00:01" }
    allowed = json["allow"] as? [String] ?? straps
    let start = json["recorder_at"] as? Int
    recorderStart = start
    let timeline = json["straps"] == nil ? [] : json["timeline"] as? [[String: Any]] ?? []
    let before = timeline.filter { $0["event"] as? String == "client" && $0["t"] as? Double ?? 0 < Double(start ?? 0) }
    callsBefore = before.reduce(0) { $0 + Self.calls($1["do"] as? String) }
    expectations = json["expect"] as? [String: Any] ?? [:]
  }

  /// How many calls something that the other program does consists of.
  private static func calls(_ deed: String?) -> Int {
    switch deed {
    case "agent", "discover": 2
    case "leave": 0
    default: 1
    }
  }

  /// How many sessions of a strap are right.
  func sessions(of strap: String) -> Int {
    allowed.contains(strap) ? expectation("sessions", of: strap) as? Int ?? 1 : 0
  }

  func gaps(of strap: String) -> Gaps {
    switch expectation("gaps", of: strap) {
    case nil: .oneOf([0])
    case let count as Int: .oneOf([count])
    case let counts as [Int]: .oneOf(counts)
    case "losses" as String: .losses
    default: .any
    }
  }

  /// The reasons of so many gaps in order; nil where nothing is said of them.
  func reasons(of strap: String, count: Int) -> [String]? {
    let reasons = expectation("reasons", of: strap)
    return reasons as? [String] ?? (reasons as? String).map { Array(repeating: $0, count: count) }
  }

  /// The fewest values that the strap must have been asked for.
  func leastValues(of strap: String) -> Int { expectation("values", of: strap) as? Int ?? 0 }

  /// Whether the strap has a link after the recorder's end: where it is somebody else's.
  func leavesLink(of strap: String) -> Bool { expectation("link", of: strap) as? Bool ?? false }

  private func expectation(_ key: String, of strap: String) -> Any? {
    (expectations[strap] as? [String: Any])?[key] ?? expectations[key]
  }
}
