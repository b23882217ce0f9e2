import HealthModel
import Sensors

/// The intervals of a session in the order of arrival: the input of every step of ``SessionAssembly``.
///
/// Host time is wall time in microseconds; beats are numbered through the session.
struct SessionIntervals {
  let packets: [TimelineCollector.Packet]
  let rrTicks: [UInt16]
  /// The packet that brought each beat.
  let packetOfBeat: [Int32]
  /// Beats after a break that an event reports: the beginnings of the stretches between link losses. The first is beat 0.
  let linkStarts: [RunStart]
  /// When the link of each of ``linkStarts`` came up, where that is known.
  let linkUps: [Int64?]
  let parameters: TimelineParameters
  let clock: SensorClock
  /// When the sensor sent each packet, where its pace shows it.
  let sendings: [Sending]
  /// Ticks from the session's first beat to each beat, as if no interval were missing; surplus intervals count 0. Within a
  /// run the differences are times.
  private(set) var ticks: [Int64] = []
  /// Surplus intervals, in order and not overlapping.
  private(set) var surplus: [Range<Int>] = []

  /// Whether notifications are held back on their way and arrive in batches.
  let isBatching: Bool

  init(_ columns: TimelineCollector, _ clock: SensorClock, _ parameters: TimelineParameters) {
    let packets = columns.packets
    self.packets = packets
    rrTicks = columns.rrTicks
    self.parameters = parameters
    self.clock = clock
    var packetOfBeat: [Int32] = []
    packetOfBeat.reserveCapacity(rrTicks.count)
    for (index, packet) in packets.enumerated() {
      while packetOfBeat.count < packet.beatEnd { packetOfBeat.append(Int32(index)) }
    }
    self.packetOfBeat = packetOfBeat
    let count = rrTicks.count
    linkStarts =
      [RunStart(beat: 0)]
      + columns.breaks.filter { $0.beat < count }.map { RunStart(beat: $0.beat, reason: $0.reason) }
    linkUps = linkStarts.map { start in columns.linkUp(before: start.beat) }
    let batched = packets.count { $0.isBatched }
    isBatching = Double(batched) > parameters.batchedShare * Double(packets.count)
    let grid = SendingGrid(packets, parameters)
    let isBatching = isBatching
    sendings = packets.indices.map { index in
      let packet = packets[index]
      let before = Self.arrival(before: packet, isBatching)
      guard let sent = grid.sent[index] else {
        return Sending(instant: packet.arrival, previous: before, isPaced: false)
      }
      // The first packet of a link has no predecessor on that link.
      let isFirst = index == 0 || packets[index - 1].link != packet.link
      return Sending(instant: sent, previous: isFirst ? before : sent - Int64(grid.period), isPaced: true)
    }
    sumTicks()
  }

  /// The time at which a packet was sent.
  struct Sending {
    /// Microseconds of wall time; the arrival, where no pace is known.
    var instant: Int64
    /// When the notification before it was sent; nil where that is not known.
    var previous: Int64?
    var isPaced: Bool
  }

  /// Marks intervals as surplus: from now on they count 0 ticks.
  mutating func leaveOut(_ more: [Range<Int>]) {
    guard !more.isEmpty else { return }
    var merged: [Range<Int>] = []
    for range in (surplus + more).sorted(by: { $0.lowerBound < $1.lowerBound }) {
      if let last = merged.last, range.lowerBound <= last.upperBound {
        merged[merged.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
      } else {
        merged.append(range)
      }
    }
    surplus = merged
    sumTicks()
  }

  private mutating func sumTicks() {
    var sums: [Int64] = []
    sums.reserveCapacity(rrTicks.count)
    var sum = -Int64(rrTicks.first ?? 0)
    for interval in rrTicks {
      sum += Int64(interval)
      sums.append(sum)
    }
    var left: Int64 = 0
    for (index, range) in surplus.enumerated() {
      let end = index + 1 < surplus.count ? surplus[index + 1].lowerBound : sums.count
      for beat in range {
        // The session's first interval counts 0 anyway.
        if beat > 0 { left += Int64(rrTicks[beat]) }
        sums[beat] -= left
      }
      for beat in range.upperBound..<end { sums[beat] -= left }
    }
    ticks = sums
  }

  /// When the notification before `packet` arrived, if the packet's first beat was released after that.
  ///
  /// Notifications that were held back were sent earlier than they arrived. Only for the second of a batch it is known that
  /// the first was sent after the batch before.
  func arrival(before packet: TimelineCollector.Packet) -> Int64? { Self.arrival(before: packet, isBatching) }

  private static func arrival(before packet: TimelineCollector.Packet, _ isBatching: Bool) -> Int64? {
    isBatching && !packet.isBatched ? nil : packet.previousArrival
  }

  /// The beats of each stretch between link losses.
  func beats(ofLink index: Int) -> Range<Int> {
    linkStarts[index].beat..<(index + 1 < linkStarts.count ? linkStarts[index + 1].beat : rrTicks.count)
  }

  /// The packets that brought some beats, of which there is at least one.
  func packets(of beats: Range<Int>) -> ClosedRange<Int> {
    Int(packetOfBeat[beats.lowerBound])...Int(packetOfBeat[beats.upperBound - 1])
  }

  /// The beats that a packet brought.
  func beats(ofPacket index: Int) -> Range<Int> {
    (index > 0 ? packets[index - 1].beatEnd : 0)..<packets[index].beatEnd
  }

  /// The median of some intervals around `beat`, in microseconds; limited to 300 ms to 2 s.
  ///
  /// Not the mean, which an interval over missed beats would distort.
  func localInterval(at beat: Int, within bounds: Range<Int>) -> Int64 {
    let low = max(bounds.lowerBound + 1, beat - 7)
    let high = min(bounds.upperBound - 1, beat + 8)
    var around = low <= high ? Array(rrTicks[low...high]) : [rrTicks[beat]]
    let interval = around.select((around.count - 1) / 2)
    return min(max(clock.microseconds(Int64(interval)), 300_000), 2_000_000)
  }
}

/// The first beat of a run, and why a run begins there.
struct RunStart: Hashable {
  var beat: Int
  /// Nil for the session's first.
  var reason: GapReason?
  /// The flag of its beats if they are no heartbeats: filler or surplus.
  var invented: Heartbeat.Flags?

  /// Whether its beats have no time of their own.
  var isTimeless: Bool { invented != nil }
}

/// The clock in whose ticks a sensor gives RR intervals.
struct SensorClock: Hashable {
  let ticksPerSecond: Int32
  /// Sixteenths of a microsecond in a tick, with which ticks of both clocks convert without rounding.
  let sixteenths: Int64

  /// 1024 ticks to the second (Heart Rate Service 1.0, 3.1.1.5).
  static let standard = SensorClock(ticksPerSecond: 1024, sixteenths: 15_625)
  /// The clock of sensors that send milliseconds instead (rule 12 of Documentation/timeline.md).
  static let milliseconds = SensorClock(ticksPerSecond: 1000, sixteenths: 16_000)

  var microsecondsPerTick: Double { Double(sixteenths) / 16 }

  /// Microseconds of `ticks` on an ideal clock, rounded down.
  @inline(__always)
  func microseconds(_ ticks: Int64) -> Int64 {
    // The product overflows only for more beats than there can be.
    (ticks &* sixteenths) >> 4
  }
}
