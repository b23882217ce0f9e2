import Captures
import FoundationEssentials
import Sensors
import SeriesStore
import Synchronization
import Testing

@testable import Ingestion

@Suite("The recorder that is asked for sessions", .timeLimit(.minutes(5)))
struct RecorderRequestsTests {
  private static func value(
    _ second: Double, _ recorder: isolated Recorder, of address: SensorAddress = LoneRecorder.strap
  ) {
    recorder.record(.measurement([0x10, UInt8(second), 0, 4]), of: address, at: Invented.at(second))
  }

  private static func failure(
    of sensor: SensorAddress?, _ recorder: isolated Recorder
  ) -> SessionRequestFailure? {
    do throws(SessionRequestFailure) {
      _ = try recorder.beginSession(of: sensor, metadata: [:])
      return nil
    } catch {
      return error
    }
  }

  @Test("a game's session has the game's values and metadata, and the sessions before and after it the others")
  func game() async throws {
    let stage = try await LoneRecorder()
    let asked = Mutex<RequestedSession?>(nil)
    let captures = try await stage.run { recorder in
      for second in 100...105 {
        stage.setTime(Double(second))
        if second == 102 {
          let session = try? recorder.beginSession(
            of: nil, metadata: ["title": .text("Hot dogs"), "level": .integer(3)])
          asked.withLock { $0 = session }
        }
        guard let session = asked.withLock({ $0 }) else {
          Self.value(Double(second), recorder)
          continue
        }
        if second == 103 {
          try? recorder.addMetadata(["level": .integer(4)], to: session.id)
          try? recorder.addMarker("bonus", to: session.id)
        }
        if second == 105, let index = recorder.recordings.index(of: LoneRecorder.strap),
          let step = recorder.recordings[index].endRequested(.request, at: Invented.at(105), next: UUID())
        {
          recorder.perform(step, of: index, gapsBefore: 0)
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
    #expect(values == [[100, 101], [102, 103, 104], [105]])
    #expect(byTime.map(\.header.linkedTo) == [nil, byTime.first?.session, session.id])
    #expect(byTime[1].session == session.id)
    #expect(byTime[1].header.metadata == ["title": .text("Hot dogs"), "level": .integer(4)])
    #expect(byTime[1].events.map(\.kind).contains(.marker("bonus")))
    #expect(byTime[0].events.last?.kind == .ended(.request))
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
        .unknownSensor(stranger), .noneMeasuring, .severalMeasuring([LoneRecorder.strap, LoneRecorder.other]), nil,
        .busy(LoneRecorder.strap),
      ])
  }

  @Test("the end of a session returns when it is stored; of one that nobody asked for it is refused")
  func stored() async throws {
    let stage = try await LoneRecorder()
    try await stage.run(awaiting: { recorder in
      await recorder.receiveValue(100)
      do throws(SessionRequestFailure) {
        let session = try await recorder.beginSession(of: LoneRecorder.strap, metadata: [:])
        await recorder.receiveValue(101)
        #expect(await recorder.storedVersion(of: session.id) == nil)
        #expect(try await recorder.endSession(session.id, .request))
        #expect(await recorder.storedVersion(of: session.id) == 1)
        // Nobody ever asked for this one.
        #expect(try await recorder.endSession(UUID(), .request) == false)
        // Once more does no harm: somebody may not have got the answer.
        try await recorder.endSession(session.id, .request)
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

  @Test("the end of a session that the store does not take says so, and the journal keeps it")
  func notStored() async throws {
    let stage = try await LoneRecorder()
    _ = try? await stage.run(awaiting: { recorder in
      await recorder.receiveValue(100)
      do throws(SessionRequestFailure) {
        let session = try await recorder.beginSession(of: LoneRecorder.strap, metadata: [:])
        await recorder.receiveValue(101)
        await recorder.closeStore()
        await #expect(throws: SessionRequestFailure.notStored) { try await recorder.endSession(session.id, .request) }
        #expect(await recorder.commitQueue.waiting.contains(session.id))
      } catch {
        Issue.record("\(error)")
      }
    })
  }
}

extension Recorder {
  fileprivate func receiveValue(_ second: Double) {
    record(.measurement([0x10, UInt8(second), 0, 4]), of: LoneRecorder.strap, at: Invented.at(second))
  }

  fileprivate func openSession() -> UUID? {
    recordings.index(of: LoneRecorder.strap).flatMap { recordings[$0].session?.id }
  }

  fileprivate func storedVersion(of session: UUID) async -> Int64? {
    try? await files?.store.syncVersion(of: session)
  }

  fileprivate func closeStore() async {
    await files?.store.close()
  }
}
