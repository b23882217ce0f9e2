import BlueZ
import Captures
import FoundationEssentials
import HealthModel
import SeriesStore
package import Timeline

// The way of everything that happens to a sensor, from top to bottom: what BlueZ reports, the sensor's recording that
// decides what it means, and the journal that stores it.

extension Recorder {
  /// A notification: the one event that comes often, so nothing is done here but what it needs.
  func receive(_ bytes: [UInt8], from device: DeviceAddress, at instant: BootInstant) {
    guard let address = SensorAddress(bits: device.bits) else { return }
    readValue(bytes, of: address, at: instant)
    if let index = recordings.index(of: address), recordings[index].hasNewState {
      publishStatus()
    } else {
      publishStatusSoon()
    }
  }

  /// A value of a sensor that arrived at `instant`.
  func readValue(_ bytes: [UInt8], of address: SensorAddress, at instant: BootInstant) {
    if stall != nil { placeStall(beforeValueOf: address, at: instant) }
    plan.valueReceived(from: address, at: instant)
    record(.measurement(bytes), of: address, at: instant)
  }

  /// A link is gone, the recorded one or another: the session learns of it, then the plan decides how to get it back.
  func linkLost(_ address: SensorAddress, over adapter: AdapterIndex, reason: String?, at now: BootInstant) {
    guard let index = recordings.index(of: address) else { return }
    perform(recordings[index].linkDown(over: adapter, reason: reason), of: address, at: now)
    perform(plan.linkLost(address, on: adapter, at: now))
    removeUnlisted()
  }

  /// Does what a change of a sensor's link leads to.
  func perform(_ change: SensorRecording.LinkChange?, of address: SensorAddress, at now: BootInstant) {
    guard let change else { return }
    log(change.line)
    for event in change.events { record(event, of: address, at: now) }
  }

  /// Something happened to an allowed sensor.
  package func record(_ kind: SensorEvent.Kind, of address: SensorAddress, at instant: BootInstant) {
    guard condition.phase < .ended, let index = recordings.index(of: address) else { return }
    // Events that waited have instants of their own: an event of the clock at one sensor's would be later than what the
    // others wait with.
    if stall == nil { followClock(first: index, at: instant) }
    handle(kind, of: index, at: instant)
    armTimer(for: recordings[index].deadline)
  }

  /// Passes an event to the recording, and carries out its decisions.
  private func handle(_ kind: SensorEvent.Kind, of index: Int, at instant: BootInstant) {
    let gaps = recordings[index].machine.counts.gaps
    recordings[index].isExercising = workouts.areUnderWay
    let step = recordings[index].handle(kind, at: instant, session: UUID())
    let bringsRate = recordings[index].machine.bringsRate
    perform(step, of: index, gapsBefore: gaps)
    if bringsRate, let rate = recordings[index].machine.beatsPerMinute,
      let instant = recordings[index].machine.rateInstant
    {
      workouts.collect(rate, of: recordings[index].address, at: instant)
    }
    if case .measurement(let bytes) = kind, observers.want(.measurements) { publishMeasurement(bytes, of: index) }
  }

  /// Does what a recording has left to do.
  func perform(_ step: SensorRecording.Step, of index: Int, gapsBefore gaps: Int) {
    if let ending = step.ending {
      end(ending, of: index)
      commitSoon(ending.session)
    }
    if observers.want([.sessions, .values, .heartEvents]) { publishNews(of: step, index, gapsBefore: gaps) }
    if let entry = step.aside { write(entry, of: index) }
    if let entry = step.entry { write(entry, of: index) }
    for defect in step.defects {
      log(
        .warning,
        "\(recordings[index].address): notifications that are no valid measurement (\(defect.rawValue)); counted")
    }
  }

  /// The wall clock may have been set or slewed; every session must know before its next event, and every workout.
  func followClock(first index: Int, at instant: BootInstant) {
    guard let event = changedClock(at: instant) else { return }
    handle(event, of: index, at: instant)
    for other in recordings.indices where other != index { handle(event, of: other, at: instant) }
  }

  /// The same before what is about no sensor.
  func followClock(at instant: BootInstant) {
    guard let event = changedClock(at: instant) else { return }
    for index in recordings.indices { handle(event, of: index, at: instant) }
  }

  /// The wall clock's lead over the boot clock, in microseconds: the one that sessions know, unless it was set since then.
  var presentOffset: Int64 {
    let offset = clock.wallMinusBoot()
    return abs(offset - wallOffset) > 1_000 ? offset : wallOffset
  }

  /// Returns the event for sessions that the clock was set, after recording it in workouts; nil if the clock was not
  /// set.
  private func changedClock(at instant: BootInstant) -> SensorEvent.Kind? {
    let offset = presentOffset
    guard offset != wallOffset else { return nil }
    if !RecordedClock.isNear(offset, wallOffset) { noteClockSet() }
    wallOffset = offset
    for (workout, record) in workouts.records(ofClock: offset, at: instant) {
      // If the journal refuses it, at the next opportunity.
      do throws(JournalError) {
        try files?.journal.append(workouts.unwritten([record], of: workout), toWorkout: workout)
        workouts.journalTook([record], of: workout)
      } catch {
        journalFailed(error)
      }
    }
    return .clock(wallMinusBootMicroseconds: offset)
  }
}
