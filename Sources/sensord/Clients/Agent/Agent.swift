import Documents
import FoundationEssentials
import HealthModel

/// Which questions a person is shown, and what follows from the answers. Pure: the recorder's list says what waits, and this
/// compares it with what is shown.
struct Agent {
  /// What a person does with a question.
  enum Answer: Hashable, Sendable {
    case allowed, denied
    /// Allowed, but of the samples that are allowed one by one these only, by their places.
    case only(Set<Int>)
    /// The question was put away without an answer; it comes again when its program asks again.
    case dismissed
  }

  /// What happens.
  enum Event: Hashable, Sendable {
    /// The recorder has told what waits now.
    case listed([AccessQuestion])
    /// A program asks, perhaps again.
    case requested(ClientIdentity)
    case answered(ClientIdentity, Answer)
    /// What showed the questions has gone, and is back without them.
    case displayRestarted
    /// The recorder has ended, and its requests with it.
    case recorderGone
  }

  /// What is to be done.
  enum Effect: Hashable, Sendable {
    /// Show a question, in place of an earlier one of the same program.
    case show(AccessQuestion)
    case withdraw(ClientIdentity)
    /// `objects` are the places of the samples that are allowed.
    case decide(AccessQuestion, allow: Bool, objects: Set<Int> = [])
    /// Ask the recorder what waits.
    case list
    /// Tell that nothing waits.
    case tellIdle
  }

  private var shown: [ClientIdentity: AccessQuestion] = [:]
  private var dismissed: [ClientIdentity: AccessQuestion] = [:]
  private var isIdle = false

  mutating func handle(_ event: Event) -> [Effect] {
    switch event {
    case .listed(let questions): return compare(questions)
    case .requested(let client):
      dismissed[client] = nil
      return [.list]
    case .answered(let client, let answer):
      guard let question = shown.removeValue(forKey: client) else { return [] }
      guard answer != .dismissed else {
        dismissed[client] = question
        return []
      }
      let objects =
        switch answer {
        case .allowed: Set((question.objects?.objects ?? []).indices)
        case .only(let places): places
        case .denied, .dismissed: Set<Int>()
        }
      return [.decide(question, allow: answer != .denied, objects: objects), .list]
    case .displayRestarted:
      shown = [:]
      return [.list]
    case .recorderGone:
      defer { self = Agent() }
      return shown.keys.sorted().map { .withdraw($0) }
    }
  }

  private mutating func compare(_ questions: [AccessQuestion]) -> [Effect] {
    var effects: [Effect] = []
    let waiting = Set(questions.map(\.client))
    for client in shown.keys.sorted() where !waiting.contains(client) {
      shown[client] = nil
      effects.append(.withdraw(client))
    }
    dismissed = dismissed.filter { waiting.contains($0.key) }
    for question in questions where shown[question.client] != question && dismissed[question.client] != question {
      shown[question.client] = question
      effects.append(.show(question))
    }
    if questions.isEmpty, !isIdle { effects.append(.tellIdle) }
    isIdle = questions.isEmpty
    return effects
  }
}

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

/// The identifiers of types in the words of a person.
enum TypeWords {
  /// Those whose identifier says something else than what is granted with it.
  private static let own = [
    "heartRateVariabilitySDNN": "intervals between beats (variability)",
    "heartbeatSeries": "intervals between beats (variability)",
  ]

  /// `restingHeartRate` is `resting heart rate`; an abbreviation stays as it is.
  static func text(_ identifier: String) -> String {
    if let words = own[identifier] { return words }
    var words: [String] = []
    var word = ""
    var previous: Character?
    for character in PrintableText.line(identifier, columns: 60) {
      let begins = character.isUppercase && previous?.isUppercase == false
      if begins {
        words.append(word)
        word = ""
      }
      word.append(character)
      previous = character
    }
    words.append(word)
    return words.map { isAbbreviation($0) ? $0 : $0.lowercased() }.joined(separator: " ")
  }

  private static func isAbbreviation(_ word: String) -> Bool {
    word.count > 1 && !word.contains(where: \.isLowercase)
  }
}
