import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore
import TestSupport
import Testing

/// `StoreFollower`, in a process of its own.
@Suite("A follower in another process")
struct StoreFollowerTests {
  let folder = TemporaryFolder()
  let program = SourceRevision(identifier: "test", name: "Test")

  private func sample(at second: Int) throws -> NewSample {
    let time = Timestamp(microseconds: Int64(second) * 1_000_000)
    var builder = QuantitySeriesBuilder(type: .heartRate, start: time)
    try builder.insert(60, from: time, to: time)
    return try builder.finish()
  }

  @Test("sees each of a thousand saves once, in order, and wakes for nothing else")
  func thousand() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let follower = try FollowerProcess("follow", folder.store, "\(folder.path)/state", "100")
    // The store is empty.
    #expect(try follower.nextLine() == ["0"])
    for number in 1...1000 {
      let new = try sample(at: number)
      try await store.save(new, as: program)
      // The next save comes when this one was told: none is told by a later one.
      #expect(try follower.nextLine() == ["\(number)", "+\(new.id.uuidString)"])
    }

    let other = try HealthStore.open("\(folder.path)/other.sqlite", for: .writing)
    try await other.save(try sample(at: 0), as: program)
    // Ten saves are time enough for its thread to fall asleep.
    for number in 1...10 { try await other.save(try sample(at: number), as: program) }
    let before = try follower.wakeups(of: "store")
    for number in 1...200 { try await other.save(try sample(at: number), as: program) }
    #expect(try follower.wakeups(of: "store") == before, "neither polling nor the writing of others wakes it")

    let last = try sample(at: 0)
    try await store.save(last, as: program)
    #expect(try follower.nextLine() == ["1001", "+\(last.id.uuidString)"])
    #expect(try follower.wakeups(of: "store") > before)
    follower.program.send(SIGKILL)
    #expect(follower.program.wait() == -SIGKILL)
  }

  @Test("that has no watches left gets its own error, and the store opens when there are some again")
  func starved() throws {
    _ = try HealthStore.open(folder.store, for: .writing)
    let follower = try FollowerProcess("starve", folder.store)
    var told: [String] = []
    while told.last != "opened" { told += try follower.nextLine() }
    #expect(told.contains("cannotObserve"), "\(told)")
    #expect(follower.program.wait() == 0)
  }

  @Test("that was killed continues where it was, and ends with what the store has", arguments: [1, 3, 1000])
  func killed(limit: Int) async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let state = "\(folder.path)/state"
    var samples = try (0..<20).map { try sample(at: $0) }
    try await store.save(samples, as: program)
    for round in 0..<4 {
      let follower = try FollowerProcess("follow", folder.store, state, "\(limit)")
      // Somewhere on its way.
      if round < 3 { _ = try follower.nextLine() }
      let session = try makeSession(beats: 20)
      _ = try await store.commit(session)
      try await store.delete([samples.removeLast().id], as: "test")
      if round == 3 {
        let last = try await ChangeQuery(after: .start).result(for: store).value.anchor.description.split(
          separator: ":")[1]
        while try follower.nextLine().first != String(last) {}
      }
      follower.program.send(SIGKILL)
      follower.program.wait()
    }
    let kept = try String(contentsOfFile: state, encoding: .utf8).split(separator: "\n").map(String.init)
    let changes = try await ChangeQuery(after: .start).result(for: store).value
    #expect(kept.first == changes.anchor.description)
    #expect(kept.dropFirst() == (changes.sessions.map(\.id) + changes.added.map(\.id)).map(\.uuidString).sorted()[...])
    #expect(changes.sessions.count == 4 && changes.added.count == 16 + 4 * 5)
  }
}
