import Captures
import FoundationEssentials
import HealthModel
import SeriesStore
import Synchronization
import Testing
import Timeline

@testable import Ingestion

@Suite("The recorder whose journal refuses values", .timeLimit(.minutes(5)))
struct RecorderJournalTests {
  @Test("what the status learns of a session while its journal refuses a value is kept")
  func noUpdateIsLost() async throws {
    let stage = try await LoneRecorder { $0.judgingInterval = .milliseconds(1500) }
    let events = stage.recorder.events(.status)
    // The journal will know no such session any more, and refuse what comes: the store cannot have it either.
    _ = try? await stage.run { recorder in
      for second in [100.0, 101, 102, 103] {
        stage.setTime(second)
        if second == 102, let index = recorder.sensors.recordings.index(of: LoneRecorder.strap),
          let session = recorder.sensors.recordings[index].session
        {
          try? recorder.files?.journal.commit(session.id)
        }
        recorder.record(.measurement([0x10, 60, 0, 4]), of: LoneRecorder.strap, at: Invented.at(second))
      }
    }
    var judged: [Int] = []
    for await event in events {
      guard case .status(let status) = event.kind else { continue }
      judged += status.sensors.compactMap { $0.provisional?.beats }
    }
    #expect(judged.count >= 2)
    #expect(Set(judged).count == 1, "judged twice within the interval: \(judged)")
  }

