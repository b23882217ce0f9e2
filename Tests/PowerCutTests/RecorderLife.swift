import Foundation

/// One life of the recorder in the model test: what happens in it, and how it ends.
struct RecorderLife {
  enum End: CaseIterable {
    /// SIGKILL between two steps, or within one call of the kernel.
    case killed
    /// As killed, and then the power is cut.
    case powerCut
    case stopped
  }

  /// The straps: the rate of a value tells which.
  static let straps = ["C0:FF:EE:00:00:01", "C0:FF:EE:00:00:02"]

  var steps: [String] = []
  /// The payloads that are sent, each with the number of its step.
  var sent: [(step: Int, payload: String, strap: Int)] = []
  /// What another program inserts into series, each with the number of its step.
  var inserted: [(step: Int, value: String)] = []
  /// The open series by their numbers, and whether one is of heartbeats.
  private var series: [(number: Int, isOfHeartbeats: Bool)] = []
  /// What is asked of workouts, each with the number of its step.
  var asked: [(step: Int, call: String)] = []
  /// What befalls its calls, as the preloaded library takes it.
  var faults: String?
  var end: End
  var hasFullDisk = false

  /// The number of the workout of each strap that goes on, also from life to life.
  private(set) var workouts: [Int: Int]

  /// Draws a life; `serial` numbers the values, `workouts` are those that go on from the life before.
  init(
    serial: inout Int, isLast: Bool, workouts: [Int: Int] = [:], using random: inout some RandomNumberGenerator
  ) {
    self.workouts = workouts
    end = isLast ? .stopped : End.allCases.randomElement(using: &random) ?? .killed
    let calls = ["write", "open", "fsync", "rename", "unlink", "truncate"]
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      hasFullDisk = true
      faults = "write:ENOSPC:1:1000000;open:ENOSPC:1:1000000"
    case 1 where end != .stopped:
      let number = Int.random(in: 1...40, using: &random)
      faults =
        "\(calls[Int.random(in: 0..<calls.count, using: &random)]):\(Bool.random(using: &random) ? "KILL" : "KILLED"):"
        + "\(number):\(number)"
    default: break
    }
    for _ in 0..<Int.random(in: 3...40, using: &random) { step(serial: &serial, using: &random) }
    if hasFullDisk, end == .stopped {
      steps.append("fill 0")
      // What is owed is told, and what could not be committed is tried again a minute later.
      for strap in Self.straps.indices { value(strap, serial: &serial) }
      steps.append("pass 61000000")
    }
    // What is still running is ended, so that all is stored in the end.
    if isLast { steps.append("end 0") }
    if end == .stopped { steps += ["settle", "stop"] } else { steps.append("die") }
  }

  private mutating func step(serial: inout Int, using random: inout some RandomNumberGenerator) {
    let strap = Int.random(in: 0..<Self.straps.count, using: &random)
    switch Int.random(in: 0..<42, using: &random) {
    case 32...33 where workouts[strap] == nil:
      serial += 1
      workouts[strap] = serial
      // A value before it, so that its session is split off an open one.
      value(strap, serial: &serial)
      steps.append("workout \(workouts[strap] ?? 0) \(Self.straps[strap])")
    case 34...40:
      guard let number = workouts[strap] else { return }
      serial += 1
      let call = ["pause", "resume", "event", "event", "activity"].randomElement(using: &random) ?? "event"
      if call == "event" || call == "activity" { asked.append((steps.count, "\(call) \(serial)")) }
      steps.append("call \(number) \(call) \(serial)")
    case 41:
      guard let number = workouts.removeValue(forKey: strap) else { return }
      steps.append(Bool.random(using: &random) ? "end \(number)" : "recover \(number)")
    case 0: steps.append("connected \(Self.straps[strap])")
    case 1: steps.append("disconnected \(Self.straps[strap])")
    case 2: steps.append("clock \(Int.random(in: -90_000_000_000...90_000_000_000, using: &random))")
    case 3: steps.append("value \(Self.straps[strap])" + (Bool.random(using: &random) ? "" : " 19"))
    case 4: steps.append("pass \([400_000_000, 5_000_000, 86_400_000_000].randomElement(using: &random) ?? 0)")
    case 5: steps.append("settle")
    case 6, 7: steps.append("sync")
    case 24:
      serial += 1
      series.append((serial, Bool.random(using: &random)))
      steps.append(series[series.count - 1].isOfHeartbeats ? "heartbeats \(serial)" : "series \(serial)")
    case 25...30 where !series.isEmpty:
      insert(into: series[Int.random(in: series.indices, using: &random)], serial: &serial, using: &random)
    case 31 where !series.isEmpty:
      steps.append("finish \(series.remove(at: Int.random(in: series.indices, using: &random)).number)")
    case 8 where hasFullDisk: steps.append("fill 1")
    case 9 where hasFullDisk: steps.append("fill 0")
    default:
      steps.append("pass \(Int.random(in: 100_000...2_000_000, using: &random))")
      value(strap, serial: &serial)
    }
  }

  /// A few values or beats, of which each is its own number.
  private mutating func insert(
    into series: (number: Int, isOfHeartbeats: Bool), serial: inout Int, using random: inout some RandomNumberGenerator
  ) {
    let numbers = (0..<Int.random(in: 1...4, using: &random)).map { serial + 1 + $0 }
    serial += numbers.count
    inserted += numbers.map { (steps.count, series.isOfHeartbeats ? "beat \($0)" : "value \(Double($0))") }
    let words = numbers.map(String.init).joined(separator: " ")
    steps.append("\(series.isOfHeartbeats ? "add" : "insert") \(series.number) \(words)")
  }

  /// One measurement whose energy is its number: rate, energy, one interval of a second.
  private mutating func value(_ strap: Int, serial: inout Int) {
    serial += 1
    let bytes: [UInt8] = [0x18, UInt8(60 + strap), UInt8(serial & 0xFF), UInt8(serial >> 8), 0x00, 0x04]
    let digits = bytes.map { String(format: "%02x", $0) }
    sent.append((steps.count, digits.joined(), strap))
    steps.append("value \(Self.straps[strap]) \(digits.joined(separator: " "))")
  }
}
