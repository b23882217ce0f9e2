import DBus
import HealthModel
import Synchronization
import Timeline

@testable import Ingestion

/// The clocks of a recorder whose time the test sets. They are ahead of the machine's, so that no timer fires by itself.
final class SimulatedClock: Sendable {
  private static let start = BootClock.now() + 30 * 86_400_000_000
  private static let wallMinusBoot = 1_790_000_000_000_000 - start
  private let passed = Mutex<Int64>(0)

  var host: HostClock {
    HostClock(
      now: { self.now }, wallMicroseconds: { self.now.microseconds + Self.wallMinusBoot },
      boot: BootIdentifier(high: 1, low: 2))
  }

  var now: BootInstant { BootInstant(microseconds: Self.start + passed.withLock { $0 }) }

  /// What the wall clock shows.
  var time: Timestamp { Timestamp(microseconds: now.microseconds + Self.wallMinusBoot) }

  func advance(_ seconds: Double) {
    passed.withLock { $0 += Int64(seconds * 1_000_000) }
  }
}

extension DoorStage {
  /// The strap sends these rates, one in the middle of each second that passes.
  func pass(_ rates: [UInt8], _ clock: SimulatedClock) async {
    await pass(rates.map { [0x06, $0] }, clock)
  }

  /// The strap sends these values, one in the middle of each second that passes.
  ///
  /// Time passes on the loop's thread: a clock that went ahead beside it would move between two reads of the recorder,
  /// which would be a step of the wall clock to it.
  func pass(_ values: [[UInt8]], _ clock: SimulatedClock) async {
    for value in values {
      happen { recorder in
        clock.advance(0.5)
        recorder.record(.measurement(value), of: Self.strap, at: clock.now)
        recorder.publishStatus()
        clock.advance(0.5)
      }
    }
    await withCheckedContinuation { isOver in happen { _ in isOver.resume() } }
  }
}