  @Test("what a session lost up to its end is published before that end, as the session's")
  func lossAtTheEnd() async throws {
    let stage = try await LoneRecorder { $0.unwrittenBytes = 0 }
    let events = stage.recorder.events(.sessions)
    _ = try? await stage.run { recorder in
      for second in [100.0, 101, 102] {
        stage.setTime(second)
        if second == 101, let index = recorder.sensors.recordings.index(of: LoneRecorder.strap),
          let session = recorder.sensors.recordings[index].session
        {
          try? recorder.files?.journal.commit(session.id)
        }
        recorder.record(.measurement([0x10, 60, 0, 4]), of: LoneRecorder.strap, at: Invented.at(second))
      }
    }
    var seen: [RecorderEvent] = []
    for await event in events { seen.append(event) }
    let lost = try #require(
      seen.firstIndex { if case .lost(values: 2, microseconds: _) = $0.kind { true } else { false } })
    let end = try #require(seen.firstIndex { if case .sessionEnded = $0.kind { true } else { false } })
    #expect(lost < end)
    #expect(seen[lost].session != nil && seen[lost].session == seen[end].session)
  }

  private static func value(_ number: Int) -> [UInt8] {
    [0x18, 120, UInt8(number & 0xFF), UInt8(number >> 8), 0, 1]
  }

  /// Gives the recorder four values a second from `first` on, each with its number; at 30 s of them the link is away for 1.2 s.
  private static func send(
    _ numbers: Range<Int>, from first: Int, to recorder: isolated Recorder, on stage: LoneRecorder
  ) {
    for number in numbers {
      let second = 100 + Double(number) / 4
      stage.setTime(second)
      switch number - first {
      case 120: recorder.record(.disconnected(reason: "out of reach"), of: LoneRecorder.strap, at: Invented.at(second))
      case 121..<125: continue
      case 125: recorder.record(.connected, of: LoneRecorder.strap, at: Invented.at(second - 0.05))
      default: break
      }
      if number - first != 120 {
        recorder.record(.measurement(value(number)), of: LoneRecorder.strap, at: Invented.at(second))
      }
    }
  }

  private func numbers(in capture: Capture?) -> [Int] {
    capture?.log.compactMap { event -> Int? in
      guard case .measurement(let bytes) = event.kind else { return nil }
      return Int(bytes[2]) | Int(bytes[3]) << 8
    } ?? []
  }

  @Test(
    "a disk that takes nothing for a minute costs no value, and the gap in it is as long as the link was away",
    arguments: 0..<10)
  func fullForAMinute(round: Int) async throws {
    let stage = try await LoneRecorder { $0.segmentBytes = 1 }
    let full = 8 + 3 * round
    let told = stage.recorder.events(.sessions)
    let captures = try await stage.run { recorder in
      Self.send(0..<full, from: full, to: recorder, on: stage)
      stage.block()
      Self.send(full..<full + 240, from: full, to: recorder, on: stage)
      let status = recorder.status()
      #expect(status.valuesInMemory == 240 - 5 && status.sensors.allSatisfy { $0.lostValues == 0 })
      stage.unblock()
      Self.send(full + 240..<full + 260, from: full, to: recorder, on: stage)
      #expect(recorder.status().valuesInMemory == 0 && recorder.status().problem == nil)
    }
    let sent = (0..<full + 260).filter { !(120...124).contains($0 - full) }
    #expect(numbers(in: captures.first) == sent)
    let instants = captures.first?.log.map(\.instant) ?? []
    #expect(zip(instants, instants.dropFirst()).allSatisfy(<=))
    let store = try stage.openToRead()
    let session = try #require(try await store.sessions().first)
    let gaps = try await store.gaps(of: session.id)
    #expect(gaps.map(\.reason) == ["link"])
    // From the last value before it to the first one after: both a quarter of a second apart from the loss.
    #expect(gaps.allSatisfy { (1_200_000...1_750_000).contains($0.end.microseconds - $0.start.microseconds) })
    #expect(session.quality.lostValues ?? 0 == 0)
    for await event in told { if case .lost = event.kind { Issue.record("\(event)") } }
  }

  @Test(
    "a disk that is full where a program's session begins and ends costs no value, neither of it nor of the paused one")
  func fullAroundSession() async throws {
    let stage = try await LoneRecorder { $0.segmentBytes = 1 }
    let captures = try await stage.run(awaiting: { recorder in
      await Self.send(0..<4, from: 0, to: recorder, on: stage)
      stage.block()
      stage.setTime(101)
      guard let level = try? await recorder.beginSession(of: LoneRecorder.strap, for: Invented.game) else {
        Issue.record("no session began")
        return
      }
      await Self.send(4..<8, from: 0, to: recorder, on: stage)
      await recorder.record(.battery(percent: 40), of: LoneRecorder.strap, at: Invented.at(101.8))
      #expect(await recorder.owingSessions.count == 2)
      stage.unblock()
      await Self.send(8..<12, from: 0, to: recorder, on: stage)
      // The paused one gets nothing with which its part could be written.
      #expect(await recorder.owingSessions.count == 1)
      stage.setTime(107)
      await recorder.timerFired()
      #expect(await recorder.owingSessions.isEmpty)
      await Self.send(28..<32, from: 0, to: recorder, on: stage)
      stage.block()
      stage.setTime(108)
      _ = try? await recorder.endSession(level.request, .request)
      await Self.send(32..<36, from: 0, to: recorder, on: stage)
      stage.unblock()
      await Self.send(36..<40, from: 0, to: recorder, on: stage)
    })
    #expect(captures.count == 2)
    let own = try #require(captures.first { $0.header.request == nil })
    #expect(numbers(in: own) == Array(0..<4) + Array(32..<40))
    #expect(numbers(in: captures.first { $0.header.request != nil }) == Array(4..<12) + Array(28..<32))
    let pause: [SensorEvent.Kind] = [.paused, .continued]
    #expect(own.events.map(\.kind).filter(pause.contains) == pause)
    #expect(own.events.contains { $0.kind == .battery(percent: 40) })
    #expect(zip(own.events, own.events.dropFirst()).allSatisfy { $0.instant <= $1.instant })
    let store = try stage.openToRead()
    #expect(try await store.gaps(of: own.session).map(\.reason) == ["clientSession"])
    #expect(try await store.sessions().allSatisfy { $0.quality.lostValues ?? 0 == 0 })
  }

  @Test("a disk that is full for three hours costs what memory cannot hold, counted exactly")
  func fullForHours() async throws {
    let stage = try await LoneRecorder { $0.segmentBytes = 1 }
    let values = 3 * 3600 * 4
    let captures = try await stage.run { recorder in
      for number in 0..<values + 20 {
        if number == 10 { stage.block() }
        let second = 100 + Double(number) / 4
        stage.setTime(second)
        if number == values {
          let status = recorder.status()
          #expect(status.valuesInMemory > 6 * 3600)
          #expect(status.valuesInMemory + (status.sensors.first?.lostValues ?? 0) == values - 10)
          stage.unblock()
        }
        recorder.record(.measurement(Self.value(number)), of: LoneRecorder.strap, at: Invented.at(second))
      }
    }
    let capture = try #require(captures.first)
    let lost = capture.log.reduce(0) { if case .lost(let values, _) = $1.kind { $0 + values } else { $0 } }
    #expect(lost > 0 && capture.log.measurementCount + lost == values + 20)
    let session = try #require(try await stage.openToRead().sessions().first)
    #expect(session.quality.lostValues == Int64(lost))
  }

  @Test("what is owed of a sensor that sends nothing, and of a session that is over, is written by the clock")
  func silentSensor() async throws {
    let stage = try await LoneRecorder { $0.segmentBytes = 1 }
    let captures = try await stage.run { recorder in
      for sensor in [LoneRecorder.strap, LoneRecorder.other] {
        recorder.record(.measurement(Self.value(0)), of: sensor, at: Invented.at(100))
      }
      stage.block()
      for sensor in [LoneRecorder.strap, LoneRecorder.other] {
        recorder.record(.measurement(Self.value(1)), of: sensor, at: Invented.at(100))
      }
      recorder.record(.ended(.request), of: LoneRecorder.other, at: Invented.at(100))
      stage.setTime(105)
      recorder.timerFired()
      #expect(recorder.status().valuesInMemory == 2)
      stage.unblock()
      stage.setTime(109)
      recorder.timerFired()
      #expect(recorder.status().valuesInMemory == 2, "only every five seconds")
      stage.setTime(110)
      recorder.timerFired()
      #expect(recorder.status().valuesInMemory == 0)
      #expect(recorder.status().problem == nil)
      #expect(recorder.condition.journalRetryAt == nil, "nothing wakes for it any more")
    }
    #expect(captures.map { numbers(in: $0) } == [[0, 1], [0, 1]])
  }
}

extension Recorder {
  /// The open and paused sessions of which the journal does not have everything.
  fileprivate var owingSessions: [UUID] { sensors.recordings.indices.flatMap { sensors.recordings[$0].owing } }
}
