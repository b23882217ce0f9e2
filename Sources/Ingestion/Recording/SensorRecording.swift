import FoundationEssentials
import HealthModel
import Timeline

/// The recording of one sensor: what each thing that happens to it means for its session, its journal, its link and its status.
///
/// Pure: it knows no clock, no file and no bus. Each input changes it and returns what is left to do; the ``Recorder``
/// does that afterwards and reports the result (``journalRefused(_:_:room:)``). It is changed where it stands, in
/// ``SensorRecordings``, and by nobody who holds a copy, so that no change is lost.
struct SensorRecording {
  /// The state of an open session.
  struct OpenSession {
    let id: UUID
    /// The request for it; nil if it began by itself, with a value.
    var request: OpenRequest?
    /// The beats so far, for the status.
    var quality = LiveQuality()
    /// Their quality at the last judgement, and its instant.
    var provisional: ProvisionalQuality?
    var judgedAt: BootInstant?
    /// The heart events that are reported while it is open.
    var heartEvents = LiveHeartEvents(HeartEventRules())
    /// Events that the journal has refused since it last accepted one.
    var backlog = JournalBacklog()
    /// Kinds of junk that the log has named.
    var loggedDefects: Set<PayloadDefect> = []

    init(_ id: UUID, request: OpenRequest? = nil) {
      self.id = id
      self.request = request
    }

    /// The entry of an event of the session; one that waits for events that the journal refused.
    func entry(of event: SensorEvent) -> JournalEntry {
      backlog.isEmpty ? .event(event, of: id) : .events([event], of: id)
    }
  }

  /// The session that began by itself, while a program's session has the values.
  struct PausedSession {
    var session: OpenSession
    var machine: SessionMachine
    /// As in the recording.
    var lostValues: Int
    var lostMicroseconds: Int64
  }

  /// The link over which the sensor is recorded. A second one, over another adapter, is not looked at.
  enum Link: Hashable {
    /// `lostOver`: the adapter whose link was lost last; a reason that BlueZ reports afterwards is that loss's.
    case down(lostOver: AdapterIndex?)
    /// `silentSince`: when the values stopped although the link is up.
    case up(over: AdapterIndex, silentSince: BootInstant?)
  }

  let address: SensorAddress
  /// The name from its owner, or else its own.
  var name: String?
  /// The name that it gave itself when it was heard last.
  var ownName: String?
  /// Whether it is recorded without being in the list of sensors, because the configuration allows any.
  var isUnlisted = false
  /// The rules for heart events in its open sessions.
  var eventRules = HeartEventRules()
  /// Whether a workout is under way: its rates are no heart events.
  var isExercising = false

  var machine: SessionMachine
  var session: OpenSession?
  /// Goes on when the open session ends on request, and ends with it otherwise.
  var paused: PausedSession?
  /// The paused session that has ended with the open one; its end is still to be written.
  var endedPaused: SessionEnding?
  /// Values of the open session, or the last one, that the journal never got, and for how long, in microseconds.
  var lostValues = 0
  var lostMicroseconds: Int64 = 0
  /// Of its last event. Events come from several sources, and instants must not decrease in a session.
  var lastInstant: BootInstant?

  var link = Link.down(lostOver: nil)
  /// Whether a Connect is under way, perhaps over another adapter than the link's.
  private(set) var isConnecting = false
  /// dBm, of the last advertisement; stored with the next link.
  var signal: Int16?
  /// Why no values come although it is there, and what to do; nil where they do.
  var problem: String?
  var isLowBatteryLogged = false

  /// The state that was published last, and since when. By the boot clock: the wall clock may be set meanwhile.
  private(set) var state = SensorStatus.State.absent
  private(set) var stateSince: BootInstant

  /// - Parameters:
  ///   - address: The sensor's address.
  ///   - name: The sensor's name, if it is known.
  ///   - limits: When its sessions end.
  ///   - boot: The present boot.
  ///   - offset: The wall clock's lead over the boot clock, in microseconds.
  ///   - now: When it is made.
  init(
    address: SensorAddress, name: String?, limits: SessionLimits, boot: BootIdentifier, wallMinusBoot offset: Int64,
    at now: BootInstant
  ) {
    self.address = address
    self.name = name
    machine = SessionMachine(limits: limits)
    _ = machine.handle(SensorEvent(.boot(boot), at: now))
    _ = machine.handle(SensorEvent(.clock(wallMinusBootMicroseconds: offset), at: now))
    stateSince = now
  }

