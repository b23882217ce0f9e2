import FoundationEssentials
import HealthModel

extension SessionTable {
  /// Saves a session; see ``HealthStore/commit(_:events:restore:clock:)``.
  func commit(
    _ session: RecordedSession, events: [HeartEvent], restore: Bool, clock: RecordedClock?
  ) throws(StoreError) -> CommitOutcome {
    try Self.validate(session)
    let existing = try row(of: session.id)
    // A later version of a session has the clock of the version before.
    let clock = try existing.flatMap { (row) throws(StoreError) in try connection.clocks.clock(of: row.id) } ?? clock
    var collectors: [(owner: Int64, type: Int64)] = []
    if let existing {
      guard try isNewer(session, than: existing) else { return .unchanged }
      collectors = try connection.associations.collectors(ofSession: existing.id)
      _ = try deleteContents(of: existing.id)
    } else if !restore, try connection.changeList.wasDeleted(session.id) {
      return .deletedBefore
    }
    let row = try insert(session, events, dating: clock?.dating ?? 0)
    if let clock { try connection.clocks.set(clock, of: row) }
    try connection.associations.collect(fromSession: row, for: collectors)
    return existing == nil ? .stored : .replaced
  }

  static func validate(_ session: RecordedSession) throws(StoreError) {
    let range = Timestamp.calendarRange
    let times = [session.start, session.end] + [session.rates.first, session.rates.last].compactMap { $0?.time }
    let problem: String? =
      if !times.allSatisfy(range.contains) {
        "it lies outside of the years 1 to 9999"
      } else if session.end < session.start {
        "it ends before it starts"
      } else if zip(session.rates, session.rates.dropFirst()).contains(where: { $1.time < $0.time }) {
        "its rates are not in order of time"
      } else {
        nil
      }
    if let problem {
      throw StoreError(.invalid, "session \(session.id.uuidString.lowercased()) cannot be stored: \(problem)")
    }
  }

  /// Whether more was received of the session than is stored, or a later algorithm computed it from the same events.
  private func isNewer(_ session: RecordedSession, than stored: (id: Int64, syncVersion: Int64)) throws(StoreError)
    -> Bool
  {
    guard session.syncVersion == stored.syncVersion else { return session.syncVersion > stored.syncVersion }
    let quality = try connection.metadata.quality(ofSession: stored.id)
    return session.quality.algorithmVersion ?? 0 > quality.algorithmVersion ?? 0
  }

  /// Inserts a session with its events and samples; returns the row of the session. `dating` is the number of its
  /// dating.
  func insert(_ session: RecordedSession, _ events: [HeartEvent], dating: Int64) throws(StoreError) -> Int64 {
    let source = try connection.provenance.row(of: session.source)
    let device = try connection.provenance.row(of: session.device)
    let type = try connection.types.row(of: .session)
    let id = try connection.changeList.record(session.id, type: type, source: source, deleted: false)
    try connection.insert(
      [
        .integer(id), .integer(session.syncVersion), .integer(source), .integer(device), SQLValue(session.start),
        SQLValue(session.end), .text(session.endReason), SQLValue(session.coverage?.floor),
        SQLValue(session.coverage?.ceiling), SQLValue(QualityText.pack(session.quality)),
      ], into: Schema.sessions)
    try connection.metadata.insert(session.metadata, of: id)
    for (ordinal, gap) in session.gaps.enumerated() {
      try connection.insert(
        [
          .integer(id), .integer(Int64(ordinal)), .text(gap.reason), SQLValue(gap.detail), SQLValue(gap.start),
          SQLValue(gap.end), SQLValue(gap.estimatedLostBeats),
        ], into: Schema.gaps)
    }
    for (ordinal, marker) in session.markers.enumerated() {
      try connection.insert(
        [.integer(id), .integer(Int64(ordinal)), SQLValue(marker.time), .text(marker.text)], into: Schema.markers)
    }
    let origin = SampleOrigin(session: id, source: source, device: device)
    try insertSamples(of: session, origin: origin, dating: dating)
    let part = SessionPart.events.identifier(in: session, dating: dating)
    for event in events { try insert(event, of: session.id, part: part, origin: origin) }
    return id
  }

