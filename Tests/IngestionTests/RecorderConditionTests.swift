import Captures
import Testing
import Timeline

@testable import Ingestion

@Suite("What a recorder is doing and what is wrong")
struct RecorderConditionTests {
  private var condition = RecorderCondition()

  private func state(hasSensors: Bool = true, isRecording: Bool = false) -> RecorderState {
    condition.state(hasSensors: hasSensors, isRecording: isRecording)
  }

  /// As far as an adapter that is on.
  private mutating func work() {
    condition.phase = .running
    condition.busConnected()
    _ = condition.busWorks()
    _ = condition.serviceAppeared()
    _ = condition.adapter(Invented.hci0, isPowered: true)
  }

  @Test("the state is the first step on the way to a sensor that is missing")
  mutating func states() {
    #expect(state() == .starting)
    condition.phase = .running
    #expect(state() == .starting)
    #expect(condition.busFailed(.noBus("x"))?.level == .warning)
    #expect(state() == .noBus)
    condition.busConnected()
    #expect(state() == .noBus)
    #expect(condition.busWorks() == LogLine(.notice, "the bus is there"))
    #expect(state() == .noBluetoothService)
    #expect(state(hasSensors: false) == .noSensorAllowed)
    #expect(condition.serviceAppeared() == LogLine(.info, "bluetoothd is there"))
    #expect(state() == .noAdapter)
    _ = condition.adapter(Invented.hci0, isPowered: false)
    #expect(state() == .adapterOff)
    _ = condition.adapter(Invented.hci1, isPowered: true)
    #expect(state() == .searching)
    #expect(state(isRecording: true) == .recording)
    #expect(state(hasSensors: false) == .noSensorAllowed)
    condition.phase = .stopping
    #expect(state(isRecording: true) == .stopping)
  }

