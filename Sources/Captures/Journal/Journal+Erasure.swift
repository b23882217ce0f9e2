public import FoundationEssentials
import Glibc
import Synchronization

extension Journal {
  /// Takes the records of a session that was deleted out of the segments, in the recorder itself; see
  /// ``JournalErasure``. A session that is still open is left alone. Blocks as long as the disk does.
  ///
  /// `settledAside` are segments that were set aside as damaged: they are looked through only where this is true.
  ///
  /// - Throws: ``JournalError`` with `notPruned`, or what ``sync()`` throws.
  public func erase(_ session: UUID, settledAside: Bool = true) throws(JournalError) {
    guard state.withLock({ $0.mayErase(session) }) else { return }
    let path = directory
    try syncing.withLock { _ throws(JournalError) in
      state.withLock { $0.leaveSegment(of: session) }
      // What no sync has covered would be written again after a failure: deleted records too, and of the others with a
      // place that they do not have any more.
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
  /// Whether a session is none that values still come for.
  fileprivate func mayErase(_ session: UUID) -> Bool {
    sessions[session].map(\.isCommitted) ?? true
  }

  /// If the current segment names the session, the next record begins a new one.
  fileprivate mutating func leaveSegment(of session: UUID) {
    if let current, segments(of: session).contains(current.number) { leaveCurrent() }
  }

  /// The segments that name a session.
  fileprivate func segments(of session: UUID) -> [Int] {
    segments.filter { $0.sessions.contains(session) }.map(\.number)
  }

  /// Notes that the segments were written anew and durably, without the session.
  fileprivate mutating func forget(_ session: UUID, in numbers: [Int]) {
    unsynced.removeAll { numbers.contains($0.number) && $0.number != current?.number }
    for index in segments.indices { segments[index].sessions.remove(session) }
    committed.remove(session)
    sessions[session] = nil
    // A segment that is empty now can go with the next sync.
    isDirty = isDirty || !numbers.isEmpty
  }
}
