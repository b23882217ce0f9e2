import Captures
import FoundationEssentials
import Timeline

/// Events that the journal refused of one session, in order, to be written as soon as it accepts one again.
///
/// Every event is held in memory while there is room for it. Without room values are counted until all of this is
/// written, since a disk may be full for days; the events that give the others their meaning (boot, clock, link, end)
/// are few, and stay.
struct JournalBacklog: Hashable, Sendable {
  /// Events that there was room for, and how much of it the journal has already.
  private var kept = SensorEventLog()
  private var written = Progress()
  /// Events that came without room: values as the number of those that are lost, in their places.
  private var rest: [SensorEvent] = []
  /// The number of lost values, and the time between the arrival of the first and the last of them.
  private var lost = JournalLoss(values: 0, microseconds: 0)
  private var firstLost: BootInstant?
  /// The approximate memory of the events.
  private(set) var bytes = 0

  /// A link that comes and goes while there is no room must not fill the memory.
  private static let capacity = 256
  /// So many events are written at once, at most.
  private static let greatestPiece = 4096

  private struct Progress: Hashable, Sendable {
    var events = 0
    var values = 0
  }

  var isEmpty: Bool { bytes == 0 && rest.isEmpty }

  /// Values that are in memory only.
  var values: Int { kept.measurementCount - written.values }
  /// Values that are lost.
  var lostValues: Int { lost.values }

  /// Adds an event that the journal refused with `code`; held in memory if it needs no more than `room` bytes.
  mutating func append(_ event: SensorEvent, refused code: JournalError.Code, room: Int) {
    let cost = Self.bytes(of: event)
    if rest.isEmpty, cost <= room {
      kept.append(event)
      bytes += cost
    } else if case .measurement = event.kind {
      lose(at: event.instant, code)
    } else {
      rest.append(event)
    }
    if rest.count > Self.capacity { shorten() }
  }

  /// Adds several events, all of which the journal refused.
  mutating func append(_ events: [SensorEvent], refused code: JournalError.Code, room: Int) {
    let limit = bytes + room
    for event in events { append(event, refused: code, room: limit - bytes) }
  }

  private mutating func lose(at instant: BootInstant, _ code: JournalError.Code) {
    let first = firstLost ?? instant
    firstLost = first
    lost = JournalLoss(values: lost.values + 1, microseconds: instant.microseconds(since: first))
    var values = 1
    if let last = rest.last, case .lost(let before, _) = last.kind {
      values += before
      rest.removeLast()
    }
    rest.append(SensorEvent(.lost(values: values, reason: code.rawValue), at: instant))
  }

  /// Removes one event: the newest describe the present. No value goes uncounted.
  private mutating func shorten() {
    let superfluous = rest.firstIndex { event in
      switch event.kind {
      case .connected, .disconnected, .clock, .battery, .stalled, .marker: true
      default: false
      }
    }
    guard let place = superfluous ?? rest.firstIndex(where: { !$0.isLoss }) else { return }
    rest.remove(at: place)
    guard place > 0, place < rest.count, case .lost(let before, _) = rest[place - 1].kind,
      case .lost(let after, let reason) = rest[place].kind
    else { return }
    rest[place].kind = .lost(values: before + after, reason: reason)
    rest.remove(at: place - 1)
  }

  /// The approximate bytes of an event in memory.
  private static func bytes(of event: SensorEvent) -> Int {
    switch event.kind {
    case .measurement(let payload): 24 + payload.count
    case .marker(let text, _), .information(_, let text), .disconnected(let text?): 80 + text.utf8.count
    default: 80
    }
  }
}

extension JournalBacklog {
  /// The values that a journal was given when it worked again.
  struct Written: Hashable, Sendable {
    /// Values that were in memory only until then.
    var values = 0
    /// Values that are lost all the same, and why.
    var loss = JournalLoss(values: 0, microseconds: 0)
    var reason = ""

    /// The log's lines on it. `name` is that of the sensor or session.
    func lines(of name: String) -> [LogLine] {
      let rescued = LogLine(.notice, "\(name): \(values) values that were in memory only are in the journal")
      return (values > 0 ? [rescued] : []) + [loss.line(of: name)].compactMap(\.self)
    }
  }

