import CLinux
package import DBus
import FoundationEssentials
import Glibc
import HealthModel
package import SeriesStore
import Timeline

// Whether the wall clock can be believed.

extension Recorder {
  /// Follows the clock from now on, so that one that is set while nothing else happens is seen.
  func watchClock() {
    do {
      clockWatch = try ClockSetWatch(on: loop) { [weak self] in
        self?.assumeIsolated { $0.clockWasSet() }
      }
    } catch {
      log(.warning, "a clock that is set is seen only with a sensor's next value: \(error)")
    }
  }

  private func clockWasSet() {
    guard !isStopping else { return }
    followClock(at: clock.now())
    noteClockSet()
    publishStatus()
  }

  /// Somebody set the clock.
  func noteClockSet() {
    if clockLooks.clockSet() { askClockService() }
  }

  /// Asks whether the clock is synchronised, where that is not known yet.
  func lookAtClock() {
    if clockLooks.look() { askClockService() }
  }

  /// Asks again after the clock was set.
  func clockTimeReached(_ now: BootInstant) {
    if clockLooks.timeReached(now) { askClockService() }
    if datings.timeReached(now) { clockQuestion = Task(executorPreference: loop) { await self.dateAnew() } }
    armTimer(for: clockLooks.deadline)
    armTimer(for: datings.deadline)
  }

  /// The judgement by which recordings are dated that are stored now. The end of a recorder waits for no service.
  func lookAtClockBeforeCommit() async {
    guard !isStopping else { return }
    lookAtClock()
    await clockQuestion?.value
  }

  private func askClockService() {
    clockQuestion = Task(executorPreference: loop) { await self.hearClockService() }
  }

  private func hearClockService() async {
    let answer = await bus?.clockBelief() ?? .notKnown
    let news = clockLooks.answered(answer, at: clock.now())
    armTimer(for: clockLooks.deadline)
    switch news {
    case .becameSynchronised:
      log(.info, "the clock is synchronised")
      await dateAnew()
    case .setByHand: await nameMisdated()
    case nil: break
    }
  }
}

// Consequences for the dates of stored sensors.recordings.
extension Recorder {
  /// The belief in the clock now.
  var clockJudgement: ClockJudgement {
    ClockJudgement(
      boot: clock.boot, lead: presentOffset, belief: clockLooks.belief, machine: settings.machineClock)
  }

  /// Records that something was stored with this clock. A session that ended before the clock was right, and is stored
  /// after, is dated anew, too.
  func noteClock(_ clock: RecordedClock?) {
    guard let clock, !clock.belief.isTrusted, clockLooks.belief == .synchronised, !isStopping else { return }
    guard clock.boot == self.clock.boot.uuid else { return }
    clockQuestion = Task(executorPreference: loop) { await self.dateAnew() }
  }

  /// Counts what has dates that are in doubt, for the status.
  func countDoubtful() async {
    guard let store = files?.store, let count = try? await store.doubtfulCount() else { return }
    doubtful = count
  }

  /// Dates anew what this boot's clock dated wrongly before it was synchronised.
  private func dateAnew() async {
    guard let store = files?.store, clockLooks.belief == .synchronised else { return }
    let isNow = datings.begin(at: clock.now())
    defer { armTimer(for: datings.deadline) }
    guard isNow else { return }
    let (boot, lead) = (clock.boot.uuid, presentOffset)
    do {
      try await makeStoreSound()
      try await store.remember(.synchronised, at: lead, in: boot)
      for group in Datings.groups(try await store.misdated(in: boot, at: lead)) {
        let outcome = try await store.date(group.objects, by: group.shift, as: .synchronised, lead: lead)
        for line in outcome.lines { log(.notice, line) }
      }
      await countDoubtful()
      datings.ended(failed: false)
    } catch {
      log(.error, "what was recorded before the clock was right keeps its dates for now: \(error)")
      datings.ended(failed: true)
    }
    publishStatus()
  }

  /// Logs that the clock was set by hand: nothing confirms that it is right, so one line names the sessions and the
  /// command.
  private func nameMisdated() async {
    guard let store = files?.store else { return }
    let (boot, lead) = (clock.boot.uuid, presentOffset)
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
