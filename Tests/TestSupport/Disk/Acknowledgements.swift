/// What a recorder was promised of its journal, as the calls on the files show it: never what it says itself.
///
/// A value is a notification's payload in hexadecimal digits, or of a series `value 36.6` or `beat 812` with its tick, or of a workout
/// `event 17` or `activity 18` with the number in its metadata; a test gives each another.
public struct Acknowledgements: Sendable {
  /// A value that a write(2) took.
  public struct Written: Sendable {
    public var session: String
    public var payload: String
    /// When, on the machine's boot clock in microseconds.
    public var instant: Int64
  }

  /// In order; a kill may take none of them.
  public private(set) var written: [Written] = []
  /// Values that a returned sync covers, or whose session the store has: a power cut may take none of them.
  public private(set) var synced: Set<String> = []
  /// Sessions that the store was said to have.
  public private(set) var committed: Set<String> = []
  /// Values that a power cut may have taken.
  private var doubtful: Set<String> = []
  /// By file: values no sync has covered, and which session a slot stands for.
  private var unsynced: [UInt64: [String]] = [:]
  private var slots: [UInt64: [Substring: String]] = [:]
  private var covered: [Int64: (file: UInt64, values: [String])] = [:]

  public init() {}

  /// Values that have to be there after a kill, with the power cuts before it.
  public var kept: Set<String> { Set(written.lazy.map(\.payload)).subtracting(doubtful) }

  /// Takes the next call.
  public mutating func take(_ operation: DiskOperation) {
    switch operation.kind {
    case .start: covered = [:]
    case .open where operation.offset == 1:
      unsynced[operation.file] = nil
      slots[operation.file] = nil
    // A segment that is written again is worth nothing before its name is: it is left out of what was promised.
    case .write where operation.path.hasSuffix(".journal"): takeRecords(operation)
    case .syncBegin: covered[operation.offset] = (operation.file, unsynced[operation.file] ?? [])
    case .syncEnd:
      guard let values = covered.removeValue(forKey: operation.offset)?.values else { return }
      if operation.result >= 0 { synced.formUnion(values) }
      // After a failure nothing that this file had is ever sure.
      let rest = unsynced[operation.file]?.dropFirst(values.count)
      unsynced[operation.file] = rest.map { Array($0) }
    default: break
    }
  }

  /// The power is cut: what no sync covered may be gone, and the files are others.
  public mutating func cutPower() {
    for value in written where !synced.contains(value.payload) { doubtful.insert(value.payload) }
    unsynced = [:]
    slots = [:]
    covered = [:]
  }

  private mutating func takeRecords(_ operation: DiskOperation) {
    // What a write that was cut short left of a record is none.
    let whole = operation.data.lastIndex(of: 0x0A).map { operation.data[...$0] } ?? []
    for line in String(decoding: whole, as: UTF8.self).split(separator: "\n") {
      let fields = line.split(separator: " ")
      guard fields.count > 2 else { continue }
      if fields[0] == "committed" {
        let session = String(fields[1])
        committed.insert(session)
        for value in written where value.session == session && !doubtful.contains(value.payload) {
          synced.insert(value.payload)
        }
      } else if ["session", "resumes", "series", "workout"].contains(fields[1]) {
        slots[operation.file, default: [:]][fields[0]] = String(fields[2])
      } else if let session = slots[operation.file]?[fields[0]] {
        for payload in Self.payloads(fields) {
          written.append(Written(session: session, payload: payload, instant: operation.instant))
          unsynced[operation.file, default: []].append(payload)
        }
      }
    }
  }

  /// The values in a record; its last field is its checksum.
  private static func payloads(_ fields: [Substring]) -> [String] {
    switch fields[1] {
    case "values": return stride(from: 4, to: fields.count - 1, by: 3).map { "value \(fields[$0])" }
    case "beats":
      let isFirst = fields[2] != "after"
      var tick = isFirst ? 0 : Int(fields[3]) ?? 0
      return fields.dropFirst(isFirst ? 2 : 4).dropLast().compactMap { Int($0) }.map { interval in
        tick += interval
        return "beat \(tick)"
      }
    // A call of a workout: an activity, or an event whose metadata is its number.
    case _ where fields[2] == "activity" && fields.count > 4: return ["activity \(fields[fields.count - 2])"]
    case _ where fields[2] == "event" && fields.count > 4: return ["event \(fields[fields.count - 2])"]
    case _ where fields[2] == "start": return []
    default: return fields[2] == "m" && fields.count > 3 ? [String(fields[3])] : []
    }
  }
}
