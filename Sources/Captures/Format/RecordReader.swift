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
  /// The series of clients, in the order of their first records.
  private(set) var series: [ClientSeriesContents] = []
  /// The live workouts, in the order of their first records.
  private(set) var workouts: [WorkoutContents] = []
  private(set) var committed: Set<UUID> = []
  private(set) var damages = DamageList()
  /// Records of unknown kinds.
  private(set) var unknownRecords = UnknownRecordList()

  private var indices: [UUID: Int] = [:]
  private var seriesIndices: [UUID: Int] = [:]
  private var workoutIndices: [UUID: Int] = [:]
  /// The only session, series or workout whose content is kept; nil for all.
  private let only: UUID?

  /// Whether the content of clients' series and workouts is kept.
  private let keepsClientData: Bool

  /// Whether events whose session no line names are kept for ``endFile(_:)``. Not for a journal: a power cut leaves
  /// such records, too, and may leave them a second time under their name.
  private let keepsNameless: Bool

  init(only: UUID? = nil, keepsClientData: Bool = true, keepsNameless: Bool = false) {
    self.only = only
    self.keepsClientData = keepsClientData
    self.keepsNameless = keepsNameless
  }

  /// A summary of one file.
  struct Summary {
    /// The sessions, series and workouts that the file names.
    var sessions: Set<UUID> = []
    /// Whether a record of the file could not be read for another reason than a crash.
    var isDamaged = false
  }

  /// Reads the records of a file whose first line is intact and `start` bytes long. If the first line is damaged, `start`
  /// is 0, and the file is read as of this version.
  mutating func read(
    _ bytes: Span<UInt8>, file: String?, version: Int = TextHeader.version, from start: Int, to end: Int? = nil,
    headerDamage: CaptureDamage.Reason = .header
  ) -> Summary {
    let bytes = bytes.extracting(0..<(end ?? bytes.count))
    var pass = begin(file: file, fileLength: bytes.count, version: version, from: start, headerDamage: headerDamage)
    read(bytes, &pass)
    return pass.summary
  }

  /// Begins to read a file of which ``read(_:_:)`` gets one part after the other.
  mutating func begin(
    file: String?, fileLength: Int, version: Int = TextHeader.version, from start: Int,
    headerDamage: CaptureDamage.Reason = .header, greatestRecord: Int = FileWindow.greatestRecord
  ) -> Pass {
    var pass = Pass(
      file: file, version: version, position: ReadingPosition(index: start, fileLength: fileLength),
      line: start == 0 ? 1 : 2, greatestRecord: greatestRecord)
    if start == 0, fileLength > 0 { note(headerDamage, &pass) }
    return pass
  }

  /// Reads the records that are whole in this part of the file.
  mutating func read(_ bytes: Span<UInt8>, _ pass: inout Pass) {
    while pass.position.index < bytes.count, pass.position.needed == 0 {
      if let record = MeasurementScanner(bytes, at: pass.position.index),
        let index = pass.session(of: record.slot)
      {
        if index >= 0 {
          sessions[index].log.appendMeasurement(at: BootInstant(microseconds: record.microseconds)) {
            record.appendPayload(to: &$0)
          }
        }
        pass.position.index = record.next
        pass.line += 1
      } else {
        readLine(bytes, &pass)
      }
    }
    if pass.position.needed == 0, pass.position.remaining > 0 { pass.position.needed = 1 }
  }

  /// The number of events so far.
  var eventCount: Int { sessions.reduce(0) { $0 + $1.log.count } }

  /// The state of reading one file.
  struct Pass {
    fileprivate let file: String?
    fileprivate let version: Int
    fileprivate let greatestRecord: Int
    var position: ReadingPosition
    fileprivate var line: Int
    /// Whether the present line is longer than any record, so that its rest is skipped.
    fileprivate var isInLongLine = false
    fileprivate var summary = Summary()
    /// The number of further damaged lines for which a repair is tried: each one needs time.
    fileprivate var repairs = 64
    /// Events by their slot where the line that named its session cannot be read.
    fileprivate var nameless: [Int: SensorEventLog] = [:]
    fileprivate var namelessCount = 0
    /// For each slot the index of its session, or ``unwanted`` or ``unknown``, or the ``place(ofSeries:)`` or
    /// ``place(ofWorkout:)``.
    private var slots: [Int32] = []

    fileprivate static let unwanted: Int32 = -1
    private static let unknown: Int32 = -2
    /// From here on down series have the odd numbers, and workouts the even ones.
    private static let firstSeries: Int32 = -3
    private static let firstWorkout: Int32 = -4

    /// The number that stands for a client's series among the indices of sessions.
    fileprivate static func place(ofSeries index: Int) -> Int32 { firstSeries - 2 * Int32(index) }

    /// The same for a workout.
    fileprivate static func place(ofWorkout index: Int) -> Int32 { firstWorkout - 2 * Int32(index) }

    /// The index of the series with this slot; nil if no series that is wanted has it.
    fileprivate func series(of slot: Int) -> Int? { index(of: slot, from: Self.firstSeries) }

    /// The same for a workout.
    fileprivate func workout(of slot: Int) -> Int? { index(of: slot, from: Self.firstWorkout) }

    private func index(of slot: Int, from first: Int32) -> Int? {
      guard slot < slots.count, slots[slot] <= first, (first - slots[slot]) % 2 == 0 else { return nil }
      return Int((first - slots[slot]) / 2)
    }

    fileprivate init(file: String?, version: Int, position: ReadingPosition, line: Int, greatestRecord: Int) {
      self.file = file
      self.version = version
      self.position = position
      self.line = line
      self.greatestRecord = greatestRecord
    }

    /// The index of the session with this slot, negative if it is not wanted; nil if no session has the slot.
    fileprivate func session(of slot: Int) -> Int? {
      guard slot < slots.count, slots[slot] != Self.unknown else { return nil }
      return Int(slots[slot])
    }

    fileprivate mutating func give(_ slot: Int, to session: Int32) {
      while slots.count <= slot { slots.append(Self.unknown) }
      slots[slot] = session
    }

    fileprivate func damage(_ reason: CaptureDamage.Reason) -> CaptureDamage {
      CaptureDamage(file: file, record: line, offset: position.fileOffset, reason: reason)
    }
  }

  private mutating func note(_ reason: CaptureDamage.Reason, _ pass: inout Pass) {
    let damage = pass.damage(reason)
    if !damage.isExpectedAfterCrash { pass.summary.isDamaged = true }
    damages.append(damage)
  }

  private mutating func readLine(_ bytes: Span<UInt8>, _ pass: inout Pass) {
    let start = pass.position.index
    var end = start
    while end < bytes.count, bytes[end] != UInt8(ascii: "\n") { end += 1 }
    // Damage of the first line is recorded already.
    let isHeader = pass.line == 1 || pass.isInLongLine
    guard end < bytes.count else {
      let isLast = pass.position.remaining == end - start
      if !isHeader, isLast { note(.cutOff, &pass) }
      if isLast || pass.isInLongLine {
        pass.position.index = end
      } else if end - start < pass.greatestRecord {
        pass.position.needed = 2 * (end - start)
      } else {
        if !isHeader { note(.checksum, &pass) }
        pass.isInLongLine = true
        pass.position.index = end
      }
      return
    }
    defer {
      pass.position.index = end + 1
      pass.line += 1
      pass.isInLongLine = false
    }
    guard !pass.isInLongLine else { return }
    let whole = (start..<end).map { bytes[$0] }
    let line = RecordLine.behindZeros(whole)
    let hasZeros = line.count < whole.count
    if hasZeros, !isHeader { note(.zeros, &pass) }
    if RecordLine.hasValidChecksum(line) {
      switch RecordLine.read(line, version: pass.version) {
      case .record(let record): handle(record, &pass)
      case .unknown(let unknown): handle(unknown, pass)
      case .malformed(let field): note(.malformed(field: field), &pass)
      }
    } else if !isHeader {
      if !hasZeros { note(.checksum, &pass) }
      // A flipped bit can make a zero, too.
      guard pass.repairs > 0, RecordLine.repairable.contains(whole.count) else { return }
      pass.repairs -= 1
      guard let repaired = RecordLine.repaired(whole) else { return }
      if case .record(let record) = RecordLine.read(repaired, version: pass.version) { handle(record, &pass) }
    }
  }

  private mutating func handle(_ record: Record, _ pass: inout Pass) {
    switch record {
    case .session(let slot, let header):
      declare(header, RecordBuffer.Resumption(), slot, &pass)
    case .resumes(let slot, let header, let resumption):
      declare(header, resumption, slot, &pass)
    case .requested(let slot, let request):
      guard let index = pass.session(of: slot) else { return note(.unknownSlot(slot), &pass) }
      if index >= 0 { sessions[index].header.request = request }
    case .metadata(let slot, let key, let value):
      guard let index = pass.session(of: slot) else { return note(.unknownSlot(slot), &pass) }
      if index >= 0 { sessions[index].header.metadata[key] = value }
      if let index = pass.series(of: slot) { series[index].metadata[key] = value }
      if let index = pass.workout(of: slot) { workouts[index].metadata[key] = value }
    case .event(let slot, let event):
      guard let index = pass.session(of: slot) else { return append(nameless: event, slot, &pass) }
      if index >= 0 { sessions[index].append(event) }
      if let index = pass.workout(of: slot), keepsClientData, let record = WorkoutRecord(event) {
        workouts[index].append(record)
      }
    case .workout(let slot, .begin(let workout)):
      declare(workout, slot, &pass)
    case .workout(let slot, let record):
      if let index = pass.workout(of: slot) {
        if keepsClientData { workouts[index].append(record) }
      } else if pass.session(of: slot) == nil {
        note(.unknownSlot(slot), &pass)
      }
    case .series(let slot, .begin(let series)):
      declare(series, slot, &pass)
    case .series(let slot, let record):
      if let index = pass.series(of: slot) {
        if keepsClientData { series[index].append(record) }
      } else if pass.session(of: slot) == nil {
        note(.unknownSlot(slot), &pass)
      }
    case .committed(let session):
      committed.insert(session)
    case .rewrites:
      break
    }
  }

  /// Appends an event whose session no readable line names: for ``endFile(_:)``, if a damaged line may be the one.
  private mutating func append(nameless event: SensorEvent, _ slot: Int, _ pass: inout Pass) {
    guard keepsNameless, pass.summary.isDamaged, pass.namelessCount < CaptureFile.greatestCount else {
      return note(.unknownSlot(slot), &pass)
    }
    pass.namelessCount += 1
    pass.nameless[slot, default: SensorEventLog()].append(event)
  }

  /// Ends a file: values without a session, because the line that named it is damaged, become a session of their own.
  ///
  /// The sensor of such a session is unknown. The identifier follows from the first value, so that each reading gives
  /// the same one.
  mutating func endFile(_ pass: inout Pass) {
    for (slot, log) in pass.nameless.sorted(by: { $0.key < $1.key }) {
      guard let identifier = Self.identifier(of: log) else {
        note(.unknownSlot(slot), &pass)
        continue
      }
      guard isWanted(identifier, slot, &pass), indices[identifier] == nil else { continue }
      var session = Session(
        header: CaptureHeader(
          session: identifier, sensor: SensorIdentity(address: nil, name: nil), source: "unknown"))
      for event in log { session.append(event) }
      indices[identifier] = sessions.count
      sessions.append(session)
    }
    pass.nameless = [:]
  }

  private static func identifier(of log: SensorEventLog) -> UUID? {
    var boot = ""
    for event in log {
      switch event.kind {
      case .boot(let identifier): boot = "\(identifier.high) \(identifier.low) "
      case .measurement(let bytes):
        return UUID(name: "\(boot)\(event.instant.microseconds) \(bytes)", in: namelessSpace)
      default: break
      }
    }
    return nil
  }

  private static let namelessSpace = UUID(
    uuid: (
      0x6B, 0x1F, 0x0C, 0x52, 0x9D, 0x3E, 0x4A, 0x77, 0x8E, 0x21, 0x5C, 0x90, 0xD4, 0x0A, 0xB3, 0x68
    ))

  /// Handles a record of unknown kind: it is reported and preserved with its session.
  private mutating func handle(_ unknown: RecordLine.Unknown, _ pass: Pass) {
    unknownRecords.append(UnknownRecord(file: pass.file, record: pass.line, kind: unknown.kind))
    guard let slot = unknown.slot, let index = pass.session(of: slot), index >= 0 else { return }
    sessions[index].carried.append(
      CarriedRecord(eventsBefore: sessions[index].log.count, fields: unknown.fields))
  }

  /// Whether the reader wants the content of a declared session, series or workout. Its segment stays in any case until
  /// a record says that the store has it.
  private func isWanted(_ identifier: UUID, _ slot: Int, _ pass: inout Pass) -> Bool {
    pass.summary.sessions.insert(identifier)
    guard only == nil || only == identifier else {
      pass.give(slot, to: Pass.unwanted)
      return false
    }
    return true
  }

  private mutating func declare(_ workout: LiveWorkout, _ slot: Int, _ pass: inout Pass) {
    guard isWanted(workout.identifier, slot, &pass) else { return }
    let index = workoutIndices[workout.identifier] ?? workouts.count
    if index == workouts.count {
      workoutIndices[workout.identifier] = index
      workouts.append(WorkoutContents(workout))
    }
    pass.give(slot, to: Pass.place(ofWorkout: index))
  }

  private mutating func declare(_ its: ClientSeries, _ slot: Int, _ pass: inout Pass) {
    guard isWanted(its.identifier, slot, &pass) else { return }
    // Each segment names it anew.
    let index = seriesIndices[its.identifier] ?? series.count
    if index == series.count {
      seriesIndices[its.identifier] = index
      series.append(ClientSeriesContents(its))
    }
    pass.give(slot, to: Pass.place(ofSeries: index))
  }

  private mutating func declare(
    _ header: CaptureHeader, _ resumption: RecordBuffer.Resumption, _ slot: Int, _ pass: inout Pass
  ) {
    guard isWanted(header.session, slot, &pass) else { return }
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
  /// Updates the context that a later segment would need.
  mutating func update(with event: SensorEvent) {
    switch event.kind {
    case .boot(let boot): self.boot = boot
    case .clock(let offset): wallMinusBootMicroseconds = offset
    default: break
    }
  }
}

extension WorkoutRecord {
  /// A boot or a clock of a workout, which look as a session's do; nil for other events.
  fileprivate init?(_ event: SensorEvent) {
    switch event.kind {
    case .boot(let boot): self = .boot(boot, at: event.instant)
    case .clock(let offset): self = .clock(wallMinusBootMicroseconds: offset, at: event.instant)
    default: return nil
    }
  }
}
