/// How a journal lays out its files.
public struct JournalConfiguration: Hashable, Sendable {
  /// Permissions of the folder, if the journal makes it.
  public var directoryMode: UInt32
  /// Permissions of the segments.
  public var fileMode: UInt32
  /// A segment that has reached this many bytes is followed by a new one.
  public var segmentBytes: Int
  /// How many bytes that no sync has covered yet are kept in memory, to be written again should the sync fail.
  public var keptTailBytes: Int
  /// So many bytes that no sync has covered yet make one begin at once, however short the time: a flood is not to wait in
  /// memory for the interval.
  public var urgentTailBytes: Int

  /// A person's journal: 0600 in 0700. The service's is 0640 in 0750.
  public init(
    directoryMode: UInt32 = 0o700, fileMode: UInt32 = 0o600, segmentBytes: Int = 1 << 20, keptTailBytes: Int = 4 << 20,
    urgentTailBytes: Int = 1 << 19
  ) {
    self.directoryMode = directoryMode
    self.fileMode = fileMode
    self.segmentBytes = segmentBytes
    self.keptTailBytes = keptTailBytes
    self.urgentTailBytes = urgentTailBytes
  }
}
