/// Computes the number of notifications from the signals that BlueZ emits for them.
///
/// With StartNotify, BlueZ emits every notification once for each subscribed program, to everybody. So two equal
/// signals are one notification for two programs, or two equal notifications for one; sensors do send equal payloads in
/// a row. D-Bus does not report who is subscribed. Known facts are:
///
/// - bluetoothd is one thread: the copies of one notification leave it back to back, with consecutive serial numbers,
///   and no reply of its to anybody lies between them. So a call is sent with the first copy (Peer.Ping, the *fence*),
///   and when its reply is there, so are all copies. They are a *group*; at one notification a second it is exact.
/// - Programs can only be added to the subscribers by a call that bluetoothd answers, which takes a serial number. So
///   where no number is missing before a larger group, it holds several equal notifications that came at once; where
///   one is missing, the next group shows. A program may leave without a message, which makes groups smaller.
///
/// The first copy counts at once; only a group that follows a doubtful one waits for its fence, a fraction of a
/// millisecond. A value that another program *read* is taken for a notification; the Heart Rate Measurement cannot be read
/// (Heart Rate Service 1.0, 3.1).
struct EmissionCounter: Hashable, Sendable {
  private struct Group: Hashable {
    var first: Emission
    var lastSerial: UInt32
    var count = 1
    /// bluetoothd sent something else, not to us, between the group before and this one.
    var followsUnseen: Bool
    /// Told already, as it need not wait for a doubtful group before it.
    var isTold: Bool
  }

  /// A closed group that is larger than those before: `extra` more notifications, or `subscribers` programs from here on.
  private struct Doubt: Hashable {
    var notification: Notification
    var extra: Int
    var subscribers: Int
  }

  /// The number of signals that one notification makes.
  private(set) var subscribers = 1
  private var group: Group?
  private var doubt: Doubt?
  /// ``SerialTrace/gaps`` when the last group began.
  private var gaps: Int?

  /// Takes a signal; returns the notifications that are certain now.
  ///
  /// After it a fence must be under way as long as ``needsFence`` is true.
  mutating func handle(_ emission: Emission) -> [Notification] {
    if let open = group, open.first.bytes == emission.bytes, open.lastSerial &+ 1 == emission.serial {
      group?.count += 1
      group?.lastSerial = emission.serial
      return []
    }
    var certain = closeGroup()
    group = Group(
      first: emission, lastSerial: emission.serial, followsUnseen: gaps != emission.gaps, isTold: doubt == nil)
    gaps = emission.gaps
    if doubt == nil { certain.append(Notification(emission)) }
    return certain
  }

  /// Whether a group is open: it needs a fence to be closed.
  var needsFence: Bool { group != nil }

  /// The reply to the fence is there, or will never come.
  mutating func handleFence() -> [Notification] {
    closeGroup()
  }

  private mutating func closeGroup() -> [Notification] {
    guard let closed = group else { return [] }
    group = nil
    var certain: [Notification] = []
    if let doubt {
      self.doubt = nil
      if closed.count == subscribers, !closed.followsUnseen {
        // Nobody left in between: the larger group was made of equal notifications.
        certain += Array(repeating: doubt.notification, count: doubt.extra)
      } else if closed.count % doubt.subscribers == 0 {
        subscribers = doubt.subscribers
      }
    }
    if !closed.isTold { certain.append(Notification(closed.first)) }
    guard closed.count > subscribers, closed.count % subscribers == 0 else {
      subscribers = closed.count
      return certain
    }
    let extra = closed.count / subscribers - 1
    let notification = Notification(closed.first)
    if closed.followsUnseen {
      doubt = Doubt(notification: notification, extra: extra, subscribers: closed.count)
    } else {
      certain += Array(repeating: notification, count: extra)
    }
    return certain
  }
}

/// One notification of a sensor.
struct Notification: Hashable, Sendable {
  var bytes: [UInt8]
  /// When it was read, on the boot clock; that of the first copy where there were several.
  var microseconds: Int64
}

extension Notification {
  init(_ emission: Emission) {
    self.init(bytes: emission.bytes, microseconds: emission.microseconds)
  }
}

/// A value of a characteristic as BlueZ emitted it: a signal that stands for a notification, or for one copy of it.
struct Emission: Hashable, Sendable {
  var bytes: [UInt8]
  /// The signal's number among the messages of bluetoothd.
  var serial: UInt32
  /// ``SerialTrace/gaps``, this signal included.
  var gaps: Int
  /// When it was read, on the boot clock.
  var microseconds: Int64
}

/// Finds out whether bluetoothd sent anything that was not received here, by the numbers of its messages.
///
/// A connection numbers its messages 1, 2, 3 … (D-Bus Specification, "Header Fields", SERIAL), whoever they are for.
struct SerialTrace: Hashable, Sendable {
  private var last: UInt32?
  /// The number of times that messages were missing so far.
  private(set) var gaps = 0

  /// Counts a message from bluetoothd, in the order of arrival.
  mutating func note(_ serial: UInt32) {
    if let last, last &+ 1 != serial { gaps += 1 }
    last = serial
  }

  /// Starts again for another bluetoothd, which counts from one.
  mutating func restart() {
    last = nil
    gaps += 1
  }
}
