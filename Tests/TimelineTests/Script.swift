import Foundation
import GATTHeartRate
import TestSupport
import Timeline

/// Events of one sensor, written down one after the other, times in seconds of the boot clock.
struct Script {
  var events: [SensorEvent] = []

  static let boot = BootIdentifier(high: 1, low: 1)
  /// 2023-11-14T22:13:20Z at boot.
  static let offset: Int64 = 1_700_000_000_000_000

  init() {
    add(.boot(Self.boot), at: 0)
    add(.clock(wallMinusBootMicroseconds: Self.offset), at: 0)
    add(.connected, at: 0)
  }

  mutating func add(_ kind: SensorEvent.Kind, at seconds: Double) {
    events.append(SensorEvent(kind, at: .seconds(seconds)))
  }

  /// One notification.
  mutating func notify(
    _ rrTicks: [UInt16] = [], at seconds: Double, rate: UInt16 = 70,
    contact: HeartRateMeasurement.Contact = .notSupported, energy: UInt16? = nil
  ) {
    let value = HeartRateMeasurement(
      beatsPerMinute: rate, contact: contact, energyKilojoules: energy, rrTicks: rrTicks)
    add(.measurement(value.encoded()), at: seconds)
  }

  /// Beats with the given intervals, each delivered `latency` seconds after it happened in a notification of its own.
  ///
  /// Returns when the last of them happened.
  @discardableResult
  mutating func beat(_ rrTicks: [UInt16], from start: Double, latency: Double = 0.1, rate: UInt16 = 70) -> Double {
    var time = start
    for interval in rrTicks {
      time += Double(interval) / 1024
      notify([interval], at: time + latency, rate: rate)
    }
    return time
  }

  /// The same, but with a notification a second of whatever has been released since, as real sensors send: a beat is
  /// released `depth` beats later.
  @discardableResult
  mutating func beatBySecond(
    _ rrTicks: [UInt16], from start: Double, depth: Int = 0, using generator: inout SeededGenerator
  ) -> Double {
    var times: [Double] = []
    for interval in rrTicks { times.append((times.last ?? start) + Double(interval) / 1024) }
    var sent = start + Double.random(in: 0...1, using: &generator)
    var next = 0
    while next + depth < times.count {
      sent += 1
      let first = next
      while next + depth < times.count && times[next + depth] <= sent { next += 1 }
      if next > first { notify(Array(rrTicks[first..<next]), at: sent + .random(in: 0...0.1, using: &generator)) }
    }
    return times.last ?? start
  }
}

extension BootInstant {
  static func seconds(_ seconds: Double) -> BootInstant {
    BootInstant(microseconds: Int64((seconds * 1e6).rounded()))
  }
}

/// Intervals around `mean` ticks with a slow and a breathing variation, as a resting heart has them.
func restingIntervals(_ count: Int, mean: Double = 900, seed: UInt64) -> [UInt16] {
  var generator = SeededGenerator(seed: seed)
  var slow = 0.0
  return (0..<count).map { index in
    slow = 0.99 * slow + Double.random(in: -3...3, using: &generator)
    let breathing = 30 * sin(Double(index) * 0.9)
    return UInt16((mean + slow + breathing + Double.random(in: -8...8, using: &generator)).rounded())
  }
}
