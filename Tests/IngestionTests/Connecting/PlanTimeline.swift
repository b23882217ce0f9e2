import Ingestion
import Testing
import Timeline

/// Plays a table of inputs against a ``ConnectionPlan`` and compares the commands that follow, one row a moment:
///
/// ```
/// 0     on hci0          -> scan
/// 5     seen A           -> stop, connect A
/// 5.3   up A             -> follow A
/// 6~7                    -> connect A
/// ```
///
/// Left is the time in seconds (after the row before with a `+`), or a range in which the plan's own timer must answer with the commands on the right.
/// Commands of the timer that no row expects are failures. Sensors are letters; the adapter is hci0 unless given.
struct PlanTimeline {
  var plan: ConnectionPlan
  private(set) var now = BootInstant(microseconds: 0)
  /// How often the timer has fired.
  private(set) var wakeups = 0

  init(parameters: ConnectionPlan.Parameters = .standard, seed: UInt64 = 1) {
    plan = ConnectionPlan(parameters: parameters, seed: seed)
  }

  static func address(_ letter: Substring) -> SensorAddress {
    SensorAddress(bits: 0xC0FF_EE00_0000 | UInt64(letter.unicodeScalars.first!.value))!
  }

  mutating func play(_ table: String, sourceLocation: SourceLocation = #_sourceLocation) {
    for line in table.split(separator: "\n") {
      let row = line.prefix { $0 != "#" }
      guard row.contains(where: { !$0.isWhitespace }) else { continue }
      play(row: row, sourceLocation)
    }
  }

  private mutating func play(row: Substring, _ sourceLocation: SourceLocation) {
    let sides = row.split(separator: "->", maxSplits: 1, omittingEmptySubsequences: false)
    let words = sides[0].split(separator: " ")
    let expected =
      sides.count < 2 ? [] : sides[1].split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") }
    let times = words[0].split(separator: "~").map { instant($0) }
    if times.count == 2 {
      let (answer, at) = waitForTimer(until: times[1])
      #expect(answer == expected, "\(row)", sourceLocation: sourceLocation)
      #expect(at >= times[0], "too early: \(row)", sourceLocation: sourceLocation)
    } else {
      let (unexpected, at) = waitForTimer(until: times[0])
      #expect(unexpected == [], "at \(at.microseconds) µs, before: \(row)", sourceLocation: sourceLocation)
      now = times[0]
      #expect(perform(words.dropFirst()) == expected, "\(row)", sourceLocation: sourceLocation)
    }
  }

  /// Fires the timer until it has something to say, at most until `end`.
  private mutating func waitForTimer(until end: BootInstant) -> (commands: [String], at: BootInstant) {
    while let deadline = plan.deadline, deadline <= end {
      now = max(now, deadline)
      wakeups += 1
      let commands = plan.timeReached(now)
      if let next = plan.deadline, next <= now {
        Issue.record("the timer does not come to rest at \(now.microseconds) µs")
        return ([], now)
      }
      if !commands.isEmpty { return (commands.map(text), now) }
    }
    now = end
    return ([], end)
  }

