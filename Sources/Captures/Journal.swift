public import FoundationEssentials
public import Sensors

/// The rolling, append-only log of all sensors: what was received is here before anything is computed from it.
///
/// Records are those of a capture file (Documentation/capture-format.md). Calls may come from several threads; events
/// keep the order of the calls. ``append(_:to:)-(SensorEvent,_)`` makes one write(2) on the caller's thread and never
/// syncs; ``sync()`` belongs on a thread of its own, since an SD card stalls for hundreds of milliseconds
/// (``JournalSyncer``).
public final class Journal: Sendable {
  /// The folder of the segments.
  public let directory: String

  private init(directory: String) {
    self.directory = directory
  }

  /// Opens the journal in `directory`, making the folder where there is none, and recovers what is there.
  ///
  /// Foreign and unreadable files are renamed so that the name says why. Sessions that are not committed can be gone
  /// on with: their identities are known to ``append(_:to:)-(SensorEvent,_)``. Writing goes to a new segment, since the
  /// last record of the old one is not to be trusted.
  ///
  /// - Throws: ``JournalError`` with `cannotOpen`, `cannotRead`, or `locked` where another process has it open.
  public static func open(
    directory: String, configuration: JournalConfiguration = JournalConfiguration()
  ) throws(JournalError) -> (journal: Journal, recovered: JournalContents) {
    throw JournalError(.cannotOpen, path: directory)
  }

  /// Opens a session: writes its header and its first events, with one write.
  ///
  /// The first events are the boot, the clock and the connection, so that instants have a meaning.
  ///
  /// - Throws: ``JournalError`` with `notWritten`; the session is known all the same, and its header is written with the
  ///   next event that can be.
  public func open(_ header: CaptureHeader, events: [SensorEvent]) throws(JournalError) {
    throw JournalError(.notWritten, path: directory)
  }

  /// Appends one event to a session, with one write(2).
  ///
  /// - Throws: ``JournalError`` with `notWritten` where the disk is full or fails: the journal has been put right again,
  ///   so that later events are readable, and the caller counts this one as lost (``SensorEvent/Kind/lost(values:reason:)``).
  public func append(_ event: SensorEvent, to session: UUID) throws(JournalError) {
    throw JournalError(.notWritten, path: directory)
  }

  /// Appends several events to a session, all or none, with one write(2).
  ///
  /// - Throws: As ``append(_:to:)-(SensorEvent,_)``.
  public func append(_ events: [SensorEvent], to session: UUID) throws(JournalError) {
    throw JournalError(.notWritten, path: directory)
  }

  /// Notes that the store has this session for good; its segments are deleted by a later ``sync()``.
  ///
  /// - Throws: ``JournalError`` with `notWritten`; the session is then committed again after a restart, which the store
  ///   finds unchanged.
  public func commit(_ session: UUID) throws(JournalError) {
    throw JournalError(.notWritten, path: directory)
  }

  /// Reads one session back from the segments, for the final pass. Memory is taken for this session alone.
  ///
  /// - Throws: ``JournalError`` with `unknownSession` or `cannotRead`.
  public func capture(of session: UUID) throws(JournalError) -> (capture: Capture, damages: [CaptureDamage]) {
    throw JournalError(.unknownSession, path: directory)
  }

  /// Makes durable what was written before this call, for all sessions, and deletes segments that nobody needs.
  ///
  /// Does nothing where nothing was written. Blocks as long as the disk does, while appends go on.
  ///
  /// - Throws: ``JournalError`` with `rewritten`, `notSynced` or `notPruned`. A failed sync is never just repeated.
  public func sync() throws(JournalError) {
    throw JournalError(.notSynced, path: directory)
  }
}
