import Captures
import Foundation
import HealthModel
import SeriesStore
import TestSupport

/// One sequence of the model test: the recorder lives several times, and a plain model says what has to be stored.
struct RecorderModel {
  /// A promise that was broken.
  struct Broken: Error, CustomStringConvertible {
    let description: String
  }

  /// What befell a sequence, for the figures.
  struct Figures {
    var lives = 0
    var kills = 0
    var cuts = 0
    var fullDisks = 0
    var sent = 0
    var recovered = 0
    var sessions = 0
    var inserted = 0
    var recoveredOfSeries = 0
    var asked = 0
    var recoveredOfWorkouts = 0

    static func += (sum: inout Figures, one: Figures) {
      sum.lives += one.lives
      sum.kills += one.kills
      sum.cuts += one.cuts
      sum.fullDisks += one.fullDisks
      sum.sent += one.sent
      sum.recovered += one.recovered
      sum.sessions += one.sessions
      sum.inserted += one.inserted
      sum.recoveredOfSeries += one.recoveredOfSeries
      sum.asked += one.asked
      sum.recoveredOfWorkouts += one.recoveredOfWorkouts
    }
  }

  private let recorder: DrivenRecorder
  private let syncsAreOff: Bool
  private var random: SeededGenerator

  private var model = DiskModel()
  private var promised = Acknowledgements()
  private var sent: [String: Int] = [:]
  private var inserted: Set<String> = []
  private var asked: Set<String> = []
  private var workouts: [Int: Int] = [:]
  private var serial = 0
  private var boot = 1
  private var now: Int64 = 4_000_000_000_000_000
  private(set) var figures = Figures()
  private var trouble = ""

  private init(seed: UInt64, syncsAreOff: Bool) throws {
    recorder = try DrivenRecorder()
    self.syncsAreOff = syncsAreOff
    random = SeededGenerator(seed: seed)
  }

  /// Plays the sequence that `seed` stands for.
  ///
  /// - Throws: ``Broken`` where something that was acknowledged is missing, or something is there that was never sent.
  static func play(seed: UInt64, syncsAreOff: Bool = false) async throws -> Figures {
    var model = try RecorderModel(seed: seed, syncsAreOff: syncsAreOff)
    try await model.prepare()
    let lives = Int.random(in: 2...5, using: &model.random)
    for number in 1...lives { try model.live(isLast: number == lives) }
    try await model.check()
    return model.figures
  }

  private mutating func prepare() async throws {
    try await recorder.allow(RecorderLife.straps)
    let image = try DiskImage(of: recorder.root)
    model = DiskModel(holding: image.state, inodes: image.inodes)
  }

  private mutating func live(isLast: Bool) throws {
    let life = RecorderLife(serial: &serial, isLast: isLast, workouts: workouts, using: &random)
    workouts = life.workouts
    let (status, done, errors) = try recorder.live(
      life.steps, boot: boot, now: now, faults: life.faults, isSwitched: life.hasFullDisk, syncsAreOff: syncsAreOff)
    figures.lives += 1
    figures.fullDisks += life.hasFullDisk ? 1 : 0
    if isLast, status != 0 { throw Broken(description: "the last life ended with \(status): \(errors)") }
    if errors.contains("Fatal error") { throw Broken(description: errors) }
    trouble += "\n-- life \(figures.lives), \(life.end), \(life.faults ?? "no fault")\n\(errors)"
    for value in life.sent where value.step < done { sent[value.payload] = value.strap }
    for value in life.inserted where value.step < done { inserted.insert(value.value) }
    for call in life.asked where call.step < done { asked.insert(call.call) }
    for operation in try recorder.takeOperations() {
      model.take(operation)
      promised.take(operation)
    }
    now += 60_000_000_000
    switch life.end {
    case .killed: figures.kills += 1
    case .stopped: break
    case .powerCut: try cutPower()
    }
  }

  private mutating func cutPower() throws {
    figures.cuts += 1
    try DiskImage.write(model.cut(using: &random), to: recorder.root)
    promised.cutPower()
    let image = try DiskImage(of: recorder.root)
    model = DiskModel(holding: image.state, inodes: image.inodes)
    boot += 1
    now = 3_000_000_000_000_000 + Int64(boot) * 1_000_000
  }

