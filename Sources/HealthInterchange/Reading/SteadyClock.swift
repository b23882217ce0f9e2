internal import HealthModel

/// Watches the times of a file whose device's clock may jump.
///
/// Values whose clock was elsewhere for a while are left out. Where the clock stays after a jump that no pause explains, what is behind
/// it is a recording of its own.
struct SteadyClock {
  /// Elements behind a jump wait until it is clear whether the clock returns.
  private var held: [ForeignElement] = []
  private var before: Timestamp?
  private var last: Timestamp?
  private var isStopped = false
  /// The elements that also hold for a second recording of the same file.
  private var context: [ForeignElement] = []
  private let longestSilence: Int64

  private static let suspicious: Int64 = 60_000_000
  /// So many elements wait.
  private static let mostHeld = 20_000

  /// The sum of what was left out, and of jumps.
  private(set) var account = ReadingAccount()

  /// Nil for formats whose times no clock of records orders.
  init?(_ format: ForeignFormat) {
    switch format {
    case .fit, .tcx: longestSilence = 600_000_000
    // Programs leave a pause out of GPX without a trace.
    case .gpx: longestSilence = 12 * 3_600_000_000
    case .hrvlogger, .rr, .wfdb, .apple: return nil
    }
  }

  private static func time(of element: ForeignElement) -> Timestamp? {
    switch element {
    case .rate(let time, _), .moment(let time), .quantity(_, _, let time): time
    case .location(let location): location.time
    default: nil
    }
  }

  /// Passes on what is certain.
  mutating func pass(_ element: ForeignElement, into elements: inout [ForeignElement]) {
    guard let time = Self.time(of: element) else { return passOther(element, into: &elements) }
    guard let last else {
      self.last = time
      return elements.append(element)
    }
    if !held.isEmpty {
      guard let before, time != last else { return held.append(element) }
      if abs(time.microseconds(since: before)) < abs(time.microseconds(since: last)) {
        dropHeld(into: &elements)
      } else {
        held.append(element)
        self.last = time
        if held.count >= Self.mostHeld { settle(into: &elements) }
        return
      }
    } else if abs(time.microseconds(since: last)) > Self.suspicious, !isStopped {
      (before, self.last) = (last, time)
      return held.append(element)
    }
    isStopped = false
    self.last = time
    elements.append(element)
  }

  private mutating func passOther(_ element: ForeignElement, into elements: inout [ForeignElement]) {
    switch element {
    case .recording:
      settle(into: &elements)
      (last, isStopped, context) = (nil, false, [])
    case .source, .device, .activity: context.append(element)
    case .timer(let isRunning, _): if held.isEmpty { isStopped = !isRunning || isStopped }
    default: break
    }
    if held.isEmpty { elements.append(element) } else { held.append(element) }
  }

  /// The clock has returned: what was measured meanwhile has no time.
  private mutating func dropHeld(into elements: inout [ForeignElement]) {
    var (rates, others) = (0, 0)
    for element in held {
      switch element {
      case .rate: rates += 1
      case .moment, .timer: break
      case .location, .quantity: others += 1
      default: elements.append(element)
      }
    }
    held = []
    last = before
    if rates > 0 { account.leave(out: "heart rate at a time when the clock was elsewhere", rates) }
    if others > 0 { account.leave(out: "other value at a time when the clock was elsewhere", others) }
  }

  /// The clock does not return, or the file ends.
  mutating func settle(into elements: inout [ForeignElement]) {
    guard let before, !held.isEmpty, let first = held.lazy.compactMap(Self.time).first else { return }
    let jump = first.microseconds(since: before)
    if abs(jump) > longestSilence {
      let isOfFirst = { (element: ForeignElement) -> Bool in
        let start: Timestamp?
        switch element {
        case .part(let part): start = part.span?.start
        case .stretch(let stretch): start = stretch.span.start
        default: start = nil
        }
        return start.map { abs($0.microseconds(since: before)) < abs($0.microseconds(since: first)) } ?? false
      }
      elements += held.filter(isOfFirst)
      elements.append(.recording)
      elements += context
      elements += held.filter { !isOfFirst($0) }
      account.note(
        "its clock jumps from \(before.iso8601()) to \(first.iso8601()) without a pause: what is behind that is a session of its own")
    } else {
      elements += held
    }
    held = []
    self.before = nil
    isStopped = false
  }
}
