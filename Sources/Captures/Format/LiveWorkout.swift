public import FoundationEssentials
public import HealthModel
public import Timeline

/// The description of a live workout when it begins.
public struct LiveWorkout: Hashable, Sendable {
  /// Its identity, which is also its sync identifier in the store.
  public var identifier: UUID
  /// The user identifier of the program that began the workout.
  public var uid: UInt32
  /// The application identifier of that program.
  public var application: String
  /// Whether the workout ends when that program goes.
  public var endsWithClient: Bool
  /// The workout's activity and place.
  public var configuration: WorkoutConfiguration
  /// The request of the recording session that began with the workout; nil for a workout without a sensor.
  public var request: UUID?
  /// The sensor whose values belong to the workout; nil for a workout of other programs' samples alone.
  public var sensor: SensorAddress?

  public init(
    identifier: UUID, uid: UInt32, application: String, endsWithClient: Bool, configuration: WorkoutConfiguration,
    request: UUID? = nil, sensor: SensorAddress? = nil
  ) {
    self.identifier = identifier
    self.uid = uid
    self.application = application
    self.endsWithClient = endsWithClient
    self.configuration = configuration
    self.request = request
    self.sensor = sensor
  }
}

/// A record of a live workout (Documentation/capture-format.md): the calls of its program are enough to restore the
/// workout.
public enum WorkoutRecord: Hashable, Sendable {
  /// A workout begins; its slot is valid from here on.
  case begin(LiveWorkout)
  /// The instants that follow are of this boot.
  case boot(BootIdentifier, at: BootInstant)
  /// The wall clock minus the boot clock, for all instants of this boot, also those before.
  case clock(wallMinusBootMicroseconds: Int64, at: BootInstant)
  /// The recorder accepted a request about the workout.
  case call(WorkoutCall, at: BootInstant)
  /// Samples of its program that the workout collected and the store has; at least one.
  case samples([UUID])

  /// The record's line with its newline, for a slot (1…1048576).
  public func encoded(slot: Int) -> [UInt8] {
    var buffer = RecordBuffer()
    buffer.workout(self, slot: slot)
    return buffer.copy()
  }

  /// Decodes a line (with its newline) to its slot and record; nil for other and for damaged lines, and for boot and clock,
  /// which look as a session's do.
  public static func decode(_ line: [UInt8]) -> (slot: Int, record: WorkoutRecord)? {
    guard line.last == UInt8(ascii: "\n") else { return nil }
    let line = Array(line.dropLast())
    guard RecordLine.hasValidChecksum(line), case .workout(let slot, let record)? = RecordLine.record(line) else {
      return nil
    }
    return (slot, record)
  }
}

/// A request of a program about its live workout. All instants are of the boot of the record.
public enum WorkoutCall: Hashable, Sendable {
  case start
  case pause
  case resume
  /// An activity begins, and the one under way ends.
  case beginActivity(UUID, WorkoutConfiguration, metadata: Metadata)
  case endActivity
  /// An event with the number of its type in the store, over a time that is over.
  case event(type: Int64, start: BootInstant, end: BootInstant, metadata: Metadata)
  /// The workout is over; its sensor is still recorded, for the recovery.
  case stop
  /// All is over.
  case end
}

/// A live workout as a journal has it: its description and the requests so far.
public struct WorkoutContents: Hashable, Sendable {
  public var workout: LiveWorkout
  /// Metadata from its program; the last value of a key counts.
  public var metadata: Metadata = [:]
  /// Calls, boots and clocks in order.
  public private(set) var records: [WorkoutRecord] = []
  /// The samples that the workout collected, in the order in which they were added.
  public private(set) var samples: [UUID] = []

  public init(_ workout: LiveWorkout) {
    self.workout = workout
  }

  /// Appends the next record. A boot and a clock that are known already, as each segment repeats them, are skipped.
  public mutating func append(_ record: WorkoutRecord) {
    switch record {
    case .begin: break
    case .samples(let more): samples += more
    case .boot(let boot, _): if boot != self.boot { records.append(record) }
    case .clock(let offset, _): if offset != wallMinusBootMicroseconds { records.append(record) }
    case .call: records.append(record)
    }
  }

  /// The boot of the last record.
  public var boot: BootIdentifier? {
    for case .boot(let boot, _) in records.reversed() { return boot }
    return nil
  }

  /// The wall clock minus the boot clock, by the last record of this boot.
  public var wallMinusBootMicroseconds: Int64? {
    for record in records.reversed() {
      switch record {
      case .clock(let offset, _): return offset
      case .boot: return nil
      case .begin, .call, .samples: break
      }
    }
    return nil
  }

  /// The instant of the last record, in the boot of that record.
  public var lastInstant: BootInstant? {
    for record in records.reversed() {
      switch record {
      case .boot(_, let instant), .clock(_, let instant), .call(_, let instant): return instant
      case .begin, .samples: break
      }
    }
    return nil
  }
}
