import Captures
import DBus
import Foundation
import HealthModel
import SeriesStore
import Synchronization
import Timeline

@testable import Ingestion

/// A recorder of two straps without a bus, with a store in a folder of its own, on a clock that the test sets.
final class LoneRecorder: Sendable {
  static let strap = Invented.strap
  static let other = Invented.other

  let recorder: Recorder
  private let clock: SetClock
  /// The path of its store.
  let store: String
  private let folder: URL
  private let blocked = Mutex("")
  private let loop: EventLoop

  /// The time is 100 s. `earlier` is a recorder that has ended; this one goes on with a copy of its files.
  init(after earlier: LoneRecorder? = nil, prepare: (inout RecorderSettings) -> Void = { _ in }) async throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent("sensord-\(UUID().uuidString)")
    if let earlier {
      try FileManager.default.copyItem(at: earlier.folder, to: folder)
    } else {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }
    store = folder.appendingPathComponent("sensord.sqlite").path
    let file = try HealthStore.open(store, for: .writing)
    for address in [Self.strap, Self.other] {
      _ = try await file.allow(AllowedSensor(address: "\(address)", name: nil, added: Timestamp(microseconds: 0)))
    }
    await file.close()
    var settings = RecorderSettings(store: store, journal: store + ".journal", version: "test")
    settings.bus = .address("unix:path=/nonexistent")
    settings.captures = .init(directory: store + ".captures", maximumAge: nil, maximumBytes: nil)
    prepare(&settings)
    loop = try EventLoop.startThread(named: "test")
    let clock = SetClock()
    self.clock = clock
    recorder = Recorder(
      settings, on: loop,
      clock: HostClock(
        now: { clock.now }, wallMicroseconds: { clock.now.microseconds + Invented.wallMinusBoot + clock.step },
        boot: Invented.boot)
    )
  }

  deinit {
    loop.stop()
    try? FileManager.default.removeItem(at: folder)
  }

  func setTime(_ seconds: Double) {
    clock.set(Invented.at(seconds))
  }

  /// Somebody sets the wall clock, so many seconds from where it would be.
  func setClock(_ seconds: Int64) {
    clock.setStep(seconds * 1_000_000)
  }

  /// Lets `happens` do something to the recorder once it is ready, then ends it.
  ///
  /// - Returns: What its sessions hold in the end, by sensor.
  @discardableResult
  func run(_ happens: @escaping @Sendable (isolated Recorder) -> Void) async throws -> [Capture] {
    let recorder = recorder
    try await Task(executorPreference: loop) {
      try await recorder.run {
        recorder.assumeIsolated { happens($0) }
        recorder.requestStop()
      }
    }.value
    return try captures()
  }

  /// As ``run(_:)``, where what happens takes its time.
  @discardableResult
  func run(awaiting happens: @escaping @Sendable (Recorder) async -> Void) async throws -> [Capture] {
    let recorder = recorder
    let loop = loop
    try await Task(executorPreference: loop) {
      try await recorder.run {
        Task(executorPreference: loop) {
          await happens(recorder)
          recorder.requestStop()
        }
      }
    }.value
    return try captures()
  }

  /// Writes what a killed recorder left.
  func writeJournal(_ write: (Journal) throws -> Void) throws {
    let (journal, _) = try Journal.open(directory: store + ".journal")
    try write(journal)
  }

  /// Writes the text of the journal's first segment, as another program left it.
  func writeSegment(_ text: String) throws {
    try FileManager.default.createDirectory(atPath: store + ".journal", withIntermediateDirectories: true)
    try text.write(toFile: store + ".journal/00000001.journal", atomically: true, encoding: .utf8)
  }

  /// The text of one of the files of the journal.
  func segment(_ name: String) throws -> String {
    try String(contentsOfFile: store + ".journal/\(name)", encoding: .utf8)
  }

  /// Changes the store as another program would.
  func changeStore(_ change: @Sendable (isolated HealthStore) throws(StoreError) -> Void) async throws {
    let file = try HealthStore.open(store, for: .writing)
    try await change(file)
    await file.close()
  }

  /// The store, to be asked.
  func openToRead() throws -> HealthStore { try HealthStore.open(store, for: .reading) }

  /// What the store has of a type.
  func samples(of type: QuantityType) async throws -> [HealthSample] {
    try await SampleQuery(.type(.quantity(type))).result(for: openToRead()).value
  }

  /// The workouts of the store.
  func workouts() async throws -> [Workout] {
    try await WorkoutQuery().result(for: try HealthStore.open(store, for: .reading)).value
  }

  /// The store's first workout as a sample.
  func workoutSample() async throws -> HealthSample? {
    try await SampleQuery(.type(.workout)).result(for: try HealthStore.open(store, for: .reading)).value.first
  }

  /// Has the journal refuse everything, where each of its records begins a segment: the next one's name is taken.
  func block() {
    let numbers = ((try? segments()) ?? []).compactMap { Int($0.prefix { $0 != "." }) }
    let name = String(format: "%08d.journal", (numbers.max() ?? 0) + 1)
    try? FileManager.default.createDirectory(atPath: "\(store).journal/\(name)", withIntermediateDirectories: false)
    blocked.withLock { $0 = name }
  }

  /// The journal takes records again.
  func unblock() {
    blocked.withLock { try? FileManager.default.removeItem(atPath: "\(store).journal/\($0)") }
  }

  /// The files of the journal.
  func segments() throws -> [String] { try FileManager.default.contentsOfDirectory(atPath: store + ".journal") }

  /// What the store has of a session's metadata.
  func metadata(of session: UUID) async throws -> Metadata {
    let file = try HealthStore.open(store, for: .reading)
    return try await file.session(session.uuidString).metadata
  }

  private func captures() throws -> [Capture] {
    let archive = CaptureArchive(directory: store + ".captures", maximumAgeSeconds: nil, maximumBytes: nil)
    return try archive.files().flatMap { try CaptureFile.read(path: $0.path).captures }
      .sorted { "\($0.sensor.address!)" < "\($1.sensor.address!)" }
  }

  private final class SetClock: Sendable {
    private let instant = Mutex(Invented.at(100))
    private let microseconds = Mutex<Int64>(0)

    var step: Int64 { microseconds.withLock { $0 } }

    func setStep(_ step: Int64) {
      microseconds.withLock { $0 = step }
    }

    var now: BootInstant { instant.withLock { $0 } }

    func set(_ instant: BootInstant) {
      self.instant.withLock { $0 = instant }
    }
  }
}

extension Recorder {
  /// Ends one session that was asked for.
  @discardableResult
  func endSession(
    _ request: UUID, _ reason: SessionEndReason
  ) async throws(SessionRequestFailure) -> EndedSession {
    try await endSessions([request], reason)[0].result.get()
  }
}