  /// Gives `append` all events, piece by piece, and is empty then.
  ///
  /// - Parameters:
  ///   - instant: When the journal accepts values again, which ends a loss; nil where the session has ended.
  ///   - append: Writes events of the session, all or none.
  /// - Returns: The values that were in memory only, and those that are lost.
  /// - Throws: The error of `append`; events that were written before are not written again.
  mutating func write(
    before instant: BootInstant?, _ append: ([SensorEvent]) throws(JournalError) -> Void
  ) throws(JournalError) -> Written {
    // One event first: a disk that is still full refuses at the cost of that one, however much is waiting.
    var size = 1
    while written.events < kept.count {
      let piece = Array(kept[written.events..<min(written.events + size, kept.count)])
      try append(piece)
      size = min(2 * size, Self.greatestPiece)
      written.events += piece.count
      written.values += piece.count { $0.isMeasurement }
    }
    var rest = rest
    var result = Written(values: kept.measurementCount, loss: loss(upTo: instant))
    if let last = rest.indices.last, case .lost(_, let reason) = rest[last].kind {
      result.reason = reason
      if let instant { rest[last].instant = max(instant, rest[last].instant) }
    }
    if !rest.isEmpty { try append(rest) }
    self = JournalBacklog()
    return result
  }

  /// Returns the loss if the journal accepts events again at `instant`; with nil, the loss so far.
  func loss(upTo instant: BootInstant?) -> JournalLoss {
    guard let firstLost, let instant else { return lost }
    return JournalLoss(values: lost.values, microseconds: max(0, instant.microseconds(since: firstLost)))
  }

  /// The loss if the journal never accepts the rest.
  var lossOfAll: JournalLoss {
    let unwritten = kept[written.events...].filter(\.isMeasurement).map(\.instant)
    guard let first = unwritten.first ?? firstLost, let last = unwritten.last ?? firstLost else { return lost }
    let end = firstLost?.advanced(byMicroseconds: lost.microseconds) ?? last
    return JournalLoss(values: unwritten.count + lost.values, microseconds: max(last, end).microseconds(since: first))
  }
}

/// Sums of what the journal refused and has not got yet, of several sessions.
struct UnwrittenValues: Hashable, Sendable {
  /// Values that are in memory only.
  var values = 0
  /// Values that are lost, since there was no room.
  var lost = 0
  /// The memory in use.
  var bytes = 0

  mutating func add(_ backlog: JournalBacklog) {
    values += backlog.values
    lost += backlog.lostValues
    bytes += backlog.bytes
  }

  mutating func add(_ other: UnwrittenValues) {
    values += other.values
    lost += other.lost
    bytes += other.bytes
  }
}

extension SensorEvent {
  fileprivate var isMeasurement: Bool { if case .measurement = kind { true } else { false } }
  fileprivate var isLoss: Bool { if case .lost = kind { true } else { false } }
}

/// Values that arrived and that the journal never got.
struct JournalLoss: Hashable, Sendable {
  let values: Int
  /// For how long values were lost, in microseconds.
  let microseconds: Int64

  /// The line for the log; nil if no value was lost. `name` is that of their sensor or session.
  func line(of name: String) -> LogLine? {
    guard values > 0 else { return nil }
    let tenths = microseconds / 100_000
    return LogLine(.warning, "\(name): \(values) values were lost in \(tenths / 10).\(tenths % 10) s without a journal")
  }
}

/// Events of one sensor for the journal.
enum JournalEntry: Hashable, Sendable {
  /// A session begins with these events; `linkedTo` is the session that it goes on from, `request` the request for it.
  case beginning(of: UUID, linkedTo: UUID?, request: OpenRequest? = nil, events: [SensorEvent])
  /// The usual case: one event of a session, and nothing is waiting.
  case event(SensorEvent, of: UUID)
  /// Events of a session that come after those that the journal refused.
  case events([SensorEvent], of: UUID)

  var events: [SensorEvent] {
    switch self {
    case .event(let event, _): [event]
    case .beginning(_, _, _, let events), .events(let events, _): events
    }
  }

  /// The session that it is of.
  var session: UUID {
    switch self {
    case .beginning(let session, _, _, _), .event(_, let session), .events(_, let session): session
    }
  }
}
