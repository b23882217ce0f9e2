/// The last minutes and hours of each sensor, for who comes late: the curve of its rate, and its beats of the last minute. Constant memory.
struct Room: Sendable {
  /// The sensors that are remembered; beyond that, whoever was silent longest is forgotten.
  static let mostSensors = 64
  /// Intervals of a sensor that are remembered: those of a minute, of the fastest heart.
  static let mostBeats = 300
  /// Milliseconds of them.
  static let span: Int64 = 60_000

  struct Beat: Hashable, Sendable {
    /// Milliseconds of 1970.
    var time: Int64
    /// 1/1024 s.
    var ticks: UInt16
  }

  struct Member: Sendable {
    var curve = RateCurve()
    /// The last intervals, oldest first.
    private(set) var beats: [Beat] = []
    /// The time of the last value in milliseconds of 1970.
    private(set) var last: Int64 = 0

    fileprivate mutating func add(_ reading: Reading) {
      last = reading.microseconds / 1000
      curve.add(Double(reading.beatsPerMinute), at: last, precededByGap: reading.precededByGap)
      // The last beat is the latest.
      var time = last - reading.rrTicks.dropFirst().reduce(0) { $0 + Int64($1) * 1000 / 1024 }
      for (index, ticks) in reading.rrTicks.enumerated() {
        if index > 0 { time += Int64(ticks) * 1000 / 1024 }
        beats.append(Beat(time: time, ticks: ticks))
      }
      if beats.count > 2 * Room.mostBeats { beats.removeFirst(beats.count - Room.mostBeats) }
    }

    /// The intervals of the last minute.
    var recentBeats: ArraySlice<Beat> { beats.suffix(Room.mostBeats).drop { $0.time < last - Room.span } }
  }

  private(set) var members: [String: Member] = [:]

  /// Adds a value of a sensor.
  mutating func add(_ reading: Reading) {
    if members[reading.sensor] == nil, members.count >= Self.mostSensors,
      let oldest = members.min(by: { $0.value.last < $1.value.last })
    {
      members[oldest.key] = nil
    }
    members[reading.sensor, default: Member()].add(reading)
  }

  /// Has the curve of a sensor begin at a time in milliseconds of 1970.
  mutating func begin(_ sensor: String, at time: Int64) {
    members[sensor]?.curve.begin(at: time)
  }
}
