public import FoundationEssentials
public import Sensors

/// A live workout as a journal has it: what is known of it, and what was asked of it so far.
public struct WorkoutContents: Hashable, Sendable {
  public var workout: LiveWorkout
  /// Metadata from its program; the last value of a key counts.
  public var metadata: [String: CaptureMetadataValue] = [:]
  /// Calls, boots and clocks in order.
  public private(set) var records: [WorkoutRecord] = []
  /// The samples that were collected with it, in the order in which they were added.
  public private(set) var samples: [UUID] = []

  public init(_ workout: LiveWorkout) {
    self.workout = workout
  }

  /// Appends what was written next. A boot and a clock that are known already, as each segment repeats them, are left out.
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

  /// The wall clock minus the boot clock, as the last record of this boot says.
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

  /// When its last record was written, in that one's boot.
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
