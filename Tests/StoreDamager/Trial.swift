import FoundationEssentials
import HealthModel
import SeriesStore

/// What a damage does: to each answer, and to what a check says.
struct Trial {
  /// What came of one damage.
  struct Outcome {
    /// The questions whose answer is another than the sound store's, without an error that names what is damaged.
    var silent: [String] = []
    /// The questions that ended with such an error.
    var refused: [String] = []
    /// Whether a check names anything, or ends with such an error.
    var isNamed = false
    /// What must not be.
    var faults: [String] = []

    var changes: Bool { !silent.isEmpty || !refused.isEmpty }
  }

  let questions: Questions
  let expected: [Questions.Answer]
  let sound: [UInt8]
  private let path: String
  /// Where the damaged copy is made.
  let copy: String

  init(sound path: String, copy: String) async throws {
    questions = try await Questions(of: path)
    sound = try File.read(path)
    self.path = path
    self.copy = copy
    // At the copy's own path, since errors name it.
    try File.write(sound, to: copy)
    try File.copyAttachments(of: path, to: copy)
    let store = try HealthStore.open(copy, for: .reading)
    expected = await questions.answers(of: store)
    let damages = try await store.check()
    await store.close()
    for (name, answer) in zip(questions.names, expected) {
      if case .failure(let error) = answer { throw Unsound(description: "\(name) of the sound store: \(error)") }
    }
    if let damage = damages.first { throw Unsound(description: "the sound store: \(damage)") }
  }

  struct Unsound: Error, CustomStringConvertible {
    let description: String
  }

  /// Puts the damage on a copy and asks everything.
  func play(_ damage: inout Damage) async throws -> Outcome {
    try damage.apply(to: copy, sound: sound)
    // A store that has lost the row of a file removes the file.
    try File.copyAttachments(of: path, to: copy)
    var outcome = Outcome()
    do throws(StoreError) {
      // As the commands do: each of many questions would use up a budget of its own.
      let store = try HealthStore.open(copy, for: .reading, limit: damage.kind == .tree ? .inAll : .each)
      let answers = await questions.answers(of: store)
      for (index, answer) in answers.enumerated() where answer != expected[index] {
        let name = questions.names[index]
        if case .failure(let error) = answer, Self.isNaming(error) {
          outcome.refused.append(name)
        } else {
          outcome.silent.append(name)
          if case .failure(let error) = answer, !Self.mayFollow(error) { outcome.faults.append("\(name): \(error)") }
        }
      }
      await check(store, damage, &outcome)
      await store.close()
    } catch {
      outcome.refused.append("open")
      outcome.isNamed = true
      if !Self.isNaming(error) { outcome.faults.append("opening: \(error)") }
    }
    if !outcome.isNamed, !damage.kind.isSealed, let first = outcome.silent.first {
      outcome.faults.append("\(outcome.silent.count) answers differ and nothing is named: \(first)")
    }
    if damage.isHarmless, outcome.changes {
      outcome.faults.append(
        "what changes nothing changes \((outcome.silent + outcome.refused).joined(separator: ", "))")
    }
    await change(&outcome)
    if damage.kind == .schema, hasPlantedSensor() {
      outcome.faults.append("what the file declares was run")
    }
    return outcome
  }

  /// Whether a trigger of the file has allowed a sensor.
  private func hasPlantedSensor() -> Bool {
    guard let database = try? Database(copy),
      (try? database.rows("SELECT 1 FROM sqlite_schema WHERE name = 'sensors' AND sql LIKE 'CREATE TABLE %'")) == [
        [.integer(1)]
      ]
    else { return false }
    return (try? database.rows("SELECT 1 FROM sensors WHERE name = 'mine'").isEmpty) == false
  }

  private func check(_ store: HealthStore, _ damage: Damage, _ outcome: inout Outcome) async {
    do throws(StoreError) {
      outcome.isNamed = try await !store.check().isEmpty
    } catch {
      outcome.isNamed = true
      if !Self.isNaming(error) { outcome.faults.append("check: \(error)") }
    }
    // One row is of one session at most, whatever is in it.
    guard let table = damage.table,
      ["sessions", "gaps", "samples", "runs", "heartbeat_series", "changes"].contains(table)
    else { return }
    let listed = try? await store.readableSessions().sessions.count
    if (listed ?? 0) < questions.sessions.count - 1 {
      outcome.faults.append("a row of \(table) hides \(questions.sessions.count - (listed ?? 0)) sessions")
    }
  }

  /// Deletions and new objects: done, or refused in words that name the damage.
  private func change(_ outcome: inout Outcome) async {
    func note(_ what: String, _ body: () async throws -> Void) async {
      do {
        try await body()
      } catch let error as StoreError {
        if !Self.isNaming(error), !Self.mayFollow(error) { outcome.faults.append("\(what): \(error)") }
      } catch {
        outcome.faults.append("\(what): \(error)")
      }
    }
    guard let store = try? HealthStore.open(copy, for: .recording) else { return }
    await note("deleting a sample") { try await store.delete([questions.single], as: "diary") }
    if let session = questions.sessions.last { await note("deleting a session") { try await store.delete(session) } }
    let moment = TimeSpan(at: Timestamp(microseconds: 1_789_900_700_000_000))
    await note("saving") {
      _ = try await store.save(
        try NewSample(.bodyMass, Quantity(70, .kilogram), over: moment),
        as: SourceRevision(identifier: "diary", name: "D"))
    }
    await note("listing") { _ = try await store.readableSessions() }
    await store.close()
  }

  /// Whether an error says that something stored is damaged.
  private static func isNaming(_ error: StoreError) -> Bool {
    switch error.code {
    case .corrupt, .notADatabase, .newerVersion, .olderVersion, .foreignDeclaration, .tooMuchWork: true
    default: false
    }
  }

  /// Whether an error can follow from a damage that a check names: a name that is another now, an anchor of another store.
  private static func mayFollow(_ error: StoreError) -> Bool {
    switch error.code {
    case .notFound, .ambiguous, .invalid, .permission, .lostAnchor, .foreignAnchor, .statement: true
    default: false
    }
  }
}
