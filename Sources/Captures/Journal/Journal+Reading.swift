public import FoundationEssentials
import Glibc
import Sensors
import Synchronization

extension Journal {
  /// Reads one session back from the segments, for the final pass: whole, or not at all. Memory is taken for this session
  /// alone. Waits for a sync that is under way.
  ///
  /// A segment that cannot be read, be it for a moment or for good, is an error: what it holds would be left out of the
  /// session, and then be deleted with it. With `leavingOutUnreadable` such a segment is left out and told as damage, and
  /// its file is kept aside once the session is committed. One that somebody has deleted is no error, since it does not
  /// come back.
  ///
  /// - Throws: ``JournalError`` with `unknownSession`, or with `cannotRead` and the path of what cannot be read.
  public func capture(
    of session: UUID, leavingOutUnreadable: Bool = false
  ) throws(JournalError) -> (capture: Capture, damages: [CaptureDamage]) {
    for _ in 0..<Self.greatestReadings {
      let (basis, directory) = readingBasis(of: session)
      let scan: JournalScan
      do {
        scan = try JournalScan(directory, only: session, wanted: basis.segments)
      } catch {
        throw JournalError(.cannotRead, errorNumber: error.number, path: self.directory)
      }
      // A sync that failed since then may have taken from the disk what was to be read, and written it elsewhere.
      guard readingBasis(of: session).basis.rewritings == basis.rewritings else { continue }
      if let failure = scan.foreignFiles.first, !leavingOutUnreadable {
        throw JournalError(
          .cannotRead, errorNumber: failure.reason.errorNumber, path: "\(self.directory)/\(failure.name)")
      }
      let leftOut = scan.foreignFiles.map { CaptureDamage(leavingOut: $0) }
      let damaged = Set(scan.segments.lazy.filter(\.summary.isDamaged).map(\.number))
        .union(scan.foreignFiles.lazy.compactMap { SegmentName.number($0.name) })
      if !damaged.isEmpty { state.withLock { $0.keepAside(damaged) } }
      if let found = scan.reader.sessions.first { return (found.capture, leftOut + scan.reader.damages.first) }
      // Its segments are there, and somebody took its records from them.
      guard !leftOut.isEmpty || !basis.segments.isEmpty, let header = basis.header else {
        throw JournalError(.unknownSession, path: self.directory)
      }
      let damages = leftOut + scan.reader.damages.first
      return (
        Capture(header: header, events: []),
        damages.isEmpty ? [CaptureDamage(record: 1, offset: 0, reason: .cutOff)] : damages
      )
    }
    throw JournalError(.cannotRead, errorNumber: EIO, path: directory)
  }

  /// So often a session is read anew because a sync failed meanwhile.
  private static let greatestReadings = 3

  /// Between two syncs: while one writes records again, they are in two segments or in none that is known.
  private func readingBasis(of session: UUID) -> (basis: ReadingBasis, directory: Directory) {
    syncing.withLock { _ in
      // What somebody cut off is written again, as far as no sync had covered it, before it is missed.
      if state.withLock({ $0.isCurrentShortened }) { try? syncAlone() }
      return state.withLock { ($0.readingBasis(of: session), $0.directory) }
    }
  }
}

/// What a reading of one session rests on.
private struct ReadingBasis {
  var header: CaptureHeader?
  /// The segments that name the session.
  var segments: Set<Int>
  /// How often records were written again.
  var rewritings: Int
}

extension JournalState {
  fileprivate func readingBasis(of session: UUID) -> ReadingBasis {
    ReadingBasis(
      header: sessions[session]?.header,
      segments: Set(segments.lazy.filter { $0.sessions.contains(session) }.map(\.number)), rewritings: rewritings)
  }

  /// Lets segments be kept aside when nobody needs them any more.
  fileprivate mutating func keepAside(_ numbers: Set<Int>) {
    for index in segments.indices where numbers.contains(segments[index].number) { segments[index].isDamaged = true }
  }
}

extension CaptureDamage {
  /// That of a segment of which nothing could be read.
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
