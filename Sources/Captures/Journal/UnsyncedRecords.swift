import FoundationEssentials
import Sensors

/// Records that no sync has covered yet, in memory, so that they can be written again if the sync fails.
struct UnsyncedRecords {
  /// Complete records, without the first lines of segments.
  private(set) var bytes: [UInt8] = []
  private(set) var recordCount = 0
  private(set) var sessions: Set<UUID> = []
  /// The sessions of the records, each with the instant of its first event, if it has one.
  private(set) var firstInstants: [UUID: BootInstant] = [:]
  /// The segment and offset of the first record; nil without records.
  private(set) var start: Position?
  /// Whether memory holds all records; false once they exceeded the limit, and then they cannot be written again.
  private(set) var isComplete = true

  /// The capacity that is kept for reuse: growing arrays double, so an array that reaches the volume of an immediate
  /// sync has this capacity.
  private static let reusedCapacity = 1 << 20

  struct Position: Hashable {
    var segment: Int
    var offset: Int
  }

  mutating func append(
    _ records: UnsafeBufferPointer<UInt8>, count: Int, at position: Position, limit: Int
  ) {
    if start == nil { start = position }
    recordCount += count
    guard isComplete, bytes.count + records.count <= limit else {
      isComplete = false
      bytes = []
      return
    }
    unsafe bytes.append(contentsOf: records)
  }

  /// Adds the session of appended records, with the instant of its first event.
  mutating func insert(_ session: UUID, at instant: BootInstant?) {
    sessions.insert(session)
    if firstInstants[session] == nil { firstInstants[session] = instant }
  }

  /// Appends records that were written later.
  mutating func append(_ later: UnsyncedRecords, limit: Int) {
    guard let position = later.start else { return }
    if !later.isComplete { isComplete = false }
    unsafe later.bytes.withUnsafeBufferPointer { bytes in
      unsafe append(bytes, count: later.recordCount, at: position, limit: limit)
    }
    sessions.formUnion(later.sessions)
    firstInstants.merge(later.firstInstants) { first, _ in first }
  }

  /// Removes all records. Leaves the capacity for reuse, except where a slow sync has enlarged it, which would never be
  /// returned.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.reusedCapacity)
    recordCount = 0
    sessions.removeAll(keepingCapacity: true)
    firstInstants.removeAll(keepingCapacity: true)
    start = nil
    isComplete = true
  }
}
