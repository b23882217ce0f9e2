public import FoundationEssentials
import Glibc
import Synchronization

extension Journal {
  /// Removes the records of a deleted session from the segments of this open journal; see ``JournalErasure``. An open
  /// session is left alone. Blocks as long as the disk does.
  ///
  /// Segments that were set aside as damaged are searched only if `settledAside` is true.
  ///
  /// - Throws: ``JournalError`` with `notPruned`, or what ``sync()`` throws.
  public func erase(_ session: UUID, settledAside: Bool = true) throws(JournalError) {
    guard state.withLock({ $0.mayErase(session) }) else { return }
    let path = directory
    try syncLock.withLock { _ throws(JournalError) in
      state.withLock { $0.leaveSegment(of: session) }
      // Records that no sync has covered would be written again after a failed one: deleted records too, and the others
      // with a position that is no longer valid.
      try syncAlone()
      let (numbers, directory) = state.withLock { ($0.segments(of: session), $0.directory) }
      do throws(SystemError) {
        var names = numbers.map(SegmentName.name)
        if settledAside { names += try directory.names().filter(JournalErasure.isDamaged) }
        try JournalErasure.erase(session, from: names, in: directory)
      } catch {
        throw JournalError(.notPruned, errorNumber: error.number, path: path)
      }
      try change { $0.forget(session, in: numbers) }
    }
  }
}

extension JournalState {
  /// Whether a session no longer receives values.
  fileprivate func mayErase(_ session: UUID) -> Bool {
    object(session).map(\.isCommitted) ?? true
  }

  /// If the current segment names the session, lets the next record begin a new segment.
  fileprivate mutating func leaveSegment(of session: UUID) {
    if let current, segments(of: session).contains(current.number) { leaveCurrent() }
  }

  /// The segments that name a session.
  fileprivate func segments(of session: UUID) -> [Int] {
    segments.filter { $0.sessions.contains(session) }.map(\.number)
  }

  /// Records that the segments were durably rewritten without the session.
  fileprivate mutating func forget(_ session: UUID, in numbers: [Int]) {
    unsyncedSegments.removeAll { numbers.contains($0.number) && $0.number != current?.number }
    for index in segments.indices { segments[index].sessions.remove(session) }
    committed.remove(session)
    sessions[session] = nil
    series[session] = nil
    workouts[session] = nil
    // An empty segment can be deleted with the next sync.
    isDirty = isDirty || !numbers.isEmpty
  }
}
