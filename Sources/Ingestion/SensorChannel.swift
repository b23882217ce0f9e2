import FoundationEssentials
import HeartRateRecording
import Sensors

/// One allowed sensor in the recorder: its session machine, and which session of the journal is its own.
struct SensorChannel {
  let address: SensorAddress
  /// Of its last event. Events come from several sources, and instants must not decrease in a session.
  var lastInstant: BootInstant?
  /// What its owner calls it, else what it calls itself.
  var name: String?
  var machine: SessionMachine
  /// The open session's identity.
  var session: UUID?
  /// What the open session's beats look like, and when they were judged for it.
  var provisional: ProvisionalQuality?
  var judgedAt: BootInstant?
  /// What could not be journalled of the open session since the last that could.
  var backlog = JournalBacklog()
  /// Values of the open session, or the last one, that the journal never got, and for how long, in microseconds.
  var lostValues = 0
  var lostMicroseconds: Int64 = 0
  /// The adapter over which it is linked and recorded. A second link, over another one, is not looked at.
  var link: AdapterIndex?
  var isConnecting = false
  /// It is not in the list of sensors, and recorded because the configuration takes any.
  var isUnlisted = false
  /// The adapter whose link was lost last: a reason that BlueZ tells afterwards is that loss's.
  var lostLink: AdapterIndex?
  /// dBm, of the last advertisement while there is no link.
  var signal: Int16?
  /// Why no values come although it is there, and what to do; nil where they do.
  var problem: String?
  /// The log has told that its battery is low.
  var toldLowBattery = false
  /// When the values stopped although the link is up.
  var unsubscribedSince: BootInstant?
  /// The state that was told last, and since when (wall clock).
  var state = SensorStatus.State.absent
  var stateSince: Int64
  /// Kinds of junk that the log has told of in this session.
  var toldDefects = 0

  init(address: SensorAddress, name: String?, limits: SessionLimits, since: Int64) {
    self.address = address
    self.name = name
    machine = SessionMachine(limits: limits)
    stateSince = since
  }

  /// What the sensor does now.
  var currentState: SensorStatus.State {
    switch machine.phase {
    case .measuring: .measuring
    case .silent: .silent
    case .contactLost: .contactLost
    case .linkLost: isConnecting ? .connecting : .linkLost
    case .idle: link != nil ? .linked : isConnecting ? .connecting : .absent
    }
  }
}
