import Captures
import DBus
import Foundation
import HealthModel
import Sensors
import SeriesStore
import TestSupport
import Testing

@testable import Ingestion

@Suite("The recorder after a time in which it did not run", .timeLimit(.minutes(5)))
struct RecorderStallTests {
  private static let strap = SensorAddress("C0:FF:EE:00:00:01")!
  private static let other = SensorAddress("C0:FF:EE:00:00:02")!

  private static func at(_ seconds: Double) -> BootInstant {
    BootInstant(microseconds: Int64(seconds * 1_000_000))
  }

  /// What the sessions of a recorder without a bus hold in the end, to which `happens` does something.
  private func captures(_ happens: @escaping @Sendable (isolated Recorder) -> Void) async throws -> [Capture] {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("sensord-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = folder.appendingPathComponent("sensord.sqlite").path
    let file = try HealthStore.open(store, for: .writing)
    for address in [Self.strap, Self.other] {
      _ = try await file.allow(AllowedSensor(address: "\(address)", name: nil, added: Timestamp(microseconds: 0)))
    }
    await file.close()
    var settings = RecorderSettings(store: store, journal: store + ".journal", version: "test")
    settings.bus = .address("unix:path=/nonexistent")
    settings.captures = .init(directory: store + ".captures", maximumAge: nil, maximumBytes: nil)
    let loop = try EventLoop.startThread(named: "test")
    defer { loop.stop() }
    let clock = HostClock(
      now: { Self.at(100) }, wallMicroseconds: { 1_790_000_000_000_000 }, boot: BootIdentifier(high: 1, low: 1))
    let recorder = Recorder(settings, on: loop, clock: clock)
    try await Task(executorPreference: loop) {
      try await recorder.run {
        recorder.assumeIsolated { happens($0) }
        recorder.requestStop()
      }
    }.value
    let archive = CaptureArchive(directory: store + ".captures", maximumAgeSeconds: nil, maximumBytes: nil)
    return try archive.files().flatMap { try CaptureFile.read(path: $0.path).captures }
      .sorted { "\($0.sensor.address!)" < "\($1.sensor.address!)" }
  }

  @Test("events of several sources, and what waited among them, have instants that never go back")
  func order() async throws {
    let captures = try await captures { recorder in
      recorder.take(.connected, of: Self.strap, at: Self.at(10))
      recorder.take(.measurement([0, 60]), of: Self.strap, at: Self.at(11))
      recorder.take(.battery(percent: 80), of: Self.strap, at: Self.at(12.5))
      recorder.take(.measurement([0, 61]), of: Self.strap, at: Self.at(12))
      recorder.take(.measurement([0, 62]), of: Self.strap, at: Self.at(13))
    }
    let events = try #require(captures.first).events
    #expect(zip(events, events.dropFirst()).allSatisfy { $0.instant <= $1.instant })
    let values = events.filter { if case .measurement = $0.kind { true } else { false } }
    #expect(values.map(\.instant) == [11, 12.5, 13].map(Self.at))
  }

  @Test(
    "each open session is told of a stall, as long as the first value that waited shows, and no other is begun by it")
  func told() async throws {
    let captures = try await captures { recorder in
      recorder.take(.measurement([0, 60]), of: Self.strap, at: Self.at(11))
      recorder.stalled(since: 12_500_000, until: 72_000_000)
      recorder.take(.measurement([0, 61]), of: Self.strap, at: Self.at(72))
      recorder.take(.measurement([0, 62]), of: Self.other, at: Self.at(73))
    }
    try #require(captures.count == 2)
    #expect(
      captures[0].events.filter { $0.instant == Self.at(72) }.map(\.kind) == [
        .stalled(microseconds: 59_500_000), .measurement([0, 61]),
      ])
    #expect(!captures[1].events.contains { if case .stalled = $0.kind { true } else { false } })
  }

  @Test(
    "values with times of their own stand before the stall, those without behind it, whichever sensor was heard first")
  func ownTimes() async throws {
    let captures = try await captures { recorder in
      recorder.take(.measurement([0, 60]), of: Self.strap, at: Self.at(11))
      recorder.take(.measurement([0, 70]), of: Self.other, at: Self.at(11.5))
      // What `stalled(since:until:)` does around the client's values.
      recorder.stall = Recorder.Stall(since: 14_000_000, until: 72_000_000, untold: [Self.strap, Self.other])
      recorder.hear([0, 61], of: Self.strap, at: Self.at(12))
      recorder.hear([0, 62], of: Self.strap, at: Self.at(13))
      recorder.hear([0, 71], of: Self.other, at: Self.at(72))
      recorder.hear([0, 63], of: Self.strap, at: Self.at(71))
      recorder.endStall()
    }
    try #require(captures.count == 2)
    #expect(
      captures[0].events.suffix(5).dropLast() == [
        SensorEvent(.measurement([0, 61]), at: Self.at(12)), SensorEvent(.measurement([0, 62]), at: Self.at(13)),
        SensorEvent(.measurement([0, 63]), at: Self.at(71)),
        SensorEvent(.stalled(microseconds: 60_000_000), at: Self.at(72)),
      ])
    #expect(
      captures[1].events.suffix(3).dropLast() == [
        SensorEvent(.stalled(microseconds: 60_000_000), at: Self.at(72)),
        SensorEvent(.measurement([0, 71]), at: Self.at(72)),
      ])
  }
}
