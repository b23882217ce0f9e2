public import FoundationEssentials

/// The folder of kept captures: one file for each session that was committed, until it is too old or they are too many.
public struct CaptureArchive: Hashable, Sendable {
  public var directory: String
  /// Files older than this many seconds are deleted; nil keeps them whatever their age.
  public var maximumAgeSeconds: Int64?
  /// The oldest files are deleted until the rest is no larger than this; nil sets no limit.
  public var maximumBytes: Int64?
  public var directoryMode: UInt32
  public var fileMode: UInt32

  public init(
    directory: String, maximumAgeSeconds: Int64?, maximumBytes: Int64?, directoryMode: UInt32 = 0o700,
    fileMode: UInt32 = 0o600
  ) {
    self.directory = directory
    self.maximumAgeSeconds = maximumAgeSeconds
    self.maximumBytes = maximumBytes
    self.directoryMode = directoryMode
    self.fileMode = fileMode
  }

  /// Writes `capture` to a file of its own, durably and whole or not at all, and gives its path.
  ///
  /// A file of the same session is replaced.
  public func keep(_ capture: Capture) throws(JournalError) -> String {
    throw JournalError(.notWritten, path: directory)
  }

  /// The kept files, oldest first.
  public func files() throws(JournalError) -> [KeptCapture] {
    []
  }

  /// Deletes what the limits no longer allow, and gives what was deleted.
  ///
  /// - Parameter now: Seconds since 1970.
  public func prune(now: Int64) throws(JournalError) -> [KeptCapture] {
    []
  }

  /// Deletes the kept file of a session, if there is one.
  public func remove(_ session: UUID) throws(JournalError) {
  }
}

/// A kept capture file.
public struct KeptCapture: Hashable, Sendable {
  public var session: UUID
  public var path: String
  public var bytes: Int64
  /// Seconds since 1970 when it was written.
  public var modified: Int64

  public init(session: UUID, path: String, bytes: Int64, modified: Int64) {
    self.session = session
    self.path = path
    self.bytes = bytes
    self.modified = modified
  }
}