  private func insertSamples(
    of session: RecordedSession, origin: SampleOrigin, dating: Int64
  ) throws(StoreError) {
    // The metadata of a session that a program requested are also those of its samples: programs see nothing else of a
    // session.
    let isRequested = session.metadata[ReservedMetadata.requestedBy] != nil
    let metadata = isRequested ? session.metadata.filter { !ReservedMetadata.all.contains($0.key) } : [:]
    if let first = session.rates.first, let last = session.rates.last {
      let content = QuantityContent(chunks: Self.pack(session.rates), type: .heartRate)
      let rates = try connection.samples.insert(
        content,
        as: SampleRecord(
          uuid: SessionPart.rates.identifier(in: session, dating: dating), type: .quantity(.heartRate),
          start: first.time.flooredToMilliseconds, end: last.time.flooredToMilliseconds), origin: origin)
      try connection.metadata.insert(metadata, of: rates)
    }
    var beats: Int64?
    if let bounds = session.heartbeats.bounds {
      beats = try connection.samples.insert(
        HeartbeatContent(series: session.heartbeats),
        as: SampleRecord(
          uuid: SessionPart.beats.identifier(in: session, dating: dating), type: .heartbeatSeries, start: bounds.start,
          end: bounds.end), origin: origin)
      if let beats { try connection.metadata.insert(metadata, of: beats) }
    }
    guard let span = TimeSpan(start: session.start, end: session.end) else { return }
    for figure in SessionFigure.all {
      guard let value = session.variability[keyPath: figure.value], value.isFinite else { continue }
      try insert(
        figure, value, over: span, as: figure.part.identifier(in: session, dating: dating), origin: origin,
        beats: beats)
    }
  }

  /// Inserts a figure of a session as a sample of its type, computed from the beats of that number.
  func insert(
    _ figure: SessionFigure, _ value: Double, over span: TimeSpan, as uuid: UUID, origin: SampleOrigin, beats: Int64?
  ) throws(StoreError) {
    var packer = QuantityPacker()
    _ = packer.add(
      QuantityPacker.Item(value: value, start: span.start.microseconds, end: span.end.microseconds))
    let id = try connection.samples.insert(
      QuantityContent(chunks: packer.finish().map { [$0] } ?? [], type: figure.type),
      as: SampleRecord(uuid: uuid, type: .quantity(figure.type), start: span.start, end: span.end), origin: origin)
    try connection.metadata.insert(figure.metadata, of: id)
    if let beats { try connection.associations.insert([beats], of: id, as: .basis) }
  }

  private static func pack(_ rates: [HeartRateValue]) -> [QuantityPacker.Packed] {
    var packer = QuantityPacker()
    var chunks: [QuantityPacker.Packed] = []
    for rate in rates {
      let time = rate.time.flooredToMilliseconds.microseconds
      let item = QuantityPacker.Item(
        value: Double(rate.beatsPerMinute), start: time, end: time, contact: rate.contact.rawValue,
        kilojoules: rate.energyKilojoules)
      if let chunk = packer.add(item) { chunks.append(chunk) }
    }
    if let chunk = packer.finish() { chunks.append(chunk) }
    return chunks
  }
}

/// The samples of a session. The raw value is the part of the session's identity from which their identifiers are derived.
enum SessionPart: UInt64 {
  case rates = 1
  case beats = 2
  case sdnn = 3
  case rmssd = 4
  case pnn50 = 5
  /// Heart events, each with an identifier that is derived from this one.
  case events = 6

  /// Each version of a session has its own sample identifiers; the samples of the previous version are deleted. The same
  /// version, deleted and restored, has the same identifiers again.
  func identifier(in session: RecordedSession, dating: Int64) -> UUID {
    identifier(
      in: session.id, syncVersion: session.syncVersion, algorithmVersion: session.quality.algorithmVersion ?? 0,
      dating: dating)
  }

  func identifier(in session: UUID, syncVersion: Int64, algorithmVersion: Int64, dating: Int64) -> UUID {
    session.derived(part: rawValue, version: syncVersion ^ algorithmVersion << 48 ^ dating << 32)
  }
}

/// A variability figure of a session: a sample of its type over the whole session.
struct SessionFigure: Sendable {
  var part: SessionPart
  var type: QuantityType
  var value: any WritableKeyPath<HeartRateVariabilitySummary, Double?> & Sendable
  /// The metadata of the figure's sample: the filter and the divisor by which it was computed.
  var metadata: Metadata

  static let all = [
    SessionFigure(
      part: .sdnn, type: .heartRateVariabilitySDNN, value: \.sdnnMilliseconds,
      metadata: ["filter": .text(NNIntervals.Filter.normalToNormal.rawValue), "divisor": "n-1"]),
    SessionFigure(
      part: .rmssd, type: .heartRateVariabilityRMSSD, value: \.rmssdMilliseconds,
      metadata: ["filter": .text(NNIntervals.Filter.normalToNormal.rawValue)]),
    SessionFigure(
      part: .pnn50, type: .heartRateVariabilityPNN50, value: \.pnn50,
      metadata: ["filter": .text(NNIntervals.Filter.normalToNormal.rawValue)]),
  ]
}
