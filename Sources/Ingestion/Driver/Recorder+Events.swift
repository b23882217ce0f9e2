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
    if let index = sensors.recordings.index(of: address), sensors.recordings[index].hasNewState {
      publishStatus()
    } else {
      publishStatusSoon()
    }
  }

  /// A value of a sensor that arrived at `instant`.
  func readValue(_ bytes: [UInt8], of address: SensorAddress, at instant: BootInstant) {
    if let (event, end) = sensors.valueReceived(from: address, at: instant) { record(event, of: address, at: end) }
    record(.measurement(bytes), of: address, at: instant)
  }

  /// Something happened to an allowed sensor.
  package func record(_ kind: SensorEvent.Kind, of address: SensorAddress, at instant: BootInstant) {
    guard condition.phase < .ended, let index = sensors.recordings.index(of: address) else { return }
    // Events that waited have instants of their own: an event of the clock at one sensor's would be later than what the
    // others wait with.
    if sensors.stall == nil { followClock(first: index, at: instant) }
    handle(kind, of: index, at: instant)
    armTimer(for: sensors.recordings[index].deadline)
  }

  /// Passes an event to the recording, and carries out its decisions.
  private func handle(_ kind: SensorEvent.Kind, of index: Int, at instant: BootInstant) {
    sensors.recordings[index].isExercising = workouts.areUnderWay
    let step = sensors.recordings[index].handle(kind, at: instant, session: UUID())
    let bringsRate = sensors.recordings[index].machine.bringsRate
    perform(step, of: index)
    if bringsRate, let rate = sensors.recordings[index].machine.beatsPerMinute,
      let instant = sensors.recordings[index].machine.rateInstant
    {
      workouts.collect(rate, of: sensors.recordings[index].address, at: instant)
    }
    if case .measurement(let bytes) = kind, observers.want(.measurements) {
      observers.publish(sensors.recordings[index].measurement(bytes, wallMinusBoot: sensors.wallMinusBoot))
    }
  }

  /// Does what a recording has left to do.
  func perform(_ step: SensorRecording.Step, of index: Int) {
    if let ending = step.ending {
      end(ending, of: index)
      commitSoon(ending.session)
    }
    if observers.want([.sessions, .values, .heartEvents]) {
      for event in sensors.recordings[index].news(of: step, wallMinusBoot: sensors.wallMinusBoot) {
        observers.publish(event)
      }
    }
    if let entry = step.aside { write(entry, of: index) }
    if let entry = step.entry { write(entry, of: index) }
    for defect in step.defects {
      log(
        .warning,
        "\(sensors.recordings[index].address): notifications that are no valid measurement (\(defect.rawValue)); counted"
      )
    }
  }

  /// The wall clock may have been set or slewed; every session must know before its next event, and every workout.
  func followClock(first index: Int? = nil, at instant: BootInstant) {
    guard let event = changedClock(at: instant) else { return }
    if let index { handle(event, of: index, at: instant) }
    for other in sensors.recordings.indices where other != index { handle(event, of: other, at: instant) }
  }

  /// The wall clock's lead over the boot clock, in microseconds: the one that sessions know, unless it was set since then.
  var presentOffset: Int64 {
    let offset = clock.wallMinusBoot()
    return abs(offset - sensors.wallMinusBoot) > 1_000 ? offset : sensors.wallMinusBoot
  }

  /// Returns the event for sessions that the clock was set, after recording it in workouts; nil if the clock was not
  /// set.
  private func changedClock(at instant: BootInstant) -> SensorEvent.Kind? {
    let offset = presentOffset
    guard offset != sensors.wallMinusBoot else { return nil }
    if !RecordedClock.isNear(offset, sensors.wallMinusBoot) { wallClock?.assumeIsolated { $0.clockSet() } }
    sensors.wallMinusBoot = offset
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
