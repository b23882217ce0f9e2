import Sensors

/// Links, and why no values come. Each input returns what happened to the session by it, to be handled in this order, and
/// what the log says first.
extension SensorRecording {
  /// What follows from a change of the link.
  struct LinkChange: Hashable {
    var line: LogLine?
    var events: [SensorEvent.Kind] = []
  }

  /// Values that stopped on a link that is up, for longer than this, are a gap as a lost link is. Microseconds.
  static let greatestSilence: Int64 = 1_500_000

  /// A link is recorded from now on, unless another one of the same sensor is.
  mutating func linkUp(over adapter: AdapterIndex) -> LinkChange? {
    guard case .down = link else { return nil }
    link = .up(over: adapter, silentSince: nil)
    let events: [SensorEvent.Kind] = [.connected] + (signal.map { [.signal(dBm: $0)] } ?? [])
    signal = nil
    return LinkChange(line: LogLine(.info, "\(address): linked over \(adapter)"), events: events)
  }

  /// A link over `adapter` is gone. Nil where it was not the recorded one.
  mutating func linkDown(over adapter: AdapterIndex, reason: String?) -> LinkChange? {
    guard self.adapter == adapter else { return nil }
    link = .down(lostOver: adapter)
    return LinkChange(
      line: LogLine(.info, "\(address): link lost\(reason.map { " (\($0))" } ?? "")"),
      events: [.disconnected(reason: reason)])
  }

  /// BlueZ reports the reason of a loss after the loss. Nil where it is another link's.
  mutating func linkDownReason(_ reason: String, over adapter: AdapterIndex) -> LinkChange? {
    guard case .down(adapter) = link else { return nil }
    link = .down(lostOver: nil)
    return LinkChange(
      line: LogLine(.info, "\(address): the link was lost for this reason: \(reason)"),
      events: [.disconnected(reason: reason)])
  }

  /// bluetoothd or the bus is gone, and with it the link or the attempt at one. Nil where there was no link.
  mutating func serviceGone(_ reason: String) -> LinkChange? {
    connecting(false)
    guard case .up = link else { return nil }
    link = .down(lostOver: nil)
    return LinkChange(events: [.disconnected(reason: reason)])
  }

  /// The values stopped although the link is up.
  mutating func unsubscribed(at now: BootInstant) {
    if case .up(let adapter, _) = link { link = .up(over: adapter, silentSince: now) }
  }

  /// Values come from now on.
  mutating func subscribed(at now: BootInstant) -> LinkChange {
    var change = LinkChange()
    if problem != nil { change.line = LogLine(.notice, "\(address): values come now") }
    problem = nil
    guard case .up(let adapter, let since?) = link else { return change }
    link = .up(over: adapter, silentSince: nil)
    if now.microseconds(since: since) > Self.greatestSilence {
      change.events = [.disconnected(reason: "not subscribed"), .connected]
    }
    return change
  }

  /// Why no values come; it stays in the status until they do. The log says it once.
  mutating func valuesMissing(because problem: String) -> LogLine? {
    guard self.problem != problem else { return nil }
    self.problem = problem
    return LogLine(.warning, "\(address): \(problem)")
  }

  /// The battery is at `percent`. The log says once that it is low, and again only after it was changed.
  mutating func battery(_ percent: UInt8) -> LogLine? {
    let isLow = percent <= SensorEvent.lowBatteryPercent
    let isNews = isLow && !isLowBatteryLogged
    if isLow || percent > 2 * SensorEvent.lowBatteryPercent { isLowBatteryLogged = isLow }
    return isNews ? LogLine(.warning, "\(address): its battery is low (\(percent) %)") : nil
  }
}
