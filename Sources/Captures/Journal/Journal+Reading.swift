public import FoundationEssentials
import Glibc
import Synchronization
import Timeline

extension Journal {
  /// Reads one session from the segments for the final pass: completely or not at all. Only this session takes memory.
  /// Waits for a sync in progress.
  ///
  /// A segment that cannot be read, temporarily or permanently, is an error; otherwise its records would be missing in the
  /// session and then be deleted with it. With `leavingOutUnreadable` such a segment is left out and reported as damage,
  /// and its file is set aside once the session is committed. A segment that somebody deleted is no error, because it will
  /// not come back.
  ///
  /// - Throws: ``JournalError`` with `unknownSession`, or with `cannotRead` and the path of what cannot be read.
  public func capture(
    of session: UUID, leavingOutUnreadable: Bool = false
  ) throws(JournalError) -> (capture: Capture, damages: [CaptureDamage]) {
    try read(session, leavingOutUnreadable, { $0.sessions.first?.capture }) {
      $0.header.map { Capture(header: $0, events: []) }
    }
  }

  /// Reads a client's series from the segments, as ``capture(of:leavingOutUnreadable:)`` reads a session.
  ///
  /// - Throws: ``JournalError`` with `unknownSession`, or with `cannotRead` and the path of what cannot be read.
  public func contents(
    ofSeries series: UUID, leavingOutUnreadable: Bool = false
  ) throws(JournalError) -> (contents: ClientSeriesContents, damages: [CaptureDamage]) {
    try read(series, leavingOutUnreadable, \.series.first) { $0.series.map(ClientSeriesContents.init) }
  }

  /// Reads a live workout from the segments, as ``capture(of:leavingOutUnreadable:)`` reads a session.
  ///
  /// - Throws: ``JournalError`` with `unknownSession`, or with `cannotRead` and the path of what cannot be read.
  public func contents(
    ofWorkout workout: UUID, leavingOutUnreadable: Bool = false
  ) throws(JournalError) -> (contents: WorkoutContents, damages: [CaptureDamage]) {
    try read(workout, leavingOutUnreadable, \.workouts.first) { $0.workout.map(WorkoutContents.init) }
  }

  /// Reads what the segments have of an object: `found`, or what its name alone makes where the segments exist, but
  /// somebody removed the object's records.
  private func read<Contents>(
    _ identifier: UUID, _ leavingOutUnreadable: Bool, _ found: (RecordReader) -> Contents?,
    empty: (JournalledObject.Name) -> Contents?
  ) throws(JournalError) -> (Contents, [CaptureDamage]) {
    let (scan, basis, leftOut) = try scan(for: identifier, leavingOutUnreadable: leavingOutUnreadable)
    let damages = leftOut + scan.reader.damages.first
    if let contents = found(scan.reader) { return (contents, damages) }
    guard !leftOut.isEmpty || !basis.segments.isEmpty, let contents = basis.name.flatMap(empty) else {
      throw JournalError(.unknownSession, path: directory)
    }
    return (contents, damages.isEmpty ? [CaptureDamage(record: 1, offset: 0, reason: .cutOff)] : damages)
  }

  /// Reads the segments that name a session, a series or a workout; the damages are those of segments that were left out.
  private func scan(
    for identifier: UUID, leavingOutUnreadable: Bool
  ) throws(JournalError) -> (scan: JournalScan, basis: ReadingBasis, leftOut: [CaptureDamage]) {
    for _ in 0..<Self.greatestReadings {
      let (basis, directory) = readingBasis(of: identifier)
      let scan: JournalScan
      do {
        scan = try JournalScan(directory, only: identifier, wanted: basis.segments)
      } catch {
        throw JournalError(.cannotRead, errorNumber: error.number, path: self.directory)
      }
      // A sync that failed meanwhile may have lost what was to be read, and written it to another segment.
      guard readingBasis(of: identifier).basis.rewritings == basis.rewritings else { continue }
      if let failure = scan.foreignFiles.first, !leavingOutUnreadable {
        throw JournalError(
          .cannotRead, errorNumber: failure.reason.errorNumber, path: "\(self.directory)/\(failure.name)")
      }
      let leftOut = scan.foreignFiles.map { CaptureDamage(leavingOut: $0) }
      let damaged = Set(scan.segments.lazy.filter(\.summary.isDamaged).map(\.number))
        .union(scan.foreignFiles.lazy.compactMap { SegmentName.number($0.name) })
      if !damaged.isEmpty { state.withLock { $0.keepAside(damaged) } }
      return (scan, basis, leftOut)
    }
    throw JournalError(.cannotRead, errorNumber: EIO, path: directory)
  }

  /// The number of attempts at a reading during which a sync fails.
  private static let greatestReadings = 3

  /// Waits for the end of a sync: while a sync writes records again, these are in two segments or in an unnamed one.
  private func readingBasis(of session: UUID) -> (basis: ReadingBasis, directory: Directory) {
    syncLock.withLock { _ in
      // Records that somebody cut off or deleted are written again before they are missed.
      let isDamaged = state.withLock { state in
        guard state.isUnsyncedDamaged else { return false }
        state.isDirty = true
        return true
      }
      if isDamaged { try? syncAlone() }
      return state.withLock { ($0.readingBasis(of: session), $0.directory) }
    }
  }
}

/// The state of the journal on which a reading depends.
private struct ReadingBasis {
  /// The object's name; nil for an object that the journal does not have.
  var name: JournalledObject.Name?
  /// The segments that name the session.
  var segments: Set<Int>
  /// The number of times that records have been written again.
  var rewritings: Int
}

extension JournalState {
  fileprivate func readingBasis(of session: UUID) -> ReadingBasis {
    ReadingBasis(
      name: objects[session]?.name,
      segments: Set(segments.lazy.filter { $0.sessions.contains(session) }.map(\.number)), rewritings: rewritings)
  }

  /// Marks segments to be set aside, instead of deleted, when they are no longer needed.
  fileprivate mutating func keepAside(_ numbers: Set<Int>) {
    for index in segments.indices where numbers.contains(segments[index].number) { segments[index].isDamaged = true }
  }
}

extension CaptureDamage {
  /// The damage of a segment that could not be read at all.
  fileprivate init(leavingOut file: ForeignFile) {
    self.init(
      file: file.name, record: 1, offset: 0, reason: file.reason.errorNumber.map { .unreadable($0) } ?? .header)
  }
}

extension ForeignFile.Reason {
  fileprivate var errorNumber: Int32? {
    if case .unreadable(let number) = self { number } else { nil }
  }
}
