import Foundation
import GATTHeartRate
import HealthModel
import TestSupport
import Testing
import Timeline

@Suite("The recovery of simulated ends of exercise")
struct RecoveryTrialTests {
  /// What goes wrong, if anything.
  private enum Fault: CaseIterable {
    case none, missedBeats, extraBeats, ectopicBeats, lostLink, strapOff, strapOffSilently, rateOnly
  }

  /// A run of 200 s, and 75 s after it, seen by a strap.
  private struct Run {
    var script = Script()
    /// The heart's own fall.
    var truth = 0.0

    static let end = 200.0

    init(_ fault: Fault, using random: inout SeededGenerator) {
      let top = Double.random(in: 120...190, using: &random)
      let floor = top - Double.random(in: 5...60, using: &random)
      let constant = Double.random(in: 20...80, using: &random)
      func rate(_ time: Double) -> Double {
        time < Self.end ? top : floor + (top - floor) * exp(-(time - Self.end) / constant)
      }
      func mean(_ from: Double) -> Double { (0..<500).map { rate(from + Double($0) / 100 + 0.005) }.reduce(0, +) / 500 }
      truth = mean(Self.end - 5) - mean(Self.end + 57.5)

      var beats: [Double] = [0.5]
      while beats[beats.count - 1] < Self.end + 75 {
        let time = beats[beats.count - 1]
        beats.append(time + 60 / rate(time) * (1 + Double.random(in: -0.005...0.005, using: &random)))
      }
      // Near one of the two moments, so that it matters in many runs.
      let moment = [Self.end - 3, Self.end + 60].randomElement(using: &random)!
      let place = moment + Double.random(in: -8...8, using: &random)
      let near = beats.indices.min { abs(beats[$0] - place) < abs(beats[$1] - place) }!
      switch fault {
      case .missedBeats: beats.removeSubrange(near...near + Int.random(in: 0...2, using: &random))
      case .extraBeats: beats.insert(beats[near] + 0.4 * (beats[near + 1] - beats[near]), at: near + 1)
      case .ectopicBeats: beats[near] -= 0.3 * (beats[near] - beats[near - 1])
      default: break
      }
      let length = Double.random(in: 4...40, using: &random)
      let away = [.lostLink, .strapOff, .strapOffSilently].contains(fault) ? place..<place + length : -1 ..< -1
      send(beats, away: away, fault, rate: rate)
    }

    private mutating func send(_ beats: [Double], away: Range<Double>, _ fault: Fault, rate: (Double) -> Double) {
      var next = 1
      // What says nothing of its contact measures from the last beat that it saw.
      var lastSeen = 0
      var isAway = false
      for second in 1...275 {
        let now = Double(second)
        var ticks: [UInt16] = []
        while next < beats.count, beats[next] <= now {
          let isSeen = !away.contains(beats[next]) || fault == .lostLink
          let previous = fault == .strapOffSilently ? lastSeen : next - 1
          let interval = (beats[next] * 1024).rounded() - (beats[previous] * 1024).rounded()
          if isSeen, fault != .rateOnly { ticks.append(UInt16(interval)) }
          if isSeen { lastSeen = next }
          next += 1
        }
        let isOut = away.contains(now)
        if fault == .lostLink, isOut != isAway {
          script.add(isOut ? .disconnected(reason: "timeout") : .connected, at: now - 0.01)
        }
        isAway = isOut
        if fault == .lostLink, isOut { continue }
        let isOff = fault == .strapOff && isOut
        script.notify(
          ticks, at: now + 0.1, rate: UInt16(rate(now).rounded()),
          contact: fault == .strapOffSilently ? .notSupported : isOff ? .notDetected : .detected)
      }
    }
  }

  @Test("of 200 each figure is within one beat a minute of the truth, or refused with its reason")
  func ends() {
    var (given, refused) = (0, [String: Int]())
    for seed in 1...UInt64(200 * Trials.factor) {
      var random = SeededGenerator(seed: seed)
      let fault = Fault.allCases[Int(seed) % Fault.allCases.count]
      let run = Run(fault, using: &random)
      let timeline = SessionTimeline(run.script.events)
      let end = Timestamp(microseconds: Script.offset + Int64(Run.end * 1_000_000))
      do throws(RecoveryRefusal) {
        let recovery = try HeartRateRecovery(
          after: end, heartbeats: timeline.heartbeats, rates: timeline.rates, gaps: timeline.gaps)
        #expect(abs(recovery.fall - run.truth) <= 1, "seed \(seed), \(fault): \(recovery.fall), not \(run.truth)")
        #expect(fault != .rateOnly)
        given += 1
      } catch {
        #expect(fault != .none, "seed \(seed): \(error)")
        if fault == .rateOnly { #expect(error == .noBeats) }
        refused[error.code, default: 0] += 1
      }
    }
    // Neither may be always so, and each reason is there.
    #expect(given >= 40)
    for code in ["gap", "flagged", "offSkin", "noBeats"] { #expect(refused[code] ?? 0 > 0, "\(code), \(refused)") }
  }
}
