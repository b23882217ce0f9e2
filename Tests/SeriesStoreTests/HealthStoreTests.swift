import FoundationEssentials
import HealthModel
import SeriesStore
import TestSupport
import Testing

@Suite("HealthStore")
struct HealthStoreTests {
  let folder = TemporaryFolder()

  @Test("a committed session comes back whole, from another connection")
  func roundTrip() async throws {
    let session = try makeSession()
    let store = try HealthStore.open(folder.store, for: .recording)
    #expect(try await store.commit(session) == .stored)
    let reader = try HealthStore.open(folder.store, for: .reading)
    #expect(try await reader.rates(of: session.id) == session.rates)
    #expect(try await reader.beats(of: session.id) == session.heartbeats)
    #expect(try await reader.gaps(of: session.id) == session.gaps)
    let summary = try #require(try await reader.sessions().first)
    #expect(summary.id == session.id)
    #expect(summary.device == session.device)
    #expect(summary.source == session.source)
    #expect(summary.start == session.start && summary.end == session.end)
    #expect(summary.endReason == "shutdown")
    #expect(summary.metadata == session.metadata)
    #expect(summary.quality == session.quality)
    #expect(summary.coverage == session.coverage)
    #expect(summary.variability == session.variability)
    #expect(summary.heartbeats == HeartbeatSummary(count: 200, gaps: 1, runs: 2))
    let values = session.rates.map { Double($0.beatsPerMinute) }
    #expect(summary.heartRate.count == 200)
    #expect(summary.heartRate.average == values.reduce(0, +) / 200)
    #expect(summary.heartRate.minimum == values.min())
    #expect(summary.heartRate.maximum == values.max())
    #expect(summary.heartRate.mostRecent == values.last)
    #expect(summary.heartRate.mostRecentTime == session.rates.last?.time)
  }

  @Test("a session without beats has its gaps, in lists and in the view; statistics do not cover them")
  func gapsWithoutBeats() async throws {
    var session = try makeSession()
    let at = { (second: Int64) in session.start.flooredToMilliseconds.advanced(byMicroseconds: second * 1_000_000) }
    session.heartbeats = HeartbeatSeries()
    session.rates = (Array(0...100) + Array(160...199)).map { HeartRateValue(time: at($0), beatsPerMinute: 60) }
    session.gaps = [RecordingGap(reason: "link", start: at(100), end: at(160), estimatedLostBeats: 60)]
    let store = try HealthStore.open(folder.store, for: .writing)
    #expect(try await store.commit(session) == .stored)
    let summary = try await store.session("last")
    #expect(summary.gapCount == 1)
    #expect(summary.heartbeats == HeartbeatSummary(count: 0, gaps: 0, runs: 0))
    #expect(summary.coverage == session.coverage)
    #expect(try await store.gaps(of: session.id) == session.gaps)
    let sql = try ReadOnlySQL(folder.store)
    var rows = try sql.rows(of: "SELECT beats, gaps FROM session_list")
    #expect(try rows.next() == [.null, .integer(1)])
    let statistics = try await StatisticsCollectionQuery(
      .heartRate, [.duration], buckets: .single, from: at(0), to: at(200)
    ).result(for: store).value
    #expect(statistics.first?.coverage.covered == 139_000_000)
  }

  @Test("two equal values at one time are two values")
  func equalValues() async throws {
    var session = try makeSession()
    session.rates[5] = session.rates[4]
    session.rates[6] = session.rates[4]
    let store = try HealthStore.open(folder.store, for: .writing)
    #expect(try await store.commit(session) == .stored)
    #expect(try await store.rates(of: session.id) == session.rates)
  }

