internal import HealthModel

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
