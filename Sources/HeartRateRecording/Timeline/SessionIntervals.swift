import HealthModel
import Sensors

/// The intervals of a session in the order of their arrival: what every step of ``SessionAssembly`` looks at.
///
/// Host time is wall time in microseconds; beats are numbered through the session.
struct SessionIntervals {
  let packets: [TimelineCollector.Packet]
  let rrTicks: [UInt16]
  /// The packet that brought each beat.
  let packetOfBeat: [Int32]
  /// Beats that follow a break that is known from outside: where each stretch of link begins; the first is beat 0.
  let linkStarts: [RunStart]
  /// When the link of each of ``linkStarts`` came up, where that is known.
  let linkUps: [Int64?]
  let parameters: TimelineParameters
  /// When the sensor sent each packet, as far as it keeps a steady pace.
  let sendings: [Sending]
  /// Ticks from the session's first beat to each, as if all intervals were without a hole; surplus ones count nothing. Runs
  /// take differences of it.
  private(set) var ticks: [Int64] = []
  /// Beats that the heart cannot have had, in order and apart from each other.
  private(set) var surplus: [Range<Int>] = []

  /// Whether something on the way holds notifications back and lets them go together.
  let isBatching: Bool

  init(_ columns: TimelineCollector, _ parameters: TimelineParameters) {
    let packets = columns.packets
    self.packets = packets
    rrTicks = columns.rrTicks
    self.parameters = parameters
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
      // The first of a link has none before it that the link carried.
      let isFirst = index == 0 || packets[index - 1].link != packet.link
      return Sending(instant: sent, previous: isFirst ? before : sent - Int64(grid.period), isPaced: true)
    }
    sumTicks()
  }

  /// When a packet was sent.
  struct Sending {
    /// Microseconds of wall time; the arrival, where no pace tells.
    var instant: Int64
    /// When the notification before it was sent; nil where that is not known.
    var previous: Int64?
    var isPaced: Bool
  }

  /// Takes intervals for surplus: they take no time from now on.
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
        // The session's first interval counts nothing anyway.
        if beat > 0 { left += Int64(rrTicks[beat]) }
        sums[beat] -= left
      }
      for beat in range.upperBound..<end { sums[beat] -= left }
    }
    ticks = sums
  }

  /// When the notification before `packet` arrived, if the packet's first beat was released after that.
  ///
  /// Where notifications are held back any may have been sent earlier than it came: only of the second of a batch it is
  /// known that the first was sent after the batch before.
  func arrival(before packet: TimelineCollector.Packet) -> Int64? { Self.arrival(before: packet, isBatching) }

  private static func arrival(before packet: TimelineCollector.Packet, _ isBatching: Bool) -> Int64? {
    isBatching && !packet.isBatched ? nil : packet.previousArrival
  }

  /// The beats of each stretch of link.
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

  /// The middle one of some intervals around `beat`, in microseconds; from 300 ms to 2 s.
  ///
  /// Not their mean: an interval over missed beats would count itself.
  func localInterval(at beat: Int, within bounds: Range<Int>) -> Int64 {
    let low = max(bounds.lowerBound + 1, beat - 7)
    let high = min(bounds.upperBound - 1, beat + 8)
    var around = low <= high ? Array(rrTicks[low...high]) : [rrTicks[beat]]
    let interval = around.select((around.count - 1) / 2)
    return min(max(SensorTicks.microseconds(Int64(interval)), 300_000), 2_000_000)
  }
}

/// The first beat of a run, and why it is one.
struct RunStart: Hashable {
  var beat: Int
  /// Nil for the session's first.
  var reason: GapReason?
  /// What its beats are flagged as where none of them is one: fillers or surplus.
  var invented: Heartbeat.Flags?

  /// Whether its beats have no time of their own.
  var isTimeless: Bool { invented != nil }
}
