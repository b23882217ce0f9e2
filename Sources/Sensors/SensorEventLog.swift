/// A session's events in order, nearly all of them measurements, in a fraction of the memory that an array of events takes.
///
/// Payloads stand one behind the other: a day of a strap takes 3 MB and no allocation for each notification.
public struct SensorEventLog: Hashable, Sendable {
  /// One event. Other events than measurements are kept as they are, in a list of their own.
  private struct Entry: Hashable {
    var instant: Int64
    /// Where its payload begins, or for another event ``other``.
    var start: Int
    /// The payload's length, or the other event's place.
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

  /// How many of the events are measurements.
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
