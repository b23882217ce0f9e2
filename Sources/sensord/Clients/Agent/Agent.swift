import Documents
import FoundationEssentials
import HealthModel
import Support

/// The questions that a person is shown, and the effects of the answers. Pure: compares the recorder's list of open requests with
/// the questions on the display.
struct Agent {
  /// The answers of a person to a question.
  enum Answer: Hashable, Sendable {
    case allowed, denied
    /// Allowed, but of the samples that are allowed one by one these only, by their places.
    case only(Set<Int>)
    /// The question was put away without an answer; it comes again when its program asks again.
    case dismissed
  }

  /// The events that the agent handles.
  enum Event: Hashable, Sendable {
    /// The recorder has listed the open requests.
    case listed([AccessQuestion])
    /// A program asks, perhaps again.
    case requested(ClientIdentity)
    case answered(ClientIdentity, Answer)
    /// The service that showed the questions was restarted, and has lost them.
    case displayRestarted
    /// The recorder has ended, and its requests with it.
    case recorderGone
  }

  /// The effects that the caller carries out.
  enum Effect: Hashable, Sendable {
    /// Show a question, in place of an earlier one of the same program.
    case show(AccessQuestion)
    case withdraw(ClientIdentity)
    /// `objects` are the places of the samples that are allowed.
    case decide(AccessQuestion, allow: Bool, objects: Set<Int> = [])
    /// Ask the recorder for the open requests.
    case list
    /// Report that no request is open.
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

/// The question of one program to the owner: all requests of the program that are not decided yet.
struct AccessQuestion: Hashable, Sendable {
  let client: ClientIdentity
  /// Identifiers of types that the program wants to save.
  let share: [String]
  /// Identifiers of types that the program wants to read.
  let read: [String]
  /// Samples of which the program wants to read some, one by one, perhaps without a match; nil without such a request.
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
      // Of one type at a time, without duplicates.
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

  /// The program that asks, on one line that is safe for a terminal.
  var who: String { "\(PrintableText.line(client.application, columns: 60)) (user \(client.uid))" }

  /// The requested types, a line for each permission: `read: heart rate, intervals between beats`.
  var wishes: [String] {
    let wishes = [("save", share), ("read", read)].compactMap { verb, types in
      types.isEmpty ? nil : "\(verb): \(types.map { TypeWords.text($0) }.joined(separator: ", "))"
    }
    guard let objects else { return wishes }
    return wishes + [
      "read one by one: \(TypeWords.text(objects.type))\(objects.objects.isEmpty ? ", of which there is none" : "")"
    ]
  }

  /// The samples, numbered from 1: `1  2026-11-21  org.example.Optician`, for a clinical record with its name before the source.
  var choices: [String] {
    (objects?.objects ?? []).enumerated().map { index, object in
      let day = object.start.map { String(LocalTime.minute($0.microseconds).prefix(10)) } ?? "–"
      let texts = [object.title, object.source].compactMap { $0 }.map { PrintableText.line($0, columns: 30) }
      return "\(index + 1)  \(day)  \(texts.joined(separator: "  "))"
    }
  }

  /// The places of the samples that a person has named, `1,3` or `1 3`, from 0; nil for any other text.
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
  /// The words for types whose identifier does not name what is granted with them.
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
