import CLinux
package import DBus
import FoundationEssentials
import Glibc
import HealthModel
package import SeriesStore
import Timeline

/// Whether the wall clock can be believed: who is asked, and when, and what follows for the dates of stored recordings.
///
/// On the recorder's thread, while the recorder runs.
actor ClockKeeper {
  private let recorder: Recorder
  private let follower: StoreFollower
  private let clock: HostClock
  private let machine: MachineClock
  private(set) var looks = ClockLooks()
  private var datings = Datings()
  private var watch: ClockSetWatch?
  /// The last question to the clock's service, with what follows from its answer.
  private(set) var question: Task<Void, Never>?

  nonisolated var unownedExecutor: UnownedSerialExecutor { unsafe recorder.unownedExecutor }

  init(of recorder: Recorder, _ follower: StoreFollower) {
    self.recorder = recorder
    self.follower = follower
    clock = recorder.clock
    machine = recorder.settings.machineClock
  }

  /// Follows the clock from now on, so that one that is set while nothing else happens is seen.
  func start() {
    do {
      watch = try ClockSetWatch(on: recorder.loop) { [weak self] in
        self?.assumeIsolated { $0.wasSet() }
      }
    } catch {
      log(.warning, "a clock that is set is seen only with a sensor's next value: \(error)")
    }
  }

  /// Somebody set the clock while nothing else happened, or the machine was suspended.
  private func wasSet() {
    let isStopping = recorder.assumeIsolated { recorder in
      if !recorder.isStopping { recorder.followClock(at: recorder.clock.now()) }
      return recorder.isStopping
    }
    guard !isStopping else { return }
    clockSet()
    recorder.assumeIsolated { $0.publishStatus() }
  }

  /// Somebody set the clock.
  func clockSet() {
    if looks.clockSet() { ask() }
  }

  /// Asks whether the clock is synchronised, where that is not known yet.
  func look() {
    if looks.look() { ask() }
  }

  /// The time is `now`: asks again after the clock was set.
  func timeReached(_ now: BootInstant) {
    if looks.timeReached(now) { ask() }
    if datings.timeReached(now) { dateSoon() }
    armTimer()
  }

  /// The judgement by which a recording is dated that is stored now.
  func judgement() async -> ClockJudgement {
    ClockJudgement(boot: clock.boot, lead: await recorder.presentOffset, belief: looks.belief, machine: machine)
  }

  /// Asks before something is stored. The end of a recorder waits for no service.
  func lookBeforeCommit() async {
    guard await !recorder.isStopping else { return }
    look()
    await question?.value
  }

  /// Something was stored with this clock. A session that ended before the clock was right, and is stored after, is dated
  /// anew, too.
  func stored(_ recorded: RecordedClock?) async {
    guard let recorded, !recorded.belief.isTrusted, looks.belief == .synchronised, await !recorder.isStopping,
      recorded.boot == clock.boot.uuid
    else { return }
    dateSoon()
  }

  private func ask() {
    question = Task(executorPreference: recorder.loop) { await self.hearService() }
  }

  private func hearService() async {
    let answer = await recorder.bus?.clockBelief() ?? .notKnown
    let news = looks.answered(answer, at: clock.now())
    armTimer()
    switch news {
    case .becameSynchronised:
      log(.info, "the clock is synchronised")
      await dateAnew()
    case .setByHand: await nameMisdated()
    case nil: break
    }
  }

  private func dateSoon() {
    question = Task(executorPreference: recorder.loop) { await self.dateAnew() }
  }

  /// Dates anew what this boot's clock dated wrongly before it was synchronised.
  private func dateAnew() async {
    guard looks.belief == .synchronised else { return }
    let isNow = datings.begin(at: clock.now())
    defer { armTimer() }
    guard isNow else { return }
    let (store, boot, lead) = (follower.store, clock.boot.uuid, await recorder.presentOffset)
    do {
      try await follower.makeSound()
      try await store.remember(.synchronised, at: lead, in: boot)
      for group in Datings.groups(try await store.misdated(in: boot, at: lead)) {
        let outcome = try await store.date(group.objects, by: group.shift, as: .synchronised, lead: lead)
        for line in outcome.lines { log(.notice, line) }
      }
      await follower.countDoubtful()
      datings.ended(failed: false)
    } catch {
      log(.error, "what was recorded before the clock was right keeps its dates for now: \(error)")
      datings.ended(failed: true)
    }
    await recorder.publishStatus()
  }

  /// Logs that the clock was set by hand: nothing confirms that it is right, so one line names the sessions and the
  /// command.
  private func nameMisdated() async {
    let (store, boot, lead) = (follower.store, clock.boot.uuid, await recorder.presentOffset)
    do {
      if try await store.clockBelief(in: boot) != nil { try await store.remember(.notSynchronised, at: lead, in: boot) }
      var names: [String] = []
      for (object, _) in try await store.misdated(in: boot, at: lead) {
        // Workouts go with their sessions.
        guard try await store.syncVersion(of: object) != nil else { continue }
        names.append(String(object.uuidString.lowercased().prefix(8)))
      }
      guard !names.isEmpty else { return }
      log(
        .notice,
        "the clock was set by hand; what was stored before keeps its dates. To move it: "
          + "sensord sessions date \(names.joined(separator: " ")) --start TIME")
    } catch {
      log(.error, "what was recorded before the clock was set cannot be named: \(error)")
    }
  }

  private func armTimer() {
    for deadline in [looks.deadline, datings.deadline] {
      recorder.assumeIsolated { $0.armTimer(for: deadline) }
    }
  }

  private func log(_ level: RecorderSettings.LogLevel, _ line: String) {
    recorder.settings.log(level, line)
  }
}

