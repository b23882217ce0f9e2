import HealthModel
import TestSupport
import Timeline

/// A simulated strap with known beats: what was sent, when it arrived, and when the heart beat.
///
/// It notifies once a second with everything released since, 20 to 80 ms on its way. Times in seconds of the boot clock.
struct KnownStrap {
  struct Packet {
    var arrival: Double
    var beats: Range<Int>
    var rate: UInt16 = 70
  }

  let rrTicks: [UInt16]
  /// When each beat happened.
  private(set) var truth: [Double] = []
  var packets: [Packet] = []

  /// The least latency of a notification.
  static let leastLatency = 0.02
  /// The latency at which a long session's beats are placed: the least of many.
  static let foundLatency = 0.025

  /// A beat is released `depth` beats later, and the strap's clock is slow by `slow` parts per million. Each of the
  /// numbered notifications `early` has a beat or two that are due 0.3 to 1.3 s later: it is the first from there on for
  /// which this is possible. What would be sent while it is `whileSilent` never arrives. With a `slot` the strap also
  /// notifies each second without a beat, and what it sends waits for the next slot of the link, one in twenty for the one
  /// after.
  init(
    _ rrTicks: [UInt16], depth: Int = 0, from start: Double = 1, slow: Double = 0, early: Set<Int> = [],
    whileSilent lost: [Range<Double>] = [], slot: Double? = nil, seed: UInt64
  ) {
    var generator = SeededGenerator(seed: seed)
    var time = start
    var times: [Double] = []
    for interval in rrTicks {
      time += Double(interval) / 1024 * (1 + slow / 1e6)
      times.append(time)
    }
    var arrived: [UInt16] = []
    var sent = start + Double.random(in: 0...1, using: &generator)
    var next = 0
    var number = 0
    var isEarlyDue = false
    while next + depth < times.count {
      sent += 1 + slow / 1e6
      number += 1
      var latency = Self.leastLatency + Double.random(in: 0...0.06, using: &generator)
      if let slot {
        let later = Int.random(in: 0..<20, using: &generator) == 0 ? slot : 0
        latency = (sent / slot).rounded(.up) * slot - sent + later + Double.random(in: 0...0.015, using: &generator)
      }
      isEarlyDue = isEarlyDue || early.contains(number)
      let first = next
      while next + depth < times.count, times[next + depth] <= sent { next += 1 }
      if isEarlyDue {
        for more in [2, 1] where next + more + depth <= times.count {
          guard 0.3...1.3 ~= times[next + more - 1 + depth] - sent - latency else { continue }
          next += more
          isEarlyDue = false
          break
        }
      }
      guard next > first || slot != nil, !lost.contains(where: { $0.contains(sent) }) else { continue }
      let place = arrived.count
      arrived += rrTicks[first..<next]
      truth += times[first..<next]
      packets.append(Packet(arrival: sent + latency, beats: place..<arrived.count))
    }
    self.rrTicks = arrived
  }

  /// What arrives in this time waits and comes together, a millisecond after one another.
  mutating func hold(_ times: Range<Double>) {
    var waiting = 0.0
    for index in packets.indices where times.contains(packets[index].arrival) {
      packets[index].arrival = times.upperBound + waiting
      waiting += 0.001
    }
  }

  /// What the strap says.
  func payload(_ packet: Packet) -> [UInt16] { Array(rrTicks[packet.beats]) }

  func script(model: String? = nil) -> Script {
    var script = Script()
    if let model { script.add(.information(.modelNumber, model), at: 0) }
    for packet in packets { script.notify(payload(packet), at: packet.arrival, rate: packet.rate) }
    return script
  }
}

extension KnownStrap {
  /// How much later than it happened each beat was placed, in seconds, without surplus beats.
  func errors(in timeline: SessionTimeline) -> [Double] {
    zip(Self.times(in: timeline), truth).map { $0 - $1 }
  }

  /// Where each true beat was placed, in seconds of the boot clock.
  static func times(in timeline: SessionTimeline) -> [Double] {
    let beats = timeline.beats
    return beats.flags.indices.filter { !beats.flags[$0].contains(.surplus) }.map {
      Double(beats.wallMicroseconds[$0] - Script.offset) / 1e6
    }
  }

  /// The greatest distance of a value from the median: the error of the beats, up to one constant.
  static func spread(_ errors: [Double]) -> Double {
    let middle = errors.sorted()[errors.count / 2]
    return errors.map { abs($0 - middle) }.max() ?? 0
  }

  /// The greatest distance of a beat from the same beat of another session, up to one constant.
  static func greatestShift(_ one: [Double], _ other: [Double]) -> Double {
    one.count == other.count ? spread(zip(one, other).map { $0 - $1 }) : .infinity
  }

  /// How many beats lie within the stated uncertainty around their true times plus `latency`.
  func countInside(_ timeline: SessionTimeline, latency: Double) -> Int {
    var errors = errors(in: timeline)[...]
    let flags = timeline.beats.flags
    var inside = 0
    for run in timeline.runs {
      let bound = Double(run.map.uncertaintyMicroseconds) / 1e6
      for beat in run.beats where !flags[beat].contains(.surplus) {
        if let error = errors.popFirst(), abs(error - latency) <= bound { inside += 1 }
      }
    }
    return inside
  }

  /// The same as a share of all beats.
  func shareInside(_ timeline: SessionTimeline, latency: Double) -> Double {
    Double(countInside(timeline, latency: latency)) / Double(truth.count)
  }
}

/// Intervals of a heart that rests, walks and runs by turns, some minutes each.
func exerciseIntervals(_ count: Int, seed: UInt64) -> [UInt16] {
  let means: [Double] = [1000, 860, 620, 480, 560, 740, 920]
  let size = count / means.count + 1
  let all = means.enumerated().flatMap { restingIntervals(size, mean: $1, seed: seed &* 16 &+ UInt64($0)) }
  return Array(all.prefix(count))
}