  /// The adapter over which it is linked; nil without a link.
  var adapter: AdapterIndex? {
    if case .up(let adapter, _) = link { adapter } else { nil }
  }

  /// Whether it has no link, and in an open session has had none for longer than a strap takes to come back into reach.
  func isAway(at now: BootInstant) -> Bool {
    guard adapter == nil else { return false }
    guard session != nil, let lastInstant else { return state == .absent }
    return now.duration(since: lastInstant) >= .seconds(60)
  }

  /// The sensor's present state.
  var currentState: SensorStatus.State {
    switch machine.phase {
    case .measuring: return .measuring
    case .silent: return .silent
    case .contactLost: return .contactLost
    case .linkLost: return isConnecting ? .connecting : .linkLost
    case .idle: return adapter != nil ? .linked : isConnecting ? .connecting : .absent
    }
  }

  /// A Connect was called, or has ended.
  mutating func connecting(_ isConnecting: Bool) {
    self.isConnecting = isConnecting
  }

  /// Whether its state is another than the one that was published.
  var hasNewState: Bool { state != currentState }

  /// Its state is published now.
  mutating func publishState(at now: BootInstant) {
    state = currentState
    stateSince = now
  }
}

/// The recordings of all sensors, by address: the one place where they are, and are changed.
struct SensorRecordings {
  /// In ascending order of the addresses.
  private var recordings: [SensorRecording] = []

  /// The beats of so many sensors are judged in one go, so that a notification never waits for all.
  static let judgedAtOnce = 6

  var isEmpty: Bool { recordings.isEmpty }
  var count: Int { recordings.count }
  /// In ascending order of the addresses; an index holds until a recording is inserted or removed.
  var indices: Range<Int> { recordings.indices }
  var addresses: [SensorAddress] { recordings.map(\.address) }
  /// Events that the journal has refused of the open and the paused sessions.
  var unwritten: UnwrittenValues {
    recordings.reduce(into: UnwrittenValues()) { sum, recording in
      for session in [recording.session, recording.paused?.session] { session.map { sum.add($0.backlog) } }
    }
  }
  /// The open sessions, and those that they have paused.
  var openSessions: Set<UUID> {
    Set(recordings.flatMap { [$0.session?.id, $0.paused?.session.id].compactMap(\.self) })
  }
  var isRecording: Bool { recordings.contains { $0.session != nil } }
  /// The sensors in the list, with their names.
  var listed: [(address: SensorAddress, name: String?)] {
    recordings.filter { !$0.isUnlisted }.map { ($0.address, $0.name) }
  }
  var haveNewState: Bool { recordings.contains(where: \.hasNewState) }

  subscript(index: Int) -> SensorRecording {
    // Not `_read`: without optimisation the compiler ends its access before it copies a large field out of it.
    get { recordings[index] }
    _modify { yield &recordings[index] }
  }

  /// The index of a sensor's recording; by bisection, since it is asked for with each notification.
  func index(of address: SensorAddress) -> Int? {
    let index = position(of: address)
    return index < recordings.count && recordings[index].address == address ? index : nil
  }

  private func position(of address: SensorAddress) -> Int {
    var low = 0
    var high = recordings.count
    while low < high {
      let middle = (low + high) / 2
      if recordings[middle].address < address { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Adds a sensor that has no recording yet; returns its index.
  mutating func insert(_ recording: SensorRecording) -> Int {
    let index = position(of: recording.address)
    recordings.insert(recording, at: index)
    return index
  }

  mutating func remove(at index: Int) {
    recordings.remove(at: index)
  }

  /// Forgets the sensors that are not in the list and of which nothing is left: no session, no link, and, as
  /// `isPlanned` says, no attempt at one.
  mutating func removeUnlisted(unless isPlanned: (SensorAddress) -> Bool) {
    guard recordings.contains(where: \.isUnlisted) else { return }
    recordings.removeAll { $0.isUnlisted && $0.session == nil && $0.adapter == nil && !isPlanned($0.address) }
  }

  /// Judges the beats of the sessions for which that is due, first of those that have waited longest.
  mutating func judge(at now: BootInstant, every interval: Int64, wallMinusBoot offset: Int64) {
    let due = indices.compactMap { index in
      recordings[index].judgingDue(at: now, every: interval).map { (since: $0, index: index) }
    }
    for (_, index) in due.sorted(by: { ($0.since, $0.index) < ($1.since, $1.index) }).prefix(Self.judgedAtOnce) {
      recordings[index].judge(at: now, wallMinusBoot: offset)
    }
  }
}
