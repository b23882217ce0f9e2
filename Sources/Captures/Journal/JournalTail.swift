import FoundationEssentials
import Sensors

/// Records that no sync has covered yet, kept so that they can be written again should the sync fail.
struct JournalTail {
  /// Whole records, without the first lines of segments.
  private(set) var bytes: [UInt8] = []
  private(set) var recordCount = 0
  private(set) var sessions: Set<UUID> = []
  /// The first event of each of them that has one.
  private(set) var firstInstants: [UUID: BootInstant] = [:]
  /// The segment and byte at which the first of them stands; nil where there are none.
  private(set) var start: Position?
  /// False once more was written than may be kept: then it cannot be written again.
  private(set) var isComplete = true

  /// As much as it takes to reach the bytes that are synced at once, since an array that grows doubles.
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

  /// Notes that records of this session are among them, the first event at this instant.
  mutating func insert(_ session: UUID, at instant: BootInstant?) {
    sessions.insert(session)
    if firstInstants[session] == nil { firstInstants[session] = instant }
  }

  /// Adds what was written later.
  mutating func append(_ later: JournalTail, limit: Int) {
    guard let position = later.start else { return }
    if !later.isComplete { isComplete = false }
    unsafe later.bytes.withUnsafeBufferPointer { bytes in
      unsafe append(bytes, count: later.recordCount, at: position, limit: limit)
    }
    sessions.formUnion(later.sessions)
    firstInstants.merge(later.firstInstants) { first, _ in first }
  }

  /// The room is used again, but not what a slow sync has made it grow to: that would never be given back.
  mutating func removeAll() {
    bytes.removeAll(keepingCapacity: bytes.capacity <= Self.reusedCapacity)
    recordCount = 0
    sessions.removeAll(keepingCapacity: true)
    firstInstants.removeAll(keepingCapacity: true)
    start = nil
    isComplete = true
  }
}
