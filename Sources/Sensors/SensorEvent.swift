/// An event of one sensor, as it is journalled, recorded live, and replayed: the one event type.
public struct SensorEvent: Hashable, Sendable {
  public var instant: BootInstant
  public var kind: Kind

  public init(_ kind: Kind, at instant: BootInstant) {
    self.instant = instant
    self.kind = kind
  }

  /// A battery level that calls for a new battery, in percent: a coin cell falls from here to nothing within hours.
  public static let lowBatteryPercent: UInt8 = 15

  public enum Kind: Hashable, Sendable {
    /// The machine's boot to which the instants that follow belong. Another identifier than before: a new run.
    case boot(BootIdentifier)
    /// The wall clock, as microseconds since 1970 (UTC) minus the boot clock's, from here on.
    ///
    /// Recorded at the start and whenever it has moved by more than a millisecond: NTP slews it, a person sets it.
    case clock(wallMinusBootMicroseconds: Int64)
    /// The link is up and notifications can arrive.
    case connected
    /// The link is gone, with the reason where BlueZ gives one. A second event of the same loss adds the reason to the
    /// first: BlueZ reports the reason afterwards.
    case disconnected(reason: String?)
    /// The value of one Heart Rate Measurement notification, byte for byte, whatever it is.
    case measurement([UInt8])
    /// Battery level in percent (characteristic 2A19).
    case battery(percent: UInt8)
    /// Body sensor location (characteristic 2A38), as received.
    case location(UInt8)
    /// One field of the Device Information Service (180A).
    case information(DeviceInformationField, String)
    /// Received signal strength in dBm, of the last advertisement before the link.
    case signal(dBm: Int16)
    /// The recorder lost values that it had received: for instance, the disk was full.
    case lost(values: Int, reason: String)
    /// The recorder did not run for so long, up to this instant: its program was stopped, or got no processor.
    ///
    /// Values without a time of their own from the kernel were read afterwards, all at once: measurements with exactly
    /// this instant have no arrival of their own.
    case stalled(microseconds: Int64)
    /// A point in time that somebody marked, a game for instance, in their own words. A marker is no measurement. The
    /// point may lie so many microseconds before the event, at which the marker was received.
    case marker(String, microsecondsBefore: Int64 = 0)
    /// The values from here on belong to the session that a program asked for, until ``continued``. Both sessions
    /// receive the other events of the sensor.
    case paused
    /// The session has the values again.
    case continued
    /// The session ended here.
    case ended(SessionEndReason)
  }
}

/// A field of the Device Information Service (Bluetooth SIG, DIS 1.1), with its characteristic's UUID as raw value.
public enum DeviceInformationField: UInt16, Hashable, Sendable, CaseIterable {
  case modelNumber = 0x2A24
  case serialNumber = 0x2A25
  case firmwareRevision = 0x2A26
  case hardwareRevision = 0x2A27
  case softwareRevision = 0x2A28
  case manufacturerName = 0x2A29
}

/// The reason for which a session ended; the raw values are those of `sessions --json`.
public enum SessionEndReason: String, Hashable, Sendable, CaseIterable {
  /// The recorder was asked to stop.
  case shutdown
  /// Somebody asked for the end of this session.
  case request
  /// The program that had asked for the session is gone, and the session was to end with it.
  case clientGone
  /// The link was down for longer than the limit.
  case away
  /// The sensor was off the skin, or silent, for longer than the limit.
  case offSkin
  /// The session reached 24 hours and a linked one follows.
  case rolled
  /// The capture that is replayed ends here.
  case captureEnd
  /// The recorder found the session unfinished when it started, too late for it to go on.
  case recovered
}

/// A session's events in order, nearly all of them measurements, in a fraction of the memory of an array of events.
///
/// Payloads stand one behind the other: a day of a strap needs 3 MB and no allocation for each notification.
public struct SensorEventLog: Hashable, Sendable {
  /// One event. Other events than measurements stand as they are, in a list of their own.
  private struct Entry: Hashable {
    var instant: Int64
    /// The start of the payload, or for another event ``other``.
    var start: Int
    /// The length of the payload, or the place of the other event.
    var length: Int

    static let other = -1
  }

  private var entries: [Entry] = []
  private var payloads: [UInt8] = []
  private var others: [SensorEvent.Kind] = []

  public init() {}

  public init(_ events: some Sequence<SensorEvent>) {
    for event in events { append(event) }
  }

  /// The number of measurements among the events.
  public var measurementCount: Int { entries.count - others.count }

  public mutating func append(_ event: SensorEvent) {
    if case .measurement(let payload) = event.kind {
      appendMeasurement(at: event.instant) { $0 += payload }
    } else {
      entries.append(Entry(instant: event.instant.microseconds, start: Entry.other, length: others.count))
      others.append(event.kind)
    }
  }

  /// Appends a measurement whose payload `write` puts at the end of the bytes that it is given, and changes nothing else there.
  @inline(__always)
  public mutating func appendMeasurement(at instant: BootInstant, _ write: (inout [UInt8]) -> Void) {
    let start = payloads.count
    write(&payloads)
    entries.append(Entry(instant: instant.microseconds, start: start, length: payloads.count &- start))
  }

  /// Calls `measurement` with each payload and `other` with every other event, in order.
  public func forEach(
    measurement: (Span<UInt8>, BootInstant) -> Void, other: (SensorEvent) -> Void
  ) {
    let bytes = payloads.span
    for entry in entries {
      let instant = BootInstant(microseconds: entry.instant)
      if entry.start == Entry.other {
        other(SensorEvent(others[entry.length], at: instant))
      } else {
        measurement(bytes.extracting(entry.start..<entry.start &+ entry.length), instant)
      }
    }
  }
}

extension SensorEventLog: RandomAccessCollection {
  public var startIndex: Int { 0 }
  public var endIndex: Int { entries.count }

  public subscript(position: Int) -> SensorEvent {
    let entry = entries[position]
    let kind: SensorEvent.Kind =
      entry.start == Entry.other
      ? others[entry.length] : .measurement(Array(payloads[entry.start..<entry.start + entry.length]))
    return SensorEvent(kind, at: BootInstant(microseconds: entry.instant))
  }
}
