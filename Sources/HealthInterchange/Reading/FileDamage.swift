/// Where a file cannot be read any further, and why. What is before it stays.
package struct FileDamage: Error, Hashable, Sendable, CustomStringConvertible {
  /// The place: `byte 1234`, `line 12`.
  package var place: String
  /// What is wrong there, without a full stop.
  package var problem: String

  package init(_ place: String, _ problem: String) {
    self.place = place
    self.problem = problem
  }

  package var description: String { "\(place): \(problem)" }
}

/// What a reader passed over, and what else it has to tell.
package struct ReadingAccount: Hashable, Sendable {
  /// How often each kind of thing was left out, by its name in the format.
  package var leftOut: [String: Int] = [:]
  /// What is to be told of the file: a wrong checksum, for instance. At most ``most``.
  package private(set) var notes: [String] = []

  /// So many kinds and notes are told one by one.
  package static let most = 50

  package init() {}

  mutating func leave(out name: String, _ count: Int = 1) {
    let isKnown = leftOut[name] != nil || leftOut.count < Self.most
    leftOut[isKnown ? name : "others", default: 0] += count
  }

  /// The same of another one.
  package mutating func add(_ other: ReadingAccount) {
    for (name, count) in other.leftOut { leave(out: name, count) }
    for text in other.notes { note(text) }
  }

  package mutating func note(_ text: String) {
    if notes.count < Self.most, !notes.contains(text) { notes.append(text) }
  }
}
