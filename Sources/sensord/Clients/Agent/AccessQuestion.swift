internal import Documents
internal import HealthModel

/// What one program asks its owner for: everything of it that is not decided yet, in one question.
struct AccessQuestion: Hashable, Sendable {
  let client: ClientIdentity
  /// Identifiers of types that it wants to save.
  let share: [String]
  /// Identifiers of types that it wants to read.
  let read: [String]

  /// A question for each program that waits, in the order of their first entries.
  static func all(in entries: [GrantEntry]) -> [AccessQuestion] {
    let open = entries.filter { $0.decision == nil }
    var clients: [ClientIdentity] = []
    for entry in open where !clients.contains(entry.client) { clients.append(entry.client) }
    return clients.map { client in
      func types(_ permission: Permission) -> [String] {
        Set(open.lazy.filter { $0.client == client && $0.permission == permission }.map(\.type)).sorted()
      }
      return AccessQuestion(client: client, share: types(.share), read: types(.read))
    }
  }

  /// Who asks, on one line that a terminal may show.
  var who: String { "\(PrintableText.line(client.application, columns: 60)) (user \(client.uid))" }

  /// What it asks for, a line for each permission: `read: heart rate, intervals between beats`.
  var wishes: [String] {
    [("save", share), ("read", read)].compactMap { verb, types in
      types.isEmpty ? nil : "\(verb): \(types.map { TypeWords.text($0) }.joined(separator: ", "))"
    }
  }
}