extension DatingOutcome {
  /// A line of the log for each session and workout.
  fileprivate var lines: [String] {
    let seconds = "\(shift > 0 ? "+" : "-")\(shift.magnitude / 1_000_000) s"
    func lines(_ objects: [UUID], _ kind: String, _ what: String) -> [String] {
      objects.map { "\(kind) \($0.uuidString.lowercased()) \(what)" }
    }
    return lines(sessions, "session", "is dated anew, by \(seconds): the clock was not set when it was stored")
      + lines(workouts, "workout", "is dated anew, by \(seconds)")
      + lines(staying, "workout", "keeps its dates: a program gave samples of it dates of their own")
  }
}

/// Notifies when somebody sets the wall clock, without polling: a timer that the kernel cancels then
/// (timerfd_create(2), `TFD_TIMER_CANCEL_ON_SET`). The timer is due in the year 2261, after the last time to which the
/// kernel lets a clock be set.
final class ClockSetWatch {
  private let loop: EventLoop
  private let token: WatchToken
  private let descriptor: FileDescriptor

  /// - Parameters:
  ///   - loop: The loop on which the change is reported.
  ///   - wasSet: Called on the loop's thread after the clock was set, or the machine was suspended.
  /// - Throws: ``DBusError/Code/system(errno:)`` where the kernel has no descriptors left.
  init(on loop: EventLoop, wasSet: @escaping () -> Void) throws(DBusError) {
    let number = timerfd_create(CLOCK_REALTIME, Int32(TFD_CLOEXEC | TFD_NONBLOCK))
    guard number >= 0 else { throw DBusError(.system(errno: errno), "watching the clock") }
    descriptor = FileDescriptor(owning: number)
    var setting = itimerspec()
    setting.it_value.tv_sec = 9_200_000_000
    let flags = Int32(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET)
    guard unsafe timerfd_settime(number, flags, &setting, nil) == 0 else {
      throw DBusError(.system(errno: errno), "watching the clock")
    }
    self.loop = loop
    token = try loop.watch(number, for: .readable) { _ in
      // Fails with ECANCELED, after which the timer is as it was.
      var count: UInt64 = 0
      _ = unsafe read(number, &count, MemoryLayout.size(ofValue: count))
      wasSet()
    }
  }

  deinit { loop.cancel(token) }
}

/// systemd's service for the clock, org.freedesktop.timedate1.
package enum ClockService {
  /// Returns whether the clock is synchronised, according to the service, which systemd may start for that and which
  /// ends by itself.
  ///
  /// Not the kernel: adjtimex(2) is refused under the unit, since it sets clocks, too.
  ///
  /// - Parameter connection: A connection to the system bus.
  /// - Returns: ``ClockBelief/notKnown`` where nobody answers.
  package static func belief(on connection: Connection) async -> ClockBelief {
    do throws(DBusError) {
      let reply = try await connection.call(
        .call(
          name, path: "/org/freedesktop/timedate1", interface: "org.freedesktop.DBus.Properties", member: "Get",
          body: [.string(name), .string("NTPSynchronized")]), timeout: .seconds(5))
      return switch reply.body.first?.unwrapped.boolean {
      case true?: .synchronised
      case false?: .notSynchronised
      case nil: .notKnown
      }
    } catch {
      return .notKnown
    }
  }

  private static let name = "org.freedesktop.timedate1"
}
