import FoundationEssentials
import Sensors

/// Assembles sessions from the records of one file, or of several segments in order.
struct RecordReader {
  /// A session as far as it was read.
  struct Session {
    var header: CaptureHeader
    var log = SensorEventLog()
    var resumption = RecordBuffer.Resumption()
    var hasEnded = false
    var carried: [CarriedRecord] = []
  }

  /// In the order of their first records.
  private(set) var sessions: [Session] = []
  private(set) var committed: Set<UUID> = []
  private(set) var damages = DamageList()
  /// Records of unknown kinds.
  private(set) var unknownRecords = UnknownRecordList()

  private var indices: [UUID: Int] = [:]
  /// The only session whose events are kept; nil for all.
  private let only: UUID?

  init(only: UUID? = nil) {
    self.only = only
  }

  /// A summary of one file.
  struct Summary {
    /// The sessions that it names, and the series of clients.
    var sessions: Set<UUID> = []
    /// Whether something in it could not be read for another reason than a crash.
    var isDamaged = false
  }

  /// Reads the records of a file whose first line is intact and `start` bytes long. If the first line is damaged, `start`
  /// is 0, and the file is read as of this version.
  mutating func read(
    _ bytes: Span<UInt8>, file: String?, version: Int = TextHeader.version, from start: Int, to end: Int? = nil,
    headerDamage: CaptureDamage.Reason = .header
  ) -> Summary {
    let bytes = bytes.extracting(0..<(end ?? bytes.count))
    var pass = Pass(file: file, version: version, position: start, line: start == 0 ? 1 : 2)
    if start == 0, !bytes.isEmpty { note(headerDamage, &pass) }
    while pass.position < bytes.count {
      if let record = MeasurementScanner(bytes, at: pass.position),
        let index = pass.session(of: record.slot)
      {
        if index >= 0 {
          sessions[index].log.appendMeasurement(at: BootInstant(microseconds: record.microseconds)) {
            record.appendPayload(to: &$0)
          }
        }
        pass.position = record.next
        pass.line += 1
      } else {
        readLine(bytes, &pass)
      }
    }
    return pass.summary
  }

  /// The state of reading one file.
  private struct Pass {
    let file: String?
    let version: Int
    var position: Int
    var line: Int
    var summary = Summary()
    /// For each slot the index of its session, or ``unwanted``, ``series`` or ``unknown``.
    private var slots: [Int32] = []

    static let unwanted: Int32 = -1
    /// The slot belongs to a client's series, which this program does not read.
    static let series: Int32 = -3
    private static let unknown: Int32 = -2

    init(file: String?, version: Int, position: Int, line: Int) {
      self.file = file
      self.version = version
      self.position = position
      self.line = line
    }

    /// The index of the session with this slot, negative if it is not wanted; nil if no session has the slot.
    func session(of slot: Int) -> Int? {
      guard slot < slots.count, slots[slot] != Self.unknown else { return nil }
      return Int(slots[slot])
    }

    mutating func give(_ slot: Int, to session: Int32) {
      while slots.count <= slot { slots.append(Self.unknown) }
      slots[slot] = session
    }

    func damage(_ reason: CaptureDamage.Reason) -> CaptureDamage {
      CaptureDamage(file: file, record: line, offset: position, reason: reason)
    }
  }

  private mutating func note(_ reason: CaptureDamage.Reason, _ pass: inout Pass) {
    let damage = pass.damage(reason)
    if !damage.isExpectedAfterCrash { pass.summary.isDamaged = true }
    damages.append(damage)
  }

