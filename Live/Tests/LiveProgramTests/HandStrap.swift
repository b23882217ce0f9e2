import Foundation
import Synchronization
import TestSupport

/// A simulated strap whose heart a test holds in its hand: a value every 900 ms, and what befalls it when the test says so.
final class HandStrap: Sendable {
  /// Seconds from beat to beat.
  static let interval = 0.9

  private struct Heart {
    var beats = true
    var isOnSkin = true
    var isOver = false
  }

  private let simulator: Running
  private let control: String
  private let heart = Mutex(Heart())

  /// Where `simulator` hears `control`.
  init(_ simulator: Running, control: String) {
    self.simulator = simulator
    self.control = control
    // Not on the pool, whose threads wait for programs.
    Thread.detachNewThread { [weak self] in
      for number in 0... {
        Thread.sleep(forTimeInterval: Self.interval)
        guard let self, self.beat(number) else { return }
      }
    }
  }

  deinit { heart.withLock { $0.isOver = true } }

  /// Whether its heart goes on.
  private func beat(_ number: Int) -> Bool {
    let now = heart.withLock { $0 }
    if now.beats, !now.isOver {
      try? befalls(#"{"bpm": \#(60 + number % 20), "rr_ms": [900], "contact": \#(now.isOnSkin)}"#)
    }
    return !now.isOver
  }

  /// It sends values, or none though it is linked.
  func beats(_ does: Bool) { heart.withLock { $0.beats = does } }

  /// It is on the skin, and says so, or that it is not.
  func isOnSkin(_ does: Bool) { heart.withLock { $0.isOnSkin = does } }

  /// An item of a scenario, now.
  func befalls(_ item: String) throws {
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    defer { close(descriptor) }
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: Array(control.utf8)) }
    let isConnected = unsafe withUnsafeBytes(of: address) { bytes in
      unsafe connect(descriptor, bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t(bytes.count)) == 0
    }
    let line = Array((item + "\n").utf8)
    var answer = [UInt8](repeating: 0, count: 256)
    guard isConnected, unsafe send(descriptor, line, line.count, Int32(MSG_NOSIGNAL)) == line.count,
      unsafe recv(descriptor, &answer, answer.count, 0) >= 2, answer.starts(with: Array("ok".utf8))
    else { throw ProgramStage.Failure(description: "the simulator does not do \(item): \(simulator.text)") }
  }
}
