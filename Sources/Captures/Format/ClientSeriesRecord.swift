public import FoundationEssentials

/// A record of a series that another program inserts while the recorder runs (Documentation/capture-format.md). Its values
/// are in the journal before they are in the store.
public enum ClientSeriesRecord: Hashable, Sendable {
  /// A series begins; its slot is valid from here on.
  case begin(ClientSeries)
  /// Values of the series; at least one.
  case values([ClientSeries.Value])
  /// Heartbeats of the series; at least one. `after` is the number of ticks from the series' start to the heartbeat before them: so
  /// those behind a damaged record are where they belong.
  case beats([ClientSeries.Beat], after: Int64)
  /// The series is complete, and ends at this time in microseconds since 1970 (UTC); nil: with its last value.
  case finish(endMicroseconds: Int64?)

  /// The record's line with its newline, for a slot (1…1048576).
  public func encoded(slot: Int) -> [UInt8] {
    var buffer = RecordBuffer()
    buffer.series(self, slot: slot)
    return buffer.copy()
  }

  /// Decodes a line (with its newline) to its slot and record; nil for other and for damaged lines.
  public static func decode(_ line: [UInt8]) -> (slot: Int, record: ClientSeriesRecord)? {
    guard line.last == UInt8(ascii: "\n") else { return nil }
    let line = Array(line.dropLast())
    guard RecordLine.hasValidChecksum(line), case .series(let slot, let record)? = RecordLine.record(line) else {
      return nil
    }
    return (slot, record)
  }
}

/// The description of a client's series when it begins.
public struct ClientSeries: Hashable, Sendable {
  /// The times that a record can hold, in microseconds since 1970 (UTC): the years 1653 to 2286.
  public static let times = RecordLine.times

  /// Its identity, which is also its sync identifier in the store.
  public var identifier: UUID
  /// The quantity type, by its name in the store.
  public var type: String
  /// The unit of its values; for heartbeats the length of a tick, such as `1/1024 s`.
  public var unit: String
  /// The program that inserts it, with its version.
  public var source: String
  /// When it begins, in microseconds since 1970 (UTC): for heartbeats the origin of the first one's ticks. Nil: with its first
  /// value.
  public var startMicroseconds: Int64?
  /// What measured, as the program says: name, manufacturer, model, versions of hardware, firmware and software, local identifier
  /// and unique device identifier. Empty where it says nothing.
  public var device: [String?] = []

  public init(
    identifier: UUID, type: String, unit: String, source: String, startMicroseconds: Int64? = nil,
    device: [String?] = []
  ) {
    self.identifier = identifier
    self.type = type
    self.unit = unit
    self.source = source
    self.startMicroseconds = startMicroseconds
    self.device = device
  }

  /// The number of properties of a device, where one is told.
  static let deviceProperties = 8

  /// A value with the time for which it is valid, in microseconds since 1970 (UTC).
  public struct Value: Hashable, Sendable {
    public var startMicroseconds: Int64
    /// Not before the start.
    public var endMicroseconds: Int64
    /// A finite number.
    public var value: Double

    public init(startMicroseconds: Int64, endMicroseconds: Int64, value: Double) {
      self.startMicroseconds = startMicroseconds
      self.endMicroseconds = endMicroseconds
      self.value = value
    }
  }

  /// One heartbeat.
  public struct Beat: Hashable, Sendable {
    /// Since the heartbeat before it, in ticks.
    public var ticks: UInt32
    /// Whether heartbeats before it are missing.
    public var precededByGap: Bool

    public init(ticks: UInt32, precededByGap: Bool = false) {
      self.ticks = ticks
      self.precededByGap = precededByGap
    }
  }
}