  private mutating func readLine(_ bytes: Span<UInt8>, _ pass: inout Pass) {
    var end = pass.position
    while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
    defer {
      pass.position = end + 1
      pass.line += 1
    }
    // Damage of the first line is recorded already.
    let isHeader = pass.line == 1
    guard end < bytes.count else {
      if !isHeader { note(.cutOff, &pass) }
      return
    }
    let whole = (pass.position..<end).map { bytes[$0] }
    let line = RecordLine.behindZeros(whole)
    let hasZeros = line.count < whole.count
    if hasZeros, !isHeader { note(.zeros, &pass) }
    if RecordLine.hasValidChecksum(line) {
      switch RecordLine.read(line, version: pass.version) {
      case .record(let record): handle(record, &pass)
      case .unknown(let unknown): handle(unknown, pass)
      case .malformed(let field): note(.malformed(field: field), &pass)
      }
    } else if !hasZeros, !isHeader {
      note(.checksum, &pass)
    }
  }

  private mutating func handle(_ record: Record, _ pass: inout Pass) {
    switch record {
    case .session(let slot, let header):
      declare(header, RecordBuffer.Resumption(), slot, &pass)
    case .resumes(let slot, let header, let resumption):
      declare(header, resumption, slot, &pass)
    case .metadata(let slot, let key, let value):
      guard let index = pass.session(of: slot) else { return note(.unknownSlot(slot), &pass) }
      if index >= 0 { sessions[index].header.metadata[key] = value }
    case .event(let slot, let event):
      guard let index = pass.session(of: slot) else { return note(.unknownSlot(slot), &pass) }
      if index >= 0 { sessions[index].append(event) }
    case .series(let slot, .begin(let series)):
      // The segment stays until the store is recorded as having the series.
      pass.summary.sessions.insert(series.identifier)
      pass.give(slot, to: Pass.series)
    case .series(let slot, _):
      if pass.session(of: slot) == nil { note(.unknownSlot(slot), &pass) }
    case .committed(let session):
      committed.insert(session)
    case .rewrites:
      break
    }
  }

  /// Handles a record of unknown kind: it is reported and preserved with its session.
  private mutating func handle(_ unknown: RecordLine.Unknown, _ pass: Pass) {
    unknownRecords.append(UnknownRecord(file: pass.file, record: pass.line, kind: unknown.kind))
    guard let slot = unknown.slot, let index = pass.session(of: slot), index >= 0 else { return }
    sessions[index].carried.append(
      CarriedRecord(eventsBefore: sessions[index].log.count, fields: unknown.fields))
  }

  private mutating func declare(
    _ header: CaptureHeader, _ resumption: RecordBuffer.Resumption, _ slot: Int, _ pass: inout Pass
  ) {
    pass.summary.sessions.insert(header.session)
    guard only == nil || only == header.session else { return pass.give(slot, to: Pass.unwanted) }
    if let index = indices[header.session] {
      pass.give(slot, to: Int32(index))
      // The records of the new boot are damaged: without this event, instants of two boots would be mixed.
      if let boot = resumption.boot, boot != sessions[index].resumption.boot, let instant = resumption.instant {
        sessions[index].append(SensorEvent(.boot(boot), at: instant))
      }
      return
    }
    var session = Session(header: header)
    if let instant = resumption.instant {
      // The session's beginning was lost with an earlier segment.
      if let boot = resumption.boot { session.append(SensorEvent(.boot(boot), at: instant)) }
      if let offset = resumption.wallMinusBootMicroseconds {
        session.append(SensorEvent(.clock(wallMinusBootMicroseconds: offset), at: instant))
      }
    }
    indices[header.session] = sessions.count
    pass.give(slot, to: Int32(sessions.count))
    sessions.append(session)
  }
}

extension RecordReader.Session {
  var capture: Capture { Capture(header: header, log: log, carried: carried) }

  fileprivate mutating func append(_ event: SensorEvent) {
    resumption.update(with: event)
    if case .ended = event.kind { hasEnded = true }
    log.append(event)
  }
}

extension RecordBuffer.Resumption {
  /// Tracks what a later segment would need to know.
  mutating func update(with event: SensorEvent) {
    switch event.kind {
    case .boot(let boot): self.boot = boot
    case .clock(let offset): wallMinusBootMicroseconds = offset
    default: break
    }
  }
}
