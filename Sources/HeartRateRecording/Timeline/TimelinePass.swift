import Glibc
import Sensors

/// The final pass at work: from columns to runs, maps and flags. See rules 1 to 9 in Documentation/timeline.md.
///
/// Host time is wall time in microseconds from here on; beats are numbered through the session.
struct TimelinePass {
  let packets: [TimelineCollector.Packet]
  let rrTicks: [UInt16]
  let parameters: TimelineParameters
  /// Ticks from the session's first beat to each, as if all intervals were without a hole. Runs take differences of it.
  let ticks: [Int64]
  /// The packet that brought each beat.
  let packetOfBeat: [Int32]

  /// Whether something on the way holds notifications back and lets them go together.
  private let isBatching: Bool

  /// How many beats later the sensor hands a beat on.
  var depth = ReleaseDepth()
  /// Where runs begin; the first is beat 0.
  var starts: [RunStart] = []
  /// What the sensor's clock is slower by, in parts per billion, and its standard error where it could be resolved.
  var slope: Int32 = 0
  var slopeError: Double?
  var runs: [HeartbeatRun] = []
  var flags: [BeatFlags] = []
  var precededByGap: [Bool] = []
  var wall: [Int64] = []
  var surplusSteps = 0

  /// The first beat of a run, and why it is one; nil for the session's first.
  struct RunStart {
    var beat: Int
    var reason: GapReason?
    var isFiller = false
  }

  init(_ columns: TimelineCollector, _ parameters: TimelineParameters) {
    packets = columns.packets
    rrTicks = columns.rrTicks
    self.parameters = parameters
    var ticks: [Int64] = []
    ticks.reserveCapacity(rrTicks.count)
    var sum: Int64 = -Int64(rrTicks.first ?? 0)
    for interval in rrTicks {
      sum += Int64(interval)
      ticks.append(sum)
    }
    self.ticks = ticks
    var packetOfBeat: [Int32] = []
    packetOfBeat.reserveCapacity(rrTicks.count)
    for (index, packet) in packets.enumerated() {
      while packetOfBeat.count < packet.beatEnd { packetOfBeat.append(Int32(index)) }
    }
    self.packetOfBeat = packetOfBeat
    let batched = packets.count { $0.isBatched }
    isBatching = Double(batched) > parameters.batchedShare * Double(packets.count)
  }

  /// When the notification before `packet` arrived, if the packet's first beat was released after that.
  ///
  /// Where notifications are held back any may have been sent earlier than it came: only of the second of a batch it is
  /// known that the first was sent after the batch before.
  func arrival(before packet: TimelineCollector.Packet) -> Int64? {
    isBatching && !packet.isBatched ? nil : packet.previousArrival
  }

  /// Does it all.
  mutating func run(breaks: [TimelineCollector.Break]) {
    guard !rrTicks.isEmpty else { return }
    let link =
      [RunStart(beat: 0)] + breaks.filter { $0.beat < rrTicks.count }.map { RunStart(beat: $0.beat, reason: $0.reason) }
    depth = ReleaseDepth(DepthCosts(self, linkStarts: link), parameters)
    starts = merge(link, fillerStarts(), contactStarts(linkStarts: link))
    var residuals = Residuals(self, linkStarts: link)
    starts = merge(starts, stepStarts(residuals))
    residuals.divide(at: starts)
    map(residuals)
    flag()
  }

  /// One list in order of beats; where two begin at one beat the earlier list's reason is kept.
  private func merge(_ lists: [RunStart]...) -> [RunStart] {
    var byBeat: [Int: RunStart] = [:]
    for start in lists.joined() {
      if var earlier = byBeat[start.beat] {
        earlier.isFiller = earlier.isFiller || start.isFiller
        byBeat[start.beat] = earlier
      } else {
        byBeat[start.beat] = start
      }
    }
    return byBeat.values.sorted { $0.beat < $1.beat }
  }

  /// What was found out about the sensor's timing.
  var quality: TimelineQuality {
    var quality = TimelineQuality()
    quality.releaseDepth = Double(depth.beats)
    quality.releaseDepthError = depth.error
    quality.driftPartsPerMillion = Double(slope) / 1000
    quality.driftError = slopeError
    quality.surplusSteps = surplusSteps
    measureLatency(&quality)
    return quality
  }

  /// Counted to the millisecond, since sorting them would cost as much as all the rest.
  private func measureLatency(_ quality: inout TimelineQuality) {
    var counts = [Int](repeating: 0, count: 20_000)
    var greatest = Int64.min
    for packet in packets {
      let latency = packet.arrival - wall[packet.beatEnd - 1]
      counts[Int(min(max(latency / 1000, 0), 19_999))] += 1
      greatest = max(greatest, latency)
    }
    func quantile(_ share: Double) -> Int64? {
      var left = Int((Double(packets.count) * share).rounded(.up))
      for (milliseconds, count) in counts.enumerated() {
        left -= count
        if left <= 0 { return Int64(milliseconds) * 1000 }
      }
      return nil
    }
    guard !packets.isEmpty else { return }
    quality.medianLatencyMicroseconds = quantile(0.5)
    quality.latency95Microseconds = quantile(0.95)
    quality.greatestLatencyMicroseconds = greatest
  }

  /// The beats of run `index`.
  func beats(ofRun index: Int) -> Range<Int> {
    starts[index].beat..<(index + 1 < starts.count ? starts[index + 1].beat : rrTicks.count)
  }

  /// The mean interval of some beats around `beat`, in microseconds; never 0.
  func localInterval(at beat: Int, within bounds: Range<Int>) -> Int64 {
    let low = max(bounds.lowerBound, beat - 8)
    let high = min(bounds.upperBound - 1, beat + 8)
    guard high > low else { return max(RunMap.microseconds(ticks: Int64(rrTicks[beat])), 300_000) }
    let mean = RunMap.microseconds(ticks: ticks[high] - ticks[low]) / Int64(high - low)
    return min(max(mean, 300_000), 2_000_000)
  }
}
