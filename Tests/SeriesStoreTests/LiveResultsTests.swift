import FoundationEssentials
import Glibc
import HealthModel
import TestSupport
import Testing

@testable import SeriesStore

@Suite("LiveResults")
struct LiveResultsTests {
  let folder = TemporaryFolder()
  let program = SourceRevision(identifier: "test", name: "Test")

  private func sample(_ value: Double, at second: Int64) throws -> NewSample {
    let time = Timestamp(microseconds: second * 1_000_000)
    var builder = QuantitySeriesBuilder(type: .heartRate, start: time)
    try builder.insert(value, from: time, to: time)
    return try builder.finish()
  }

  @Test("the first answer comes at once, the next ones after saves and deletions")
  func updates() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    var results = SampleQuery().results(for: store).makeAsyncIterator()
    #expect(try await results.next()?.value.count == 0)
    let first = try sample(60, at: 1)
    try await store.save([first], as: program)
    #expect(try await results.next()?.value.count == 1)
    try await store.save([try sample(61, at: 2)], as: program)
    try await store.save([try sample(62, at: 3)], as: program)
    #expect(try await results.next()?.value.count == 3)
    try await store.delete([first.id], as: "test")
    #expect(try await results.next()?.value.count == 2)
  }

  @Test("what another connection writes is reported after it was noticed")
  func otherConnection() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let other = try HealthStore.open(folder.store, for: .writing)
    var results = SampleQuery().results(for: store).makeAsyncIterator()
    _ = try await results.next()
    #expect(try await !store.noticeChanges())
    try await other.save([try sample(60, at: 1)], as: program)
    #expect(try await store.noticeChanges())
    #expect(try await results.next()?.value.count == 1)
  }

  @Test("leaving the loop frees everything, and closing the store ends it")
  func leaving() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    do {
      for try await snapshot in SampleQuery().results(for: store) {
        #expect(snapshot.change == 0)
        #expect(store.listeners.count == 1)
        break
      }
    }
    #expect(store.listeners.count == 0)
    var results = SampleQuery().results(for: store).makeAsyncIterator()
    _ = try await results.next()
    await store.close()
    #expect(try await results.next() == nil)
  }

  @Test("a change just before the store is closed does not end the answers with an error")
  func closing() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    var results = SampleQuery().results(for: store).makeAsyncIterator()
    _ = try await results.next()
    try await store.save([try sample(60, at: 1)], as: program)
    await store.close()
    #expect(try await results.next() == nil)
    #expect(try await results.next() == nil)
    var late = SampleQuery().results(for: store).makeAsyncIterator()
    #expect(try await late.next() == nil)
  }

  @Test("a failure on a store that could not be reopened wakes nobody, and a live query survives it")
  func failedReopening() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    try await store.save([try sample(60, at: 1)], as: program)
    var results = SampleQuery().results(for: store).makeAsyncIterator()
    #expect(try await results.next()?.value.count == 1)
    let kept = folder.path + "/kept"
    #expect(unsafe rename(folder.store, kept) == 0)
    #expect(unsafe mkdir(folder.store, 0o700) == 0)
    await #expect(throws: StoreError.self) { try await store.reopen() }
    await #expect(throws: StoreError.self) { try await store.save([try sample(61, at: 2)], as: program) }
    #expect(unsafe rmdir(folder.store) == 0)
    #expect(unsafe rename(kept, folder.store) == 0)
    try await store.reopen()
    try await store.save([try sample(62, at: 3)], as: program)
    #expect(try await results.next()?.value.count == 2)
  }

  @Test("a store that was closed stays closed: its file and its lock are somebody else's now")
  func reopenedAfterClose() async throws {
    let store = try HealthStore.open(folder.store, for: .recording)
    await store.close()
    let error = await #expect(throws: StoreError.self) { try await store.reopen() }
    #expect(error?.code == .closed)
    try await HealthStore.open(folder.store, for: .recording).close()
  }

  @Test("a failed save is no change: only what was written is reported")
  func silence() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let first = try sample(60, at: 1)
    try await store.save([first], as: program)
    var signals = store.listeners.signals { _ in true }.makeAsyncIterator()
    await #expect(throws: StoreError.self) { try await store.save([first], as: program) }
    await #expect(throws: StoreError.self) { try await store.delete([UUID()], as: "test") }
    await #expect(throws: StoreError.self) { try await store.delete(UUID()) }
    var session = try makeSession(beats: 20)
    session.end = session.start.advanced(byMicroseconds: -1)
    await #expect(throws: StoreError.self) { try await store.commit(session) }
    await store.close()
    #expect(await signals.next() == nil)
  }

  @Test("every update of live statistics equals a snapshot at the same change number")
  func consistency() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let query = try StatisticsCollectionQuery(
      .heartRate, buckets: .natural(#require(CalendarInterval(1, .minute)), zone: .utc),
      from: Timestamp(microseconds: 0), to: Timestamp(microseconds: 600_000_000))
    let writer = Task {
      for second in 0..<100 as Range<Int64> {
        try await store.save([try sample(Double(60 + second % 7), at: second * 5)], as: program)
      }
    }
    var last: Int64 = -1
    for try await snapshot in query.results(for: store) {
      #expect(snapshot.change > last)
      last = snapshot.change
      #expect(snapshot.value.map(\.count).reduce(0, +) == Int(snapshot.change))
      if snapshot.change == 100 { break }
    }
    try await writer.value
    let final = try await query.result(for: store)
    #expect(final.change == 100)
  }
}
