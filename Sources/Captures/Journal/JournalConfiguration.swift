/// The file layout and limits of a journal.
public struct JournalConfiguration: Hashable, Sendable {
  /// Permissions of the folder, if the journal creates it.
  public var directoryMode: UInt32
  /// Permissions of the segments.
  public var fileMode: UInt32
  /// A segment of this many bytes is followed by a new one.
  public var segmentBytes: Int
  /// The most bytes of records not yet synced that are kept in memory, to be written again if the sync fails.
  public var keptUnsyncedBytes: Int
  /// When this many bytes are not yet synced, a sync begins at once: a flood must not accumulate in memory for a whole
  /// interval.
  public var urgentUnsyncedBytes: Int

  /// The default is for a person's journal: files 0600, folder 0700. The service uses 0640 and 0750.
  public init(
    directoryMode: UInt32 = 0o700, fileMode: UInt32 = 0o600, segmentBytes: Int = 1 << 20,
    keptUnsyncedBytes: Int = 4 << 20,
    urgentUnsyncedBytes: Int = 1 << 19
  ) {
    self.directoryMode = directoryMode
    self.fileMode = fileMode
    self.segmentBytes = segmentBytes
    self.keptUnsyncedBytes = keptUnsyncedBytes
    self.urgentUnsyncedBytes = urgentUnsyncedBytes
  }
}
