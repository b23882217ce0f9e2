import Sensors

extension RecordBuffer {
  /// Appends a record of a live workout. A record without a sample, and numbers that are not finite, are not written.
  mutating func workout(_ record: WorkoutRecord, slot: Int) {
    switch record {
    case .begin(let workout):
      begin(slot)
      word("workout")
      uuid(workout.identifier)
      integer(workout.uid)
      string(workout.application)
      word(workout.endsWithClient ? "ends" : "stays")
      configuration(workout.configuration)
      if let request = workout.request {
        word("uses")
        uuid(request)
      }
      if let sensor = workout.sensor {
        word("sensor")
        word("\(sensor)")
      }
      finish()
    case .boot(let boot, let instant): event(SensorEvent(.boot(boot), at: instant), slot: slot)
    case .clock(let offset, let instant):
      event(SensorEvent(.clock(wallMinusBootMicroseconds: offset), at: instant), slot: slot)
    case .call(let call, let instant):
      begin(slot)
      integer(instant.microseconds)
      self.call(call)
      finish()
    case .samples(let samples):
      guard !samples.isEmpty else { return }
      begin(slot)
      word("samples")
      for sample in samples { uuid(sample) }
      finish()
    }
  }

  private mutating func call(_ call: WorkoutCall) {
    switch call {
    case .start: word("start")
    case .pause: word("pause")
    case .resume: word("resume")
    case .beginActivity(let identifier, let its, let metadata):
      word("activity")
      uuid(identifier)
      configuration(its)
      with(metadata)
    case .endActivity: word("end-activity")
    case .event(let type, let start, let end, let metadata):
      word("event")
      integer(type)
      integer(start.microseconds)
      integer(end.microseconds)
      with(metadata)
    case .stop: word("stop")
    case .end: word("end")
    }
  }

  private mutating func configuration(_ its: LiveWorkout.Configuration) {
    integer(its.activityType)
    integer(its.location)
    integer(its.swimmingLocation)
    guard let length = its.lapLength, length.value.isFinite else { return }
    word("lap")
    word("\(length.value)")
    string(length.unit)
  }

  private mutating func with(_ metadata: [String: CaptureMetadataValue]) {
    let metadata = metadata.filter(\.value.isWritable)
    guard !metadata.isEmpty else { return }
    word("with")
    for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
      string(key)
      metadataValue(value)
    }
  }
}
