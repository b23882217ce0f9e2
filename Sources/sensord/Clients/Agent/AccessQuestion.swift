internal import Documents
internal import FoundationEssentials
internal import HealthModel

/// What one program asks its owner for: everything of it that is not decided yet, in one question.
struct AccessQuestion: Hashable, Sendable {
  let client: ClientIdentity
  /// Identifiers of types that it wants to save.
  let share: [String]
  /// Identifiers of types that it wants to read.
  let read: [String]
  /// Samples of which it wants to read some, one by one; nil where it asks for none. It may match nothing.
  var objects: RequestedObjects?

  /// A question for each program that waits, in the order of their first entries.
  static func all(in entries: [GrantEntry]) -> [AccessQuestion] {
    let open = entries.filter { $0.decision == nil }
    var clients: [ClientIdentity] = []
    for entry in open where !clients.contains(entry.client) { clients.append(entry.client) }
    return clients.map { client in
      func types(_ permission: Permission) -> [String] {
        Set(open.lazy.filter { $0.client == client && $0.permission == permission && !$0.isByObject }.map(\.type))
          .sorted()
      }
      let single = open.filter { $0.client == client && $0.isByObject }
      // Of one type at a time; what is asked for twice is there once.
      let objects = single.first.map { first in
        RequestedObjects(
          type: first.type,
          objects: single.filter { $0.type == first.type }.compactMap(\.object).reduce(into: []) { all, object in
            if !all.contains(where: { $0.id == object.id }) { all.append(object) }
          })
      }
      return AccessQuestion(client: client, share: types(.share), read: types(.read), objects: objects)
    }
  }

  /// Who asks, on one line that a terminal may show.
  var who: String { "\(PrintableText.line(client.application, columns: 60)) (user \(client.uid))" }

  /// What it asks for, a line for each permission: `read: heart rate, intervals between beats`.
  var wishes: [String] {
    let wishes = [("save", share), ("read", read)].compactMap { verb, types in
      types.isEmpty ? nil : "\(verb): \(types.map { TypeWords.text($0) }.joined(separator: ", "))"
    }
    guard let objects else { return wishes }
    return wishes + [
      "read one by one: \(TypeWords.text(objects.type))\(objects.objects.isEmpty ? ", of which there is none" : "")"
    ]
  }

  /// The samples, numbered from 1: `1  2026-11-21  org.example.Optician`, of a clinical record what it is called before its source.
  var choices: [String] {
    (objects?.objects ?? []).enumerated().map { index, object in
      let day = object.start.map { String(LocalTime.minute($0.microseconds).prefix(10)) } ?? "–"
      let texts = [object.title, object.source].compactMap { $0 }.map { PrintableText.line($0, columns: 30) }
      return "\(index + 1)  \(day)  \(texts.joined(separator: "  "))"
    }
  }

  /// The places of the samples that a person has named, `1,3` or `1 3`, from 0; nil where it is something else.
  func chosen(_ text: String) -> Set<Int>? {
    let count = objects?.objects.count ?? 0
    let words = text.split { $0 == "," || $0 == " " }
    let places = words.compactMap { Int($0) }.filter { (1...max(1, count)).contains($0) }
    guard !words.isEmpty, places.count == words.count, count > 0 else { return nil }
    return Set(places.map { $0 - 1 })
  }
}
