/// Future events in the order of their time; for equal times in the order in which they were added.
///
/// A simulation has some dozens of entries at once (each timeline adds one item at a time), so a sorted array is fast
/// enough.
struct Agenda<Entry> {
  /// Identifies an entry, to cancel it.
  struct ID: Hashable, Sendable {
    fileprivate let number: UInt64
  }

  private struct Line {
    let due: SimulationInstant
    let id: ID
    let entry: Entry
  }

  /// Latest first, so that the next entry is the last element.
  private var lines: [Line] = []
  private var entered: UInt64 = 0

  /// The time at which the next entry is due; nil for an empty agenda.
  var next: SimulationInstant? { lines.last?.due }

  /// Adds `entry` at `due`, after all others of the same time.
  @discardableResult
  mutating func enter(_ entry: Entry, at due: SimulationInstant) -> ID {
    let id = ID(number: entered)
    entered += 1
    var low = 0
    var high = lines.count
    while low < high {
      let middle = (low + high) / 2
      if lines[middle].due > due { low = middle + 1 } else { high = middle }
    }
    lines.insert(Line(due: due, id: id, entry: entry), at: low)
    return id
  }

  /// Cancels an entry; does nothing if it is gone.
  mutating func strike(_ id: ID?) {
    guard let id else { return }
    lines.removeAll { $0.id == id }
  }

  /// Cancels every entry that matches.
  mutating func strike(where isMeant: (Entry) -> Bool) {
    lines.removeAll { isMeant($0.entry) }
  }

  /// Removes and returns the next entry that is due at or before `instant`.
  mutating func removeNext(by instant: SimulationInstant) -> (due: SimulationInstant, entry: Entry)? {
    guard let line = lines.last, line.due <= instant else { return nil }
    lines.removeLast()
    return (line.due, line.entry)
  }
}

/// An event that is due at some moment.
///
/// The two kinds are separate because bluetoothd can be frozen or dead while the air goes on.
enum Occasion: Sendable {
  case air(AirEvent)
  case daemon(DaemonEvent)
}

/// An event in the air or in the kernel, by strap and adapter number.
enum AirEvent: Sendable {
  /// The next item of the host's timeline.
  case machineItem
  /// The next item of a strap's timeline.
  case strapItem(Int)
  /// The next notification of a simulated heart.
  case heart(Int)
  /// The next value of a strap that floods.
  case flood(Int)
  case advertisement(Int)
  /// The third advertisement was heard: the link is up.
  case linkMade(DeviceKey)
  /// The adapter had no free links for too long.
  case noRoom(DeviceKey)
  /// The client characteristic configuration is written.
  case configure(DeviceKey, link: Int, handle: UInt16, uuid: String, on: Bool)
  /// The link ends, unless it has ended already.
  case endLink(Int, link: Int, reason: UInt8)
  /// The adapter that was pushed in has power.
  case adapterPowered(Int)
  /// Somebody starts bluetoothd again after it died.
  case daemonStart
}

/// An event that bluetoothd learns of or causes.
enum DaemonEvent: Sendable {
  case advertisement(DeviceKey)
  case linkUp(DeviceKey, link: Int)
  case linkFailed(DeviceKey, LinkFailure)
  /// The link has ended; the reason is the HCI error.
  case linkDown(DeviceKey, link: Int, reason: UInt8)
  case connectTimeout(DeviceKey)
  case resolve(DeviceKey, link: Int)
  /// The objects of services that were already reported as resolved are exported late.
  case exportServices(DeviceKey, link: Int)
  case connectReply(DeviceKey, link: Int)
  /// The strap answered the write of the configuration.
  case configured(DeviceKey, link: Int, handle: UInt16, accepted: Bool)
  case startNotifyReply(CallToken)
  case value(DeviceKey, link: Int, uuid: String, bytes: [UInt8], number: Int?)
  /// The signal for a value is emitted.
  case emit(DeviceKey, link: Int, handle: UInt16, bytes: [UInt8], number: Int?)
  case readReply(DeviceKey, link: Int, handle: UInt16, isDescriptor: Bool, CallToken)
  case writeReply(DeviceKey, link: Int, handle: UInt16, [UInt8], CallToken)
  case batteryLevel(DeviceKey, link: Int, UInt8)
  case serviceChanged(DeviceKey, link: Int)
  /// The strap demands encryption before it allows a subscription.
  case encryptionNeeded(DeviceKey, link: Int)
  case paired(DeviceKey, link: Int, accepted: Bool)
  case expire(DeviceKey)
  case adapterAppears(Int)
  case adapterPowered(Int)
  case adapterPulled(Int)
  case input(Input)
}

/// The reason for which a Connect made no link.
enum LinkFailure: Hashable, Sendable {
  /// The link was made and lost at once (HCI error 0x3E).
  case refused
  /// The adapter has no free links.
  case noRoom
}

/// An instant of simulated time: microseconds since the simulator started.
///
/// The model never reads a clock; its driver passes the time, which may go faster than real time.
struct SimulationInstant: Hashable, Comparable, Sendable {
  /// Microseconds since the start.
  var microseconds: Int64

  /// The moment the simulation begins.
  static let start = SimulationInstant(microseconds: 0)

  /// The moment `seconds` after the start, to the microsecond.
  static func seconds(_ seconds: Double) -> SimulationInstant {
    SimulationInstant(microseconds: Int64((seconds * 1e6).rounded()))
  }

  /// Seconds since the start.
  var seconds: Double { Double(microseconds) / 1e6 }

  static func < (left: SimulationInstant, right: SimulationInstant) -> Bool { left.microseconds < right.microseconds }

  /// The instant `duration` later, truncated to microseconds.
  static func + (instant: SimulationInstant, duration: Duration) -> SimulationInstant {
    SimulationInstant(microseconds: instant.microseconds + duration.wholeMicroseconds)
  }

  /// The time from `right` to `left`.
  static func - (left: SimulationInstant, right: SimulationInstant) -> Duration {
    .microseconds(left.microseconds - right.microseconds)
  }
}

extension Duration {
  /// The duration in microseconds, truncated.
  var wholeMicroseconds: Int64 { components.seconds * 1_000_000 + components.attoseconds / 1_000_000_000_000 }
}
