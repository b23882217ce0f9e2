import HealthModel
import Testing
import Timeline

@Suite("LiveBeat")
struct LiveBeatTests {
  private func beats(of script: Script) -> [LiveBeat] {
    var machine = SessionMachine()
    return script.events.flatMap { event -> [LiveBeat] in
      _ = machine.handle(event)
      for beat in machine.beats { #expect(beat.instant <= event.instant) }
      return machine.beats
    }
  }

  @Test("beats increase strictly, keep their intervals, and are not later than their arrival")
  func beatsIncrease() {
    var script = Script()
    let intervals = restingIntervals(300, seed: 2)
    script.beat(intervals, from: 10, latency: 2)
    let beats = beats(of: script)
    #expect(beats.map(\.rrTicks) == intervals)
    for (earlier, later) in zip(beats, beats.dropFirst()) { #expect(earlier.instant < later.instant) }
    #expect(beats.map(\.indexInRun) == Array(0..<300))
    #expect(beats.filter { $0.flags != [] }.map(\.indexInRun) == [0])
  }

  @Test("the fourth interval of 512 ticks in a row is the first that live beats call a filler")
  func fillersAreSeenLate() {
    var script = Script()
    let end = script.beat(restingIntervals(20, seed: 3), from: 10)
    let after = script.beat(Array(repeating: 512, count: 6), from: end, rate: 120)
    script.beat(restingIntervals(5, seed: 4), from: after)
    let beats = beats(of: script)
    #expect(beats.filter { $0.flags.contains(.filler) }.count == 3)
    #expect(beats.filter(\.precededByGap).count == 3)
  }

  @Test("a long interval is missed live too, and the run goes on")
  func longIntervalIsMissed() {
    var script = Script()
    let end = script.beat(restingIntervals(20, seed: 5), from: 10)
    script.beat([4000, 900, 900], from: end)
    let beats = beats(of: script)
    #expect(beats[20].flags == .missed)
    #expect(beats[20].precededByGap)
    #expect(beats[20].run == 0)
    #expect(beats[21].flags == [])
  }

  @Test(
    "an early beat is ectopic live, the one after its pause is not, and after a lasting rise of the rate soon no beat is"
  )
  func earlyBeatIsEctopic() {
    var script = Script()
    let end = script.beat(restingIntervals(20, seed: 7), from: 10)
    let later = script.beat([560, 1240, 900, 905], from: end)
    script.beat(Array(repeating: 600, count: 20), from: later, rate: 102)
    let beats = beats(of: script)
    #expect(beats[20].flags == .ectopic)
    #expect(beats[21..<24].allSatisfy { $0.flags == [] })
    #expect(beats[36...].allSatisfy { $0.flags == [] })
  }

  @Test("after a reboot beats have instants of the new boot")
  func newBoot() throws {
    var machine = SessionMachine()
    var script = Script()
    script.beat([900, 900], from: 100_000)
    script.add(.boot(BootIdentifier(high: 2, low: 2)), at: 5)
    script.add(.clock(wallMinusBootMicroseconds: Script.offset + 100_000_000_000), at: 5)
    script.add(.connected, at: 6)
    script.notify([900], at: 7)
    for event in script.events { _ = machine.handle(event) }
    #expect(machine.isRecording)
    #expect(try #require(machine.beats.first).instant == .seconds(7))
  }

  @Test("the memory of a session machine does not grow with its session")
  func memoryIsConstant() {
    var machine = SessionMachine()
    var script = Script()
    script.beat(restingIntervals(5000, seed: 6), from: 10)
    for event in script.events { _ = machine.handle(event) }
    #expect(machine.beats.count == 1)
    #expect(machine.beats.capacity <= 16)
    #expect(machine.counts.beats == 5000)
  }
}
