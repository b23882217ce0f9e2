import Captures
import FoundationEssentials
import HealthModel
import Testing
import Timeline

@testable import Ingestion

@Suite("The observers of a recorder", .timeLimit(.minutes(5)))
struct RecorderEventsTests {
  private static let value = SensorEvent.Kind.measurement([0x16, 60, 0, 4])

  private func all(_ events: RecorderEvents) async -> [RecorderEvent] {
    var all: [RecorderEvent] = []
    for await event in events { all.append(event) }
    return all
  }

  /// A session of two values with a loss of the link between.
  private static func record(_ recorder: isolated Recorder) {
    recorder.record(.connected, of: LoneRecorder.strap, at: Invented.at(100))
    recorder.record(value, of: LoneRecorder.strap, at: Invented.at(101))
    recorder.record(.disconnected(reason: nil), of: LoneRecorder.strap, at: Invented.at(102))
    recorder.record(value, of: LoneRecorder.strap, at: Invented.at(110))
    recorder.publishStatus()
  }

  @Test(
    "an observer gets a session as it goes: its beginning, rates, beats, gaps and its end, with sensor and time")
  func order() async throws {
    let stage = try await LoneRecorder()
    let events = stage.recorder.events([.sessions, .values])
    let captures = try await stage.run { Self.record($0) }
    let seen = await all(events)
    let session = try #require(captures.first).session
    #expect(seen.allSatisfy { $0.sensor == LoneRecorder.strap })
    let rate = RecorderEvent.Kind.rate(beatsPerMinute: 60, contact: true)
    let beat = RecorderEvent.Kind.beat(rrTicks: 1024, flags: .firstOfRun)
    #expect(
      seen.map(\.kind) == [
        .sessionBegan(linkedTo: nil), rate, beat, .gap(count: 1), rate, beat, .state(.measuring),
        .sessionEnded(.shutdown), .state(.absent),
      ])
    #expect(seen.dropLast().allSatisfy { $0.session == session } && seen.last?.session == nil)
    #expect(
      seen.filter { if case .rate = $0.kind { true } else { false } }.map(\.time)
        == [101, 110].map { Invented.wallMinusBoot + Invented.at($0).microseconds })
  }

  @Test("a notification of a session is published as it was sent, off the skin too, and nothing else is")
  func measurements() async throws {
    let stage = try await LoneRecorder()
    let events = stage.recorder.events(.measurements)
    try await stage.run { recorder in
      let values: [[UInt8]] = [
        [0x16, 60, 0, 4, 1, 4], [0x14, 0], [0x11, 44, 1, 0, 0], [0x16], [0x00, 61],
      ]
      for (index, bytes) in values.enumerated() {
        recorder.record(.measurement(bytes), of: LoneRecorder.strap, at: Invented.at(101 + Double(index)))
      }
      recorder.record(.battery(percent: 50), of: LoneRecorder.strap, at: Invented.at(110))
    }
    let seen = await all(events)
    #expect(
      seen.map(\.kind) == [
        .measurement(beatsPerMinute: 60, rrTicks: [1024, 1025], contact: true),
        .measurement(beatsPerMinute: 0, rrTicks: [], contact: false),
        .measurement(beatsPerMinute: 300, rrTicks: [0], contact: nil),
        .measurement(beatsPerMinute: 61, rrTicks: [], contact: nil),
      ])
    #expect(seen.map(\.time) == [101, 102, 103, 105].map { Invented.wallMinusBoot + Invented.at($0).microseconds })
    #expect(seen.allSatisfy { $0.sensor == LoneRecorder.strap && $0.session != nil })
  }

  @Test("a gap is published once, and a rate for each measurement and for nothing else")
  func once() async throws {
    let stage = try await LoneRecorder()
    let events = stage.recorder.events(.values)
    try await stage.run { recorder in
      Self.record(recorder)
      recorder.record(.battery(percent: 50), of: LoneRecorder.strap, at: Invented.at(110))
      recorder.record(Self.value, of: LoneRecorder.strap, at: Invented.at(111))
    }
    let kinds = await all(events).map(\.kind)
    #expect(kinds.filter { if case .gap = $0 { true } else { false } } == [.gap(count: 1)])
    #expect(kinds.count { if case .rate = $0 { true } else { false } } == 3)
  }

  @Test("two observers get the same, each what it wants, and one that is too slow only loses its own")
  func independent() async throws {
    let stage = try await LoneRecorder()
    let (one, slow) = (stage.recorder.events([.values]), stage.recorder.events([.values], capacity: 2))
    let status = stage.recorder.events(.status)
    try await stage.run { recorder in
      for second in 101...110 { recorder.record(Self.value, of: LoneRecorder.strap, at: Invented.at(Double(second))) }
      recorder.record(Self.value, of: LoneRecorder.other, at: Invented.at(110))
    }
    let seen = await all(one)
    #expect(seen.count == 22)
    #expect(seen.last?.sensor == LoneRecorder.other)
    let left = await all(slow)
    #expect(left.map(\.kind).first == .missed(20))
    #expect(Array(left.dropFirst()) == Array(seen.suffix(2)))
    let kinds = await all(status).map(\.kind)
    #expect(!kinds.isEmpty && kinds.allSatisfy { if case .status = $0 { true } else { false } })
  }

  @Test("an observer that joins gets the present status, and each state of the recorder up to its end")
  func status() async throws {
    let stage = try await LoneRecorder()
    let events = stage.recorder.events(.status)
    try await stage.run { Self.record($0) }
    let statuses = await all(events).compactMap { if case .status(let status) = $0.kind { status } else { nil } }
    #expect(statuses.first?.state == .starting)
    #expect(statuses.contains { $0.sensors.first?.state == .measuring && $0.sensors.first?.beats == 2 })
    #expect(statuses.last?.state == .stopping && statuses.last?.sensors.first?.session == nil)
  }

  @Test("for nobody nothing is worked out, and who lets go is nobody")
  func nobody() async throws {
    let stage = try await LoneRecorder { $0.judgingInterval = .zero }
    do { _ = stage.recorder.events([.values, .status]) }
    #expect(!stage.recorder.observers.want([.sessions, .values, .status]))
    try await stage.run { recorder in
      stage.setTime(110)
      Self.record(recorder)
      #expect(recorder.sensors.recordings[0].session?.judgedAt == nil)
      recorder.publishStatusSoon()
      var schedule = recorder.statusSchedule
      let next = schedule.wait()
      #expect(next != nil, "nothing waits")
    }
  }

  @Test("an observer of a recorder that never ran ends with it")
  func neverRan() async throws {
    var stage: LoneRecorder? = try await LoneRecorder()
    let events = try #require(stage?.recorder.events(.sessions))
    stage = nil
    #expect(await all(events).isEmpty)
  }

  @Test("an observer that comes after the end, or is cancelled, waits for nothing")
  func ended() async throws {
    let stage = try await LoneRecorder()
    let events = stage.recorder.events(.sessions)
    let cancelled = Task { await all(events) }
    cancelled.cancel()
    #expect(await cancelled.value.isEmpty)
    try await stage.run { Self.record($0) }
    #expect(await all(stage.recorder.events(.values)).isEmpty)
  }
}