  /// Acknowledged ⊆ recovered ⊆ sent, each once, each in its own strap's sessions, in order.
  private mutating func check() async throws {
    let opened = try HealthStore.open(recorder.store, for: .reading)
    let damages = try await opened.check()
    try require(damages.isEmpty, "the store is damaged: \(damages)")
    var recovered: Set<String> = []
    for session in try await opened.sessions() {
      figures.sessions += 1
      let rates = try await opened.rates(of: session.id)
      let payloads = rates.map { rate in
        let energy = Int(rate.energyKilojoules ?? 0)
        let bytes = [0x18, Int(rate.beatsPerMinute), energy & 0xFF, energy >> 8, 0, 4]
        return bytes.map { String(format: "%02x", $0) }.joined()
      }
      let energies = rates.map { $0.energyKilojoules ?? 0 }
      try require(zip(energies, energies.dropFirst()).allSatisfy(<), "a session is out of order: \(energies)")
      let beats = try await opened.beats(of: session.id).beats.count
      try require(beats == rates.count, "\(beats) beats with \(rates.count) rates")
      for payload in payloads {
        let address = sent[payload].map { RecorderLife.straps[$0] }
        try require(address != nil, "\(payload) was never sent")
        try require(address == session.device.localIdentifier, "\(payload) stands with another strap")
        try require(recovered.insert(payload).inserted, "\(payload) is there twice")
      }
    }
    figures.sent += sent.count
    figures.recovered += recovered.count
    // Junk is kept in captures, not in the store.
    let missing = promised.kept.intersection(sent.keys).subtracting(recovered)
    try require(missing.isEmpty, "acknowledged and lost: \(missing.sorted())")
    try await checkSeries(in: opened)
    try await checkWorkouts(in: opened)
  }

  /// The same of series of another program.
  private mutating func checkSeries(in store: HealthStore) async throws {
    let client = SamplePredicate.source("org.example.Model@1000")
    let start = Timestamp(microseconds: DrivenRecorder.wall)
    var recovered: [String] = []
    for value in try await QuantityQuery(.stepCount, predicate: client).result(for: store).value {
      recovered.append("value \(value.value)")
    }
    let ofHeartbeats = SamplePredicate.and([client, .type(.heartbeatSeries)])
    for sample in try await SampleQuery(ofHeartbeats).result(for: store).value {
      let series = try await HeartbeatQuery(sample.id).result(for: store).value
      for beat in series.locatedBeats { recovered.append("beat \(beat.time.microseconds(since: start) / 1_000)") }
    }
    figures.inserted += inserted.count
    figures.recoveredOfSeries += recovered.count
    let known = Set(recovered)
    try require(known.count == recovered.count, "values of series are there twice: \(recovered.sorted())")
    try require(known.isSubset(of: inserted), "never inserted: \(known.subtracting(inserted).sorted())")
    let missing = promised.kept.intersection(inserted).subtracting(known)
    try require(missing.isEmpty, "acknowledged of series and lost: \(missing.sorted())")
  }

  /// The same of live workouts: every activity and event is in a workout, once, in the order of the calls.
  private mutating func checkWorkouts(in store: HealthStore) async throws {
    var recovered: [String] = []
    for workout in try await WorkoutQuery().result(for: store).value {
      func number(_ metadata: Metadata) -> Int64? {
        if case .integer(let number)? = metadata["n"] { number } else { nil }
      }
      let activities = workout.activities.compactMap { number($0.metadata) }
      let events = (workout.events + workout.activities.flatMap(\.events)).compactMap { number($0.metadata) }
      recovered += activities.map { "activity \($0)" } + events.map { "event \($0)" }
    }
    figures.asked += asked.count
    figures.recoveredOfWorkouts += recovered.count
    let known = Set(recovered)
    try require(known.count == recovered.count, "parts of workouts are there twice: \(recovered.sorted())")
    try require(known.isSubset(of: asked), "never asked for: \(known.subtracting(asked).sorted())")
    let missing = promised.kept.intersection(asked).subtracting(known)
    try require(missing.isEmpty, "acknowledged of workouts and lost: \(missing.sorted())")
  }

  private func require(_ condition: Bool, _ what: @autoclosure () -> String) throws {
    guard condition else { throw Broken(description: what() + trouble) }
  }
}
