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
  /// What befalls its calls, as the preloaded library takes it.
  var faults: String?
  var end: End
  var hasFullDisk = false

  /// Draws a life; `serial` numbers the values.
  init(serial: inout Int, isLast: Bool, using random: inout some RandomNumberGenerator) {
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
    if end == .stopped { steps += ["settle", "stop"] } else { steps.append("die") }
  }

  private mutating func step(serial: inout Int, using random: inout some RandomNumberGenerator) {
    let strap = Int.random(in: 0..<Self.straps.count, using: &random)
    switch Int.random(in: 0..<24, using: &random) {
    case 0: steps.append("connected \(Self.straps[strap])")
    case 1: steps.append("disconnected \(Self.straps[strap])")
    case 2: steps.append("clock \(Int.random(in: -90_000_000_000...90_000_000_000, using: &random))")
    case 3: steps.append("value \(Self.straps[strap])" + (Bool.random(using: &random) ? "" : " 19"))
    case 4: steps.append("pass \([400_000_000, 5_000_000, 86_400_000_000].randomElement(using: &random) ?? 0)")
    case 5: steps.append("settle")
    case 6, 7: steps.append("sync")
    case 8 where hasFullDisk: steps.append("fill 1")
    case 9 where hasFullDisk: steps.append("fill 0")
    default:
      steps.append("pass \(Int.random(in: 100_000...2_000_000, using: &random))")
      value(strap, serial: &serial)
    }
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