  private mutating func perform(_ words: ArraySlice<Substring>) -> [String] {
    let words = Array(words)
    let subject = words.count > 1 ? words[1] : "-"
    let address = Self.address(subject)
    let adapter = words.compactMap { AdapterIndex(name: $0) }.first ?? AdapterIndex(0)
    let commands: [ConnectionPlan.Command] =
      switch words[0] {
      case "allow": plan.allow(Self.list(words.dropFirst()), at: now)
      case "finish": plan.finish(at: now)
      case "on", "off":
        plan.adapterChanged(
          adapter, isPowered: words[0] == "on",
          filtersServices: words.contains("unasked") ? nil : !words.contains("unfiltered"), at: now)
      case "gone": plan.adapterRemoved(adapter, at: now)
      case "service-lost", "died": plan.serviceLost(isDeath: words[0] == "died", at: now)
      case "discovery-ended": plan.discoveryEnded(on: adapter, at: now)
      case "known": plan.deviceKnown(address, on: adapter, isShared: words.contains("shared"), at: now)
      case "forgotten": plan.deviceForgotten(address, on: adapter, at: now)
      case "seen": plan.deviceSeen(address, on: adapter, rssi: words.compactMap { Int16($0) }.first ?? -60, at: now)
      case "ok": plan.connectSucceeded(address, on: adapter, at: now)
      case "failed": plan.connectFailed(address, on: adapter, Self.failures[words.last!]!, at: now)
      case "up": plan.linkUp(address, on: adapter, at: now)
      case "resolved": plan.servicesResolved(address, on: adapter, at: now)
      case "down": plan.linkLost(address, on: adapter, at: now)
      case "unanswered": plan.subscriptionUnanswered(address, on: adapter, at: now)
      case "paired": plan.paired(address, at: now)
      case "value": value(address)
      case "other-there", "other-gone": plan.otherRecorder(isThere: words[0] == "other-there", at: now)
      case "elsewhere", "here": elsewhere(words[0] == "elsewhere", address)
      default: fatalError("no such input: \(words[0])")
      }
    return commands.map(text)
  }

  private mutating func value(_ address: SensorAddress) -> [ConnectionPlan.Command] {
    let before = plan.deadline
    plan.valueReceived(from: address, at: now)
    #expect(plan.deadline == before, "a value must not move the timer")
    return []
  }

  private mutating func elsewhere(_ isUsed: Bool, _ address: SensorAddress) -> [ConnectionPlan.Command] {
    plan.valuesUsedElsewhere(isUsed, from: address)
    return []
  }

  private static let failures: [Substring: ConnectFailure] = [
    "in-progress": .inProgress, "not-ready": .notReady, "aborted": .abortedByLocal, "canceled": .canceled,
    "unknown": .unknownObject, "authentication": .authentication, "other": .other,
  ]

  private static func list(_ words: ArraySlice<Substring>) -> AllowList {
    var list = AllowList()
    for word in words {
      if let threshold = Int16(word) { list.unlisted = .any(atLeast: threshold) } else { list.insert(address(word)) }
    }
    return list
  }

  private func instant(_ seconds: Substring) -> BootInstant {
    let start = seconds.hasPrefix("+") ? now : BootInstant(microseconds: 0)
    return start.advanced(byMicroseconds: Int64((Double(seconds)! * 1_000_000).rounded()))
  }

  private func text(_ command: ConnectionPlan.Command) -> String {
    func with(_ verb: String, _ address: SensorAddress?, _ adapter: AdapterIndex) -> String {
      let letter = address.map { " " + String(Unicode.Scalar(UInt8($0.bits & 0xFF))) } ?? ""
      return verb + letter + (adapter.number == 0 ? "" : " \(adapter)")
    }
    return switch command {
    case .startDiscovery(let adapter, .heartRateService): with("scan", nil, adapter)
    case .startDiscovery(let adapter, .everything): with("look", nil, adapter)
    case .stopDiscovery(let adapter): with("stop", nil, adapter)
    case .connect(let address, let adapter): with("connect", address, adapter)
    case .disconnect(let address, let adapter): with("disconnect", address, adapter)
    case .follow(let address, let adapter): with("follow", address, adapter)
    case .unfollow(let address, let adapter): with("unfollow", address, adapter)
    case .resubscribe(let address, let adapter): with("resubscribe", address, adapter)
    case .unresolved(let address, let adapter): with("unresolved", address, adapter)
    case .refuse(let address, let adapter, let other): with("refuse", address, adapter) + " for \(other)"
    case .blame(let verdict): text(verdict)
    }
  }

  private func text(_ verdict: FatalCalls.Verdict) -> String {
    let call =
      switch verdict.call {
      case .filteredDiscovery: "scan"
      case .discovery: "look"
      case .connect: "connect"
      }
    return "blame " + call + (verdict.isGivenUp ? " for good" : "")
  }
}
