public import BlueZ
public import DBus
public import HealthModel
public import Sensors

/// Everything that a ``Recorder`` is given from outside; it reads no environment and no configuration itself.
public struct RecorderSettings: Sendable {
  /// The store's file; it is made where it is missing.
  public var store: String
  /// The folder of the journal's segments.
  public var journal: String
  /// Modes of what is made: 0600 in 0700 for a person, 0640 in 0750 for the service.
  public var fileMode: UInt32 = 0o600
  public var directoryMode: UInt32 = 0o700
  public var bus: BusAddress = .system
  /// The longest time without a link before the session ends.
  public var awayLimit: Duration = .seconds(300)
  /// The longest time that the sensor may be off the skin or silent before the session ends.
  public var offSkinLimit: Duration = .seconds(300)
  /// The longest session; a linked one follows.
  public var maximumLength: Duration = .seconds(24 * 3600)
  /// A segment of the journal that has reached this many bytes is followed by a new one.
  public var segmentBytes = 1 << 20
  /// Bytes of values that stay in memory while the journal refuses them, of all sensors together: more are counted as lost.
  public var unwrittenBytes = 1 << 20
  /// The longest time that a journalled value may wait for the disk.
  public var syncInterval: Duration = .seconds(5)
  /// The shortest time between two judgements of the last beats of an open session, for its status.
  public var judgingInterval: Duration = .seconds(10)
  /// The folder for captures of committed sessions, and their greatest number; nil to delete captures.
  public var captures: CapturePolicy?
  /// The rules for heart events.
  public var eventRules = HeartEventRules()
  /// The machine's own word on its clock.
  public var machineClock = MachineClock()
  /// The treatment of a sensor that is not in the list.
  public var unlisted = AllowList.Unlisted.refused
  /// The adapters to use, `hci0` for example; nil means all.
  public var adapters: Set<String>?
  /// The links of a recorder that was killed a moment ago: they are this one's, and end with it.
  public var inheritedLinks: OwnLinks?
  /// The name on ``bus`` whose owner, where it is another process, is a recorder that goes first; nil: nobody does.
  public var precedence: String?
  /// The limits for data of other programs.
  package var clientData = ClientDataLimits()
  /// The version of the program, stored with each session as its source.
  public var version: String
  /// Called on the loop's thread, with one line each, never with health data in it.
  public var log: @Sendable (LogLevel, String) -> Void = { _, _ in }
  /// Called on the loop's thread whenever the recorder has made a link, or one of its own has ended; nil without bluetoothd.
  ///
  /// No ``RecorderEvent``: what it writes has to be there before anything else happens, since it is for the recorder after one
  /// that is killed.
  public var onLinks: @Sendable (OwnLinks?) -> Void = { _ in }

  public init(store: String, journal: String, version: String) {
    self.store = store
    self.journal = journal
    self.version = version
  }

  /// A policy for captures of committed sessions.
  public struct CapturePolicy: Hashable, Sendable {
    public var directory: String
    public var maximumAge: Duration?
    public var maximumBytes: Int64?

    public init(directory: String, maximumAge: Duration?, maximumBytes: Int64?) {
      self.directory = directory
      self.maximumAge = maximumAge
      self.maximumBytes = maximumBytes
    }
  }

  /// The weight of a log line.
  public enum LogLevel: String, Hashable, Sendable, CaseIterable {
    case debug, info, notice, warning, error
  }
}