  @Test("the same session is stored once; only a greater version replaces it")
  func exactlyOnce() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let half = try makeSession(version: 100, beats: 100)
    let whole = try makeSession(id: half.id, version: 200, beats: 200)
    #expect(try await store.commit(half) == .stored)
    #expect(try await store.commit(half) == .unchanged)
    #expect(try await store.commit(whole) == .replaced)
    #expect(try await store.commit(half) == .unchanged)
    #expect(try await store.sessions().count == 1)
    #expect(try await store.syncVersion(of: half.id) == 200)
    #expect(try await store.rates(of: half.id) == whole.rates)
    #expect(try await store.beats(of: half.id) == whole.heartbeats)
    #expect(try await store.syncVersion(of: UUID()) == nil)
  }

  @Test("a session without rates, beats and figures is a session all the same")
  func empty() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let id = UUID()
    let session = RecordedSession(
      id: id, syncVersion: 0, device: Device(), source: SourceRevision(identifier: "x", name: "x"),
      start: Timestamp(microseconds: 0), end: Timestamp(microseconds: 0), endReason: "request")
    #expect(try await store.commit(session) == .stored)
    await #expect(throws: StoreError.self, "the last one is of those with values") { try await store.session("last") }
    let summary = try await store.session(id.uuidString)
    #expect(summary.heartRate == HeartRateSummary(count: 0))
    #expect(summary.heartbeats == HeartbeatSummary(count: 0, gaps: 0, runs: 0))
    #expect(summary.coverage == nil)
    #expect(try await store.beats(of: id) == HeartbeatSeries())
    #expect(try await store.rates(of: id) == [])
  }

  @Test("a session that cannot be stored is refused, and nothing of it is")
  func invalid() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    var session = try makeSession()
    session.rates.swapAt(0, 199)
    await #expect { try await store.commit(session) } throws: { ($0 as? StoreError)?.code == .invalid }
    session = try makeSession()
    session.end = session.start.advanced(byMicroseconds: -1)
    await #expect { try await store.commit(session) } throws: { ($0 as? StoreError)?.code == .invalid }
    #expect(try await store.sessions().isEmpty)
  }

  @Test("a day of beats in many chunks comes back in order")
  func long() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let session = try makeSession(beats: 20_000)
    #expect(try await store.commit(session) == .stored)
    #expect(try await store.rates(of: session.id) == session.rates)
    #expect(try await store.beats(of: session.id) == session.heartbeats)
  }

  @Test("a session is found by the beginning of its identifier and as the last one")
  func byName() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let early = try #require(UUID(uuidString: "ABCD1111-0000-4000-8000-000000000000"))
    let late = try #require(UUID(uuidString: "ABCD2222-0000-4000-8000-000000000000"))
    await #expect { try await store.session("last") } throws: { ($0 as? StoreError)?.code == .notFound }
    _ = try await store.commit(try makeSession(id: late, start: Timestamp(microseconds: 2_000_000)))
    _ = try await store.commit(try makeSession(id: early, start: Timestamp(microseconds: 1_000_000)))
    #expect(try await store.sessions().map(\.id) == [early, late])
    #expect(try await store.session("last").id == late)
    #expect(try await store.session("abcd1").id == early)
    #expect(try await store.session("ABCD2222-0000-4000-8000-000000000000").id == late)
    await #expect { try await store.session("abcd") } throws: { ($0 as? StoreError)?.code == .ambiguous }
    for name in ["abc", "", "abce", "%%%%", "abcd1111000040008000000000000000ff"] {
      await #expect { try await store.session(name) } throws: { ($0 as? StoreError)?.code == .notFound }
    }
  }

  @Test("sensors are allowed, named and removed; their addresses have one spelling")
  func sensors() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let added = Timestamp(microseconds: 5)
    #expect(try await store.allow(AllowedSensor(address: "c0:ff:ee:00:00:01", name: nil, added: added)))
    #expect(try await store.allow(AllowedSensor(address: "C0:FF:EE:00:00:02", name: "Lea", added: added)))
    #expect(try await !store.allow(AllowedSensor(address: "C0:FF:EE:00:00:02", name: nil, added: added)))
    #expect(try await store.allow(AllowedSensor(address: "C0:FF:EE:00:00:02", name: "Léa", added: added)))
    try await store.renameSensor("C0:FF:EE:00:00:01", to: "Bo")
    #expect(try await store.allowedSensors().map(\.name) == ["Bo", "Léa"])
    #expect(try await store.allowedSensors().map(\.address) == ["C0:FF:EE:00:00:01", "C0:FF:EE:00:00:02"])
    try await store.removeSensor("C0:FF:EE:00:00:01")
    await #expect { try await store.removeSensor("C0:FF:EE:00:00:01") } throws: {
      ($0 as? StoreError)?.code == .notFound
    }
    await #expect { try await store.renameSensor("nobody", to: nil) } throws: { ($0 as? StoreError)?.code == .notFound }
    #expect(try await store.allowedSensors().count == 1)
  }

  @Test("a deleted session leaves no byte of it in any file, and does not come back by itself")
  func deletion() async throws {
    let store = try HealthStore.open(folder.store, for: .writing)
    let kept = try makeSession(seed: 2)
    var session = try makeSession(seed: 3, beats: 3000)
    session.metadata["note"] = "a very private remark"
    session.device.name = "Zaphod's strap"
    _ = try await store.commit(kept)
    _ = try await store.commit(session)
    #expect(contains("very private"))
    #expect(contains("Zaphod"))
    try await store.delete(session.id)
    #expect(!contains("very private"))
    #expect(!contains("Zaphod"))
    #expect(try await store.sessions().map(\.id) == [kept.id])
    #expect(try await store.rates(of: kept.id) == kept.rates)
    await #expect { try await store.delete(session.id) } throws: { ($0 as? StoreError)?.code == .notFound }
    #expect(try await store.commit(session) == .deletedBefore)
    #expect(try await store.sessions().count == 1)
    #expect(try await store.commit(session, restore: true) == .stored)
    #expect(try await store.rates(of: session.id) == session.rates)
  }

  /// Whether any file of the store holds `text`.
  private func contains(_ text: String) -> Bool {
    folder.names.contains { name in
      let bytes = folder.bytes(of: name)
      let needle = Array(text.utf8)
      return bytes.indices.contains { bytes[$0...].starts(with: needle) }
    }
  }

  @Test("a session's figures are samples that name its heartbeat series, and go with the session")
  func variabilitySample() async throws {
    let folder = TemporaryFolder()
    let store = try HealthStore.open(folder.path + "/a.sqlite", for: .writing)
    var session = try makeSession()
    for algorithm in [1, 2] as [Int64] {
      session.quality.algorithmVersion = algorithm
      #expect(try await store.commit(session) == (algorithm == 1 ? .stored : .replaced))
      let samples = try await SampleQuery().result(for: store).value
      #expect(samples.count == 5)
      let variability = try #require(samples.first { $0.type == .quantity(.heartRateVariabilitySDNN) })
      let beats = try #require(samples.first { $0.type == .heartbeatSeries })
      #expect(variability.summary?.average == 51.5)
      #expect(variability.session == session.id)
      let rmssd = try #require(samples.first { $0.type == .quantity(.heartRateVariabilityRMSSD) })
      let pnn50 = try #require(samples.first { $0.type == .quantity(.heartRateVariabilityPNN50) })
      #expect(rmssd.summary?.average == 42.25 && pnn50.summary?.average == 12.5)
      let basis = try await SampleQuery(.basis(of: variability.id)).result(for: store).value
      #expect(basis.map(\.id) == [beats.id])
      #expect(variability.metadata["divisor"] == "n-1")
      #expect(try await store.commit(session) == .unchanged)
    }
    session.quality.algorithmVersion = 1
    #expect(try await store.commit(session) == .unchanged)
    try await store.delete(session.id)
    #expect(try await SampleQuery().result(for: store).value.isEmpty)
  }

  @Test("another connection's writes are noticed once, not only of samples, and own writes are not")
  func noticedChanges() async throws {
    let store = try HealthStore.open(folder.store, for: .recording)
    let other = try HealthStore.open(folder.store, for: .writing)
    _ = try await store.noticeChanges()
    _ = try await store.commit(try makeSession())
    #expect(try await !store.noticeChanges())
    try await other.allow(AllowedSensor(address: "C0:FF:EE:00:00:02", name: nil, added: Timestamp(microseconds: 0)))
    #expect(try await store.noticeChanges())
    #expect(try await !store.noticeChanges())
  }

  @Test("a closed store answers every call with an error")
  func closed() async throws {
    let store = try HealthStore.open(folder.store, for: .recording)
    await store.close()
    await #expect { try await store.sessions() } throws: { ($0 as? StoreError)?.code == .closed }
    _ = try HealthStore.open(folder.store, for: .recording)
  }
}
