import Captures
import FoundationEssentials
import HealthModel
import SeriesStore
import Synchronization
import TestSupport
import Testing
import Timeline

@testable import Ingestion

@Suite("The recorder that is asked for sessions", .timeLimit(.minutes(5)))
struct RecorderRequestsTests {
  private static func value(
    _ second: Double, _ recorder: isolated Recorder, of address: SensorAddress = LoneRecorder.strap
  ) {
    recorder.record(.measurement([0x10, UInt8(second), 0, 4]), of: address, at: Invented.at(second))
  }

  private static func failure(
    of sensor: SensorAddress?, _ recorder: isolated Recorder, _ metadata: Metadata = [:]
  ) -> SessionRequestFailure? {
    do throws(SessionRequestFailure) {
      _ = try recorder.beginSession(of: sensor, for: Invented.game, metadata: metadata)
      return nil
    } catch {
      return error
    }
  }

  private static func failure(_ body: () throws(SessionRequestFailure) -> Void) -> SessionRequestFailure? {
    do throws(SessionRequestFailure) {
      try body()
      return nil
    } catch {
      return error
    }
  }

  @Test("a game's session has the game's values and metadata, and the session that it has paused the others")
  func game() async throws {
    let stage = try await LoneRecorder()
    let asked = Mutex<RequestedSession?>(nil)
    let captures = try await stage.run { recorder in
      for second in 100...105 {
        stage.setTime(Double(second))
        if second == 102 {
          let session = try? recorder.beginSession(
            of: nil, for: Invented.game, metadata: ["title": "Hot dogs", "level": 3])
          asked.withLock { $0 = session }
        }
        guard let session = asked.withLock({ $0 }) else {
          Self.value(Double(second), recorder)
          continue
        }
        if second == 103 {
          try? recorder.addMetadata(["level": 4], to: session.request)
          try? recorder.addMarker("bonus", to: session.request)
          try? recorder.addMarker("start", at: session.start, to: session.request)
        }
        if second == 105, let index = recorder.sensors.recordings.index(of: LoneRecorder.strap),
          let step = recorder.sensors.recordings[index].endRequested(.request, at: Invented.at(105), next: UUID())
        {
          recorder.perform(step, of: index)
        }
        Self.value(Double(second), recorder)
      }
    }
    let session = try #require(asked.withLock { $0 })
    #expect(session.sensor == LoneRecorder.strap)
    #expect(session.start == Invented.at(102).microseconds + Invented.wallMinusBoot)
    let byTime = captures.sorted {
      ($0.events.first?.instant.microseconds ?? 0) < ($1.events.first?.instant.microseconds ?? 0)
    }
    let values = byTime.map { capture in
      capture.events.compactMap { if case .measurement(let bytes) = $0.kind { bytes[1] } else { nil } }
    }
    #expect(values == [[100, 101, 105], [102, 103, 104]])
    #expect(byTime.map(\.header.linkedTo) == [nil, byTime.first?.session])
    #expect(byTime[1].session == session.session)
    #expect(byTime[1].header.metadata == ["title": .text("Hot dogs"), "level": .integer(4)])
    #expect(
      byTime[1].events.map(\.kind).contains(.marker("bonus"))
        && byTime[1].events.map(\.kind).contains(.marker("start", microsecondsBefore: 1_000_000)))
    #expect(byTime[0].events.last?.kind == .ended(.shutdown))
  }

  @Test("a sensor that is not known, none that measures, several that do, and a second request are refused by name")
  func refused() async throws {
    let stage = try await LoneRecorder()
    let stranger = SensorAddress("C0:FF:EE:00:00:99")!
    let found = Mutex<[SessionRequestFailure?]>([])
    try await stage.run { recorder in
      var seen = [Self.failure(of: stranger, recorder), Self.failure(of: nil, recorder)]
      Self.value(100, recorder)
      Self.value(100, recorder, of: LoneRecorder.other)
      seen.append(Self.failure(of: nil, recorder))
      seen += [Self.failure(of: LoneRecorder.strap, recorder), Self.failure(of: LoneRecorder.strap, recorder)]
      found.withLock { $0 = seen }
    }
    #expect(
      found.withLock { $0 } == [
        .unknownSensor(stranger), .noneMeasuring([LoneRecorder.strap, LoneRecorder.other]),
        .severalMeasuring([LoneRecorder.strap, LoneRecorder.other]), nil,
        .busy(LoneRecorder.strap),
      ])
  }

  @Test("the end of a session returns when it is stored, with its bounds; of one that nobody asked for it is refused")
  func stored() async throws {
    let stage = try await LoneRecorder()
    try await stage.run(awaiting: { recorder in
      await recorder.receiveValue(100)
      do throws(SessionRequestFailure) {
        let session = try await recorder.beginSession(of: LoneRecorder.strap, for: Invented.game)
        #expect(await recorder.requestedSessions == [session])
        await recorder.receiveValue(101)
        #expect(await recorder.storedVersion(of: session.session) == nil)
        stage.setTime(102)
        let ended = try await recorder.endSession(session.request, .request)
        #expect(await recorder.storedVersion(of: session.session) == 1)
        #expect(ended.session == session.session)
        #expect(ended.span?.end.microseconds == session.start + 2_000_000)
        await #expect(throws: SessionRequestFailure.notOpen) {
          try await recorder.endSession(session.request, .request)
        }
        #expect(await recorder.requestedSessions.isEmpty)
      } catch {
        Issue.record("\(error)")
      }
      guard let next = await recorder.openSession() else {
        Issue.record("no session goes on")
        return
      }
      await #expect(throws: SessionRequestFailure.notOpen) { try await recorder.endSession(next, .request) }
      await #expect(throws: SessionRequestFailure.notOpen) { try await recorder.addMarker("late", to: next) }
    })
  }

  @Test("the end of a session that is over by itself is answered as any other")
  func over() async throws {
    let stage = try await LoneRecorder()
    try await stage.run(awaiting: { recorder in
      await recorder.receiveValue(100)
      do throws(SessionRequestFailure) {
        let session = try await recorder.beginSession(of: LoneRecorder.strap, for: Invented.game)
        await recorder.receiveValue(101)
        stage.setTime(900)
        await recorder.timerFired()
        #expect(await recorder.openSession() == nil)
        await #expect(throws: SessionRequestFailure.over) { try await recorder.addMarker("late", to: session.request) }
        #expect(try await recorder.endSession(session.request, .request).span != nil)
      } catch {
        Issue.record("\(error)")
      }
    })
  }

  @Test("what is too large, a key of the recorder's and a time outside of the session are refused, and not kept")
  func limits() async throws {
    let stage = try await LoneRecorder()
    let captures = try await stage.run { recorder in
      Self.value(100, recorder)
      let large = Metadata(uniqueKeysWithValues: (0..<65).map { ("\($0)", 1) })
      let long = Metadata(
        uniqueKeysWithValues: (0..<60).map { ("\($0)", .text(String(repeating: "x", count: 2_000))) })
      #expect(Self.failure(of: nil, recorder, large) == .refused(.tooLarge(.keys)))
      #expect(Self.failure(of: nil, recorder, long) == .refused(.tooLarge(.metadata)))
      let huge = MetadataValue.text(String(repeating: "x", count: 10 << 20))
      #expect(Self.failure(of: nil, recorder, ["a": huge]) == .refused(.tooLarge(.text)))
      #expect(Self.failure(of: nil, recorder, [String(repeating: "k", count: 257): 1]) == .refused(.tooLarge(.key)))
      #expect(Self.failure(of: nil, recorder, ["requestedBy": "root"]) == .refused(.reservedKey))
      #expect(Self.failure(of: nil, recorder, ["recordedBy": "root"]) == .refused(.reservedKey))
      guard let session = try? recorder.beginSession(of: nil, for: Invented.game, metadata: ["a": 1]) else {
        Issue.record("it does not begin")
        return
      }
      let rest = Metadata(uniqueKeysWithValues: (0..<64).map { ("\($0)", 1) })
      #expect(
        Self.failure { () throws(SessionRequestFailure) in try recorder.addMetadata(rest, to: session.request) }
          == .refused(.tooLarge(.keys)))
      for time in [session.start - 1, session.start + 3_000_000] {
        #expect(
          Self.failure { () throws(SessionRequestFailure) in try recorder.addMarker("m", at: time, to: session.request)
          }
            == .invalidTime)
      }
      #expect(
        Self.failure { () throws(SessionRequestFailure) in
          try recorder.addMarker(String(repeating: "m", count: 1_025), to: session.request)
        } == .refused(.tooLarge(.marker)))
      for _ in 0..<1_000 { try? recorder.addMarker("m", to: session.request) }
      #expect(
        Self.failure { () throws(SessionRequestFailure) in try recorder.addMarker("m", to: session.request) }
          == .refused(.tooLarge(.markers)))
      Self.value(101, recorder)
    }
    let game = captures.first { $0.header.request != nil }
    #expect(game?.header.metadata == ["a": .integer(1)])
  }

  @Test("the end of a session that the store does not take says so, and the journal keeps it")
  func notStored() async throws {
    let stage = try await LoneRecorder()
    _ = try? await stage.run(awaiting: { recorder in
      await recorder.receiveValue(100)
      do throws(SessionRequestFailure) {
        let session = try await recorder.beginSession(of: LoneRecorder.strap, for: Invented.game)
        await recorder.receiveValue(101)
        await recorder.closeStore()
        await #expect(throws: SessionRequestFailure.notStored) {
          try await recorder.endSession(session.request, .request)
        }
        #expect(await recorder.commitQueue.waiting.contains(session.session))
        // Somebody may ask again.
        #expect(await recorder.requestedSessions.map(\.request) == [session.request])
      } catch {
        Issue.record("\(error)")
      }
    })
  }

  @Test("a session of each sensor that measures begins at one instant; one that has a session keeps it")
  func all() async throws {
    let stage = try await LoneRecorder()
    try await stage.run(awaiting: { recorder in
      do {
        await #expect(throws: SessionRequestFailure.noneMeasuring([LoneRecorder.strap, LoneRecorder.other])) {
          _ = try await recorder.beginSessions(for: Invented.game)
        }
        await recorder.receiveValue(100)
        #expect(try await recorder.beginSessions(for: Invented.game).map(\.sensor) == [LoneRecorder.strap])
        await #expect(throws: SessionRequestFailure.busy(LoneRecorder.strap)) {
          _ = try await recorder.beginSessions(for: Invented.game)
        }
        for session in await recorder.requestedSessions { try await recorder.endSession(session.request, .request) }
        await recorder.record(.measurement([0x10, 100, 0, 4]), of: LoneRecorder.other, at: Invented.at(100))
        let both = try await recorder.beginSessions(for: Invented.game, metadata: ["title": "Class"])
        #expect(both.map(\.sensor) == [LoneRecorder.strap, LoneRecorder.other] && both[0].start == both[1].start)
        await recorder.receiveValue(101)
        await recorder.record(.measurement([0x10, 100, 0, 4]), of: LoneRecorder.other, at: Invented.at(101.4))
        stage.setTime(102)
        let ended = await recorder.endSessions(both.map(\.request) + [Invented.session(9)], .request)
        #expect(ended.map(\.request) == both.map(\.request) + [Invented.session(9)])
        #expect(throws: SessionRequestFailure.notOpen) { try ended[2].result.get() }
        let spans = try ended.prefix(2).map { try #require(try $0.result.get().span) }
        // The first value of each is not that of the other, and both have ended at one instant.
        #expect(spans[0].start != spans[1].start && spans[0].end == spans[1].end)
      } catch {
        Issue.record("\(error)")
      }
    })
  }

  @Test("a session begins right behind the end of another, without naming the sensor, as often as one likes")
  func nextLevel() async throws {
    let stage = try await LoneRecorder()
    let count = 20 * Trials.factor
    let captures = try await stage.run(awaiting: { recorder in
      await recorder.receiveValue(100)
      for level in 1...count {
        do throws(SessionRequestFailure) {
          let session = try await recorder.beginSession(of: nil, for: Invented.game)
          await recorder.receiveValue(100 + Double(level) / 100)
          #expect(try await recorder.endSession(session.request, .request).span != nil)
        } catch {
          Issue.record("level \(level): \(error)")
        }
      }
      await recorder.receiveValue(150)
    })
    #expect(captures.count == count + 1)
    #expect(captures.filter { $0.header.request == nil }.map(\.notificationCount) == [2])
  }

  @Test(
    "what a killed recorder had paused goes on, at once or after the session that outlives its program",
    arguments: [true, false])
  func pausedAndKilled(endsWithClient: Bool) async throws {
    let stage = try await LoneRecorder()
    let own = Invented.session(5)
    try Self.killed(stage, endsWithClient: endsWithClient, pausing: own)
    let captures = try await stage.run(awaiting: { recorder in
      await recorder.receiveValue(101)
      if !endsWithClient { _ = try? await recorder.endSession(Invented.session(6), .request) }
      stage.setTime(102)
      await recorder.receiveValue(102)
    })
    let values = captures.filter { $0.session == own }.first?.events.compactMap {
      if case .measurement(let bytes) = $0.kind { bytes[1] } else { nil }
    }
    #expect(values == (endsWithClient ? [89, 101, 102] : [89, 102]))
    #expect(captures.count == 2)
    let store = try stage.openToRead()
    let session = try await store.session(own.uuidString)
    #expect(session.endReason == "shutdown")
  }

  @Test("what a killed recorder had paused for an hour goes on, too: its sensor was there until then")
  func pausedForLong() async throws {
    let stage = try await LoneRecorder()
    let own = Invented.session(5)
    try Self.killed(stage, endsWithClient: true, pausing: own, last: 3_700)
    stage.setTime(3_701)
    let captures = try await stage.run { recorder in
      recorder.record(.measurement([0x10, 60, 0, 4]), of: LoneRecorder.strap, at: Invented.at(3_702))
    }
    let capture = try #require(captures.first { $0.session == own })
    #expect(captures.count == 2 && capture.notificationCount == 2)
    #expect(capture.events.contains(SensorEvent(.continued, at: Invented.at(3_700))))
    #expect(capture.events.last?.kind == .ended(.shutdown))
  }

  /// What a killed recorder left of a session that somebody had asked for, and of one that this has paused. `last` is the second of
  /// the last value.
  private static func killed(
    _ stage: LoneRecorder, endsWithClient: Bool, pausing own: UUID? = nil, last: Int = 95
  ) throws {
    try stage.writeJournal { journal in
      if let own {
        try journal.open(
          CaptureHeader(
            session: own, sensor: SensorIdentity(address: LoneRecorder.strap, name: nil), source: "test"),
          events: Invented.present(88) + [
            SensorEvent(.measurement([0x10, 89, 0, 4]), at: Invented.at(89)),
            SensorEvent(.paused, at: Invented.at(90)),
          ])
      }
      let header = CaptureHeader(
        session: Invented.session(7), sensor: SensorIdentity(address: LoneRecorder.strap, name: nil), source: "test",
        metadata: ["title": "Hot dogs", "requestedBy": "root"],
        request: SessionRequest(
          identifier: Invented.session(6), uid: 1000, application: "org.example.Game", endsWithClient: endsWithClient))
      try journal.open(header, events: Invented.present(90))
      for second in [91, 92, 93, 94, last] {
        try journal.append(
          SensorEvent(.measurement([0x10, UInt8(min(second, 95)), 0, 4]), at: Invented.at(Double(second))),
          to: Invented.session(7))
      }
    }
  }

  @Test("a session whose program was connected to a recorder that was killed ends with the program")
  func gone() async throws {
    let stage = try await LoneRecorder()
    try Self.killed(stage, endsWithClient: true)
    let captures = try await stage.run { recorder in
      #expect(recorder.requestedSessions.isEmpty)
      Self.value(101, recorder)
    }
    let session = captures.first { $0.session == Invented.session(7) }
    #expect(session?.events.last == SensorEvent(.ended(.clientGone), at: Invented.at(95)))
    #expect(captures.count == 2)
  }

  @Test("one that was to outlive its program goes on after a kill, as its owner's, and is ended by request")
  func outlives() async throws {
    let stage = try await LoneRecorder()
    try Self.killed(stage, endsWithClient: false)
    let captures = try await stage.run(awaiting: { recorder in
      do throws(SessionRequestFailure) {
        let requested = await recorder.requestedSessions
        #expect(requested.map(\.request) == [Invented.session(6)])
        #expect(requested.map(\.session) == [Invented.session(7)])
        #expect(requested.map(\.owner) == [Invented.game] && requested.map(\.endsWithClient) == [false])
        #expect(requested.map(\.start) == [Invented.at(90).microseconds + Invented.wallMinusBoot])
        await recorder.receiveValue(101)
        await #expect(throws: SessionRequestFailure.busy(LoneRecorder.strap)) {
          _ = try await recorder.beginSession(of: nil, for: Invented.game)
        }
        try await recorder.addMetadata(["level": 2], to: Invented.session(6))
        stage.setTime(102)
        #expect(try await recorder.endSession(Invented.session(6), .request).session == Invented.session(7))
      } catch {
        Issue.record("\(error)")
      }
    })
    let session = captures.first { $0.session == Invented.session(7) }
    #expect(session?.notificationCount == 6)
    #expect(session?.header.metadata["level"] == .integer(2))
    let sample = try await stage.samples(of: .heartRate).first
    // What is said of the game is said of its values; who asked for it is not, and cannot be forged.
    #expect(sample?.metadata == ["title": "Hot dogs", "level": 2])
    #expect(try await stage.metadata(of: Invented.session(7))["requestedBy"] == "org.example.Game@1000")
  }
}

extension Recorder {
  fileprivate func receiveValue(_ second: Double) {
    record(.measurement([0x10, UInt8(second), 0, 4]), of: LoneRecorder.strap, at: Invented.at(second))
  }

  fileprivate func openSession() -> UUID? {
    sensors.recordings.index(of: LoneRecorder.strap).flatMap { sensors.recordings[$0].session?.id }
  }

  fileprivate func storedVersion(of session: UUID) async -> Int64? {
    try? await files?.store.syncVersion(of: session)
  }

  fileprivate func closeStore() async {
    await files?.store.close()
  }
}