  @Test("a call that bluetoothd died of is logged; what is not found or recorded any more because of it is a problem")
  mutating func fatalCalls() {
    work()
    #expect(condition.hasAdapters)
    var calls = FatalCalls()
    func line(_ call: FatalCalls.Call) -> LogLine? {
      calls.called(call, at: BootInstant(microseconds: 0))
      return calls.died(at: BootInstant(microseconds: 240_000)).flatMap { condition.blamed($0) }
    }
    #expect(
      line(.filteredDiscovery)
        == LogLine(
          .warning,
          "bluetoothd died 0.2 s after it was asked for heart-rate sensors only; until sensord is restarted all devices "
            + "are looked for, 10 s a minute; update BlueZ, then restart sensord"))
    #expect(condition.problem(in: .searching) == nil, "every sensor is still found")
    #expect(line(.discovery) != nil)
    #expect(condition.problem(in: .searching) == nil)
    let second = line(.discovery)
    #expect(second?.text.hasSuffix("; update BlueZ, then restart sensord") == true)
    #expect(condition.problem(in: .searching) == second?.text)
    #expect(line(.connect(Invented.strap)) != nil)
    #expect(line(.connect(Invented.strap)) == nil, "the sensor's own problem says it")
    #expect(condition.problem(in: .searching) == second?.text)
    _ = condition.serviceDisappeared()
    #expect(!condition.hasAdapters)
  }

  @Test("what stands in the way of bluetoothd is named, and logged where it is news")
  mutating func bus() {
    condition.phase = .running
    condition.busConnected()
    #expect(condition.busWorks() == nil)
    for (problem, expected) in [
      (BusProblem.noPermission, RecorderState.noPermission), (.silent, .noBluetoothService), (.refused("x"), .noBus),
    ] {
      #expect(condition.busFailed(problem) == LogLine(.warning, problem.text))
      #expect(condition.busFailed(problem) == nil)
      #expect(state() == expected)
      #expect(condition.problem(in: state()) == problem.text)
    }
    _ = condition.serviceAppeared()
    #expect(state() == .noAdapter)
    #expect(condition.serviceDisappeared() == LogLine(.warning, "bluetoothd is gone; waiting for it"))
    #expect(condition.problem(in: state())?.contains("systemctl start bluetooth") == true)
  }

  @Test("a bus that is lost stays the problem until there is another")
  mutating func busLost() {
    work()
    #expect(state() == .searching)
    #expect(condition.busLost().level == .warning)
    #expect(state() == .noBus)
    condition.busClosed()
    #expect(state() == .noBus)
    #expect(condition.problem(in: .noBus)?.contains("the connection ended") == true)
    #expect(condition.busFailed(.noBus("the connection ended")) == nil)
    condition.busConnected()
    #expect(condition.busWorks() != nil)
    #expect(state() == .noBluetoothService)
  }

  @Test("an adapter that is off, is switched or goes is logged, and again only when that changes")
  mutating func adapters() {
    work()
    #expect(condition.adapter(Invented.hci0, isPowered: true) == nil)
    #expect(condition.adapter(Invented.hci0, isPowered: false)?.text.hasPrefix("hci0: the adapter is off") == true)
    #expect(condition.adapter(Invented.hci0, isPowered: true) == LogLine(.notice, "hci0: the adapter is on"))
    #expect(condition.adapter(Invented.hci1, isPowered: true) == LogLine(.info, "hci1: the adapter is on"))
    #expect(
      condition.adapterRemoved(Invented.hci1) == LogLine(.warning, "hci1: the adapter is gone; waiting for it"))
    #expect(condition.adapterRemoved(Invented.hci1) == nil)
    _ = condition.adapterRemoved(Invented.hci0)
    #expect(state() == .noAdapter)
  }

  @Test("a bluetoothd that comes back tells its adapters anew")
  mutating func adaptersOfOldService() {
    work()
    _ = condition.serviceDisappeared()
    #expect(condition.adapterRemoved(Invented.hci0) == nil)
    _ = condition.serviceAppeared()
    #expect(state() == .noAdapter)
  }

  @Test("the journal's failure is logged once, and outweighs the store's and the disk's")
  mutating func journal() {
    work()
    let full = JournalError(.notWritten, errorNumber: 28, path: "/j")
    let sync = JournalError(.notSynced, path: "/j", recordsAtRisk: 3)
    #expect(condition.journalWorks() == nil)
    #expect(condition.commitFailed("s1", "full") == LogLine(.error, "session s1 stays in the journal: full"))
    #expect(condition.commitFailed("s2", "full") == nil)
    #expect(condition.problem(in: .recording) == "full")
    #expect(condition.journalSynced(sync) == LogLine(.error, "\(sync)"))
    #expect(condition.problem(in: .recording) == "\(sync)")
    #expect(condition.journalFailed(full, UnwrittenValues(values: 1), at: Invented.at(0)).map(\.level) == [.error])
    #expect(condition.journalFailed(full, UnwrittenValues(values: 2), at: Invented.at(0)).isEmpty)
    #expect(condition.problem(in: .searching) == "\(full); values stay in memory until it works again")
    #expect(condition.journalWorks() == LogLine(.notice, "the journal works again"))
    #expect(condition.problem(in: .recording) == "\(sync)")
    #expect(condition.journalSynced(nil).level == .notice)
    #expect(condition.problem(in: .recording) == "full")
    condition.committed()
    #expect(condition.problem(in: .recording) == nil)
    #expect(condition.commitFailed("s2", "full") != nil)
  }

  @Test("the log says how many values are in memory only when these have doubled, and when memory is full")
  mutating func valuesInMemory() {
    work()
    let full = JournalError(.notWritten, errorNumber: 28, path: "/j")
    var lines: [String] = []
    for values in 1...10_000 {
      lines += condition.journalFailed(full, UnwrittenValues(values: values), at: Invented.at(0)).dropFirst(
        values == 1 ? 1 : 0
      ).map(\.text)
    }
    let told = (6...13).map { "\(1 << $0) values are in memory only; a kill loses them" }
    #expect(lines == told)
    let lost = "more values are lost until the journal works again"
    for number in 1...2 {
      let told = condition.journalFailed(full, UnwrittenValues(values: 10_000, lost: number), at: Invented.at(0)).map(
        \.text)
      #expect(told == (number == 1 ? ["the memory for values is full after 10000; \(lost)"] : []))
    }
    #expect(condition.problem(in: .recording) == "\(full); \(lost)")
    _ = condition.journalWorks()
    #expect(condition.journalFailed(full, UnwrittenValues(values: 64), at: Invented.at(0)).count == 2)
  }

  @Test("a sync that was made good is a warning, and no problem")
  mutating func rewritten() {
    work()
    #expect(condition.journalSynced(JournalError(.rewritten, path: "/j")).level == .warning)
    #expect(condition.problem(in: .recording) == nil)
  }
}
