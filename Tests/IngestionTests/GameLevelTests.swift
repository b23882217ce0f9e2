import Captures
import FoundationEssentials
import HealthModel
import TestSupport
import Testing
import Timeline

@testable import Ingestion

/// A room whose game has one level after the other: each is a session of the game, and what lies between them is the recorder's own. A
/// plain model says of each value whose it is: of the level that had begun last and had not ended.
@Suite("One level of a game after the other")
struct GameLevelTests {
  /// A thousand in the long trials.
  private static var levels: Int { Trials.factor >= 10 ? 1_000 : 150 }

  /// A strap, what the journal has of it, and what the model expects.
  private struct Strap {
    var recording: SensorRecording
    var random: SeededGenerator
    /// When it beats next, and how long after the beat before.
    var next: Int64
    var interval: UInt16 = 870
    var journal: [UUID: [SensorEvent]] = [:]
    /// Whether the disk is full now, and what it has refused of sessions that are over.
    var isFull = false
    var owed: [UUID: JournalBacklog] = [:]
    var order: [UUID] = []
    /// Each value with its owner, 0 for the recorder itself.
    var values: [(owner: Int, instant: BootInstant, rrTicks: UInt16)] = []
    /// When levels began.
    var pauses: [BootInstant] = []
    var begun = 0

    init(_ number: UInt8) throws {
      recording = Invented.recording()
      random = SeededGenerator(seed: UInt64(number))
      next = Invented.at(2).microseconds + Int64(number) * 137_000
      try write(recording.handle(.connected, 1))
    }

    mutating func id() -> UUID {
      begun += 1
      var bytes = Invented.session(1).uuid
      bytes.14 = UInt8(begun >> 8)
      bytes.15 = UInt8(begun & 255)
      return UUID(uuid: bytes)
    }

    /// Carries out what a driver does, in its order.
    mutating func write(_ step: SensorRecording.Step) throws {
      if let ending = step.ending { try end(ending) }
      for entry in [step.aside, step.entry].compactMap(\.self) {
        if case .beginning(let session, _, _, _) = entry {
          #expect(journal[session] == nil)
          order.append(session)
        }
        guard !isFull else {
          recording.journalRefused(entry, .notWritten, room: 1 << 30)
          continue
        }
        var events: [SensorEvent] = []
        if case .events(let first, let session) = entry {
          let instant = try #require(first.first?.instant)
          _ = try recording.writeOwed(of: session, before: instant) { events += $0 }
        } else {
          #expect(!recording.owing.contains(entry.session))
        }
        journal[entry.session, default: []] += events + entry.events
      }
    }

    mutating func end(_ ending: SessionEnding) throws {
      owed[ending.session] = ending.backlog
      try writeEnds()
    }

    mutating func writeEnds() throws {
      guard !isFull else { return }
      for session in Array(owed.keys) {
        var events: [SensorEvent] = []
        _ = try owed[session]?.write(before: nil) { events += $0 }
        owed[session] = nil
        journal[session, default: []] += events
      }
    }

    /// The beats until an instant, each in a notification of its own.
    mutating func beat(until end: BootInstant, owner: Int) throws {
      while next <= end.microseconds {
        let instant = BootInstant(microseconds: next)
        let rrTicks = interval
        let bytes: [UInt8] = [0x10, UInt8(61_440 / UInt32(rrTicks)), UInt8(rrTicks & 255), UInt8(rrTicks >> 8)]
        interval = UInt16.random(in: 800...940, using: &random)
        next += Int64(interval) * 1_000_000 / 1024
        values.append((owner, instant, rrTicks))
        let identifier = recording.session == nil ? id() : UUID()
        try write(recording.handle(.measurement(bytes), at: instant, session: identifier))
      }
    }
  }

  private static func request(_ level: Int) -> OpenRequest {
    OpenRequest(
      request: SessionRequest(
        identifier: UUID(), uid: 1000, application: "org.example.Game", endsWithClient: true),
      metadata: ["level": .integer(Int64(level))])
  }

  @Test(
    "sessions, rates and beats are those of a plain model: of one strap, of four, and on a disk that is full now and then",
    arguments: [(1, false), (4, false), (2, true)])
  func model(straps count: Int, onFullDisk: Bool) throws {
    var straps = try (1...count).map { try Strap(UInt8($0)) }
    var disk = SeededGenerator(seed: 39)
    var time = SeededGenerator(seed: 38)
    var now = Invented.at(10)
    for index in straps.indices { try straps[index].beat(until: now, owner: 0) }
    for level in 1...Self.levels {
      let length = Int64.random(in: 0...8_000_000, using: &time)
      // Some levels begin in the moment in which the one before ends.
      let pause = level % 5 == 0 ? 0 : Int64.random(in: 0...2_000_000, using: &time)
      for index in straps.indices {
        straps[index].isFull = onFullDisk && Bool.random(using: &disk)
        let foundWithoutName = straps[index].recording.isMeasuring(at: now)
        #expect(foundWithoutName, "level \(level)")
        let identifier = straps[index].id()
        let step = straps[index].recording.begin(identifier, Self.request(level), at: now)
        try straps[index].write(try #require(step))
        straps[index].pauses.append(now)
      }
      now = now.advanced(byMicroseconds: length)
      for index in straps.indices {
        straps[index].isFull = onFullDisk && Bool.random(using: &disk)
        try straps[index].beat(until: now, owner: level)
        let step = straps[index].recording.endRequested(.request, at: now, next: UUID())
        try straps[index].write(try #require(step))
      }
      now = now.advanced(byMicroseconds: pause)
      for index in straps.indices { try straps[index].beat(until: now, owner: 0) }
    }
    now = now.advanced(byMicroseconds: 5_000_000)
    for index in straps.indices {
      straps[index].isFull = false
      try straps[index].beat(until: now, owner: 0)
      let ending = straps[index].recording.end(.shutdown, at: now)
      try straps[index].end(try #require(ending))
      try Self.check(straps[index])
    }
  }

  private static func check(_ strap: Strap) throws {
    // One for each level, and the recorder's own.
    #expect(strap.order.count == levels + 1)
    for (owner, session) in strap.order.enumerated() {
      let expected = strap.values.filter { $0.owner == owner }
      let timeline = try SessionTimeline(events: try #require(strap.journal[session]))
      #expect(
        timeline.rates.map(\.time) == expected.map { $0.instant.timestamp(wallMinusBoot: Invented.wallMinusBoot) })
      #expect(timeline.heartbeats.beats.map(\.rrTicks) == expected.map { UInt32($0.rrTicks) })
      #expect(timeline.endReason == (owner == 0 ? .shutdown : .request))
      guard owner == 0 else { continue }
      // A gap wherever a level began between two values, and no beat of it is lost.
      let gaps = zip(expected, expected.dropFirst()).filter { before, after in
        strap.pauses.contains { before.instant <= $0 && $0 <= after.instant }
      }
      #expect(timeline.gaps.count == gaps.count)
      #expect(timeline.gaps.allSatisfy { $0.reason == "clientSession" && $0.estimatedLostBeats == nil })
    }
  }
}
