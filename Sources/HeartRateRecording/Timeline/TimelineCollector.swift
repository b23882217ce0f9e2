import GATTHeartRate
import HealthModel
import Sensors

/// The first step of the final pass: a session's events as columns in wall time, without any judgement.
struct TimelineCollector {
  private(set) var packets: [Packet] = []
  private(set) var rrTicks: [UInt16] = []
  private(set) var breaks: [Break] = []
  /// The instants at which a link came up, each with the first beat after it.
  private var linkUps: [(beat: Int, moment: Moment)] = []
  private(set) var losses: [Loss] = []
  private(set) var firstPacket: Border?
  private(set) var lastPacket: Border?
  /// In order of arrival: boot time until ``finish()``, wall time after it.
  private(set) var rates: [HeartRateValue] = []
  private(set) var notifications = 0
  private(set) var zeroRates = 0
  private(set) var lostValues = 0
  private(set) var defects: [PayloadDefect: Int64] = [:]
  private(set) var sensor = SensorFacts()
  private(set) var clockSteps: [QualityReport.ClockStep] = []
  private(set) var stalls: [Stall] = []
  private(set) var endReason: SessionEndReason?
  private(set) var firstNotification: Moment?
  private(set) var lastNotification: Moment?
  private(set) var firstEvent: Moment?
  private(set) var batteryLow: Moment?
  /// The end of the session, where an event gives it.
  private(set) var end: Moment?
  /// The times whose values another session has, in order; the last one may have no end.
  private var pauses: [(start: Moment, end: Moment?)] = []

  /// An instant together with its boot.
  struct Moment {
    fileprivate var stretch: Int
    fileprivate var instant: Int64
  }

  private var stretches: [BootStretch] = []
  private var offsets: [Int64] = []
  /// Boots that began at an unknown time after the one before.
  private var unmeasuredBoots: Set<Int> = []
  private var isLinked = false
  private var links = 0
  /// The link's last loss has been recorded, and no event of another link since.
  private var isLossOpen = false
  private var contactLost = 0
  private var batch = Batch()

  /// Notifications that arrived together although the sensor sent them one by one: something held them back.
  private struct Batch {
    /// The arrival of the latest notification; nil at the beginning of a link.
    var arrival: Int64?
    /// The arrival of the latest notification before this batch.
    var arrivalBefore: Int64?
    var count = 0

    /// Notifications that arrive less than this apart came together. Microseconds.
    private static let together: Int64 = 100_000

    mutating func append(_ instant: Int64) {
      if let arrival, instant - arrival < Self.together {
        count += 1
      } else {
        // A notification that was held back was sent earlier than it arrived, so its arrival is no bound.
        arrivalBefore = count > 1 ? nil : arrival
        count = 1
      }
      arrival = instant
    }
  }

  mutating func append(_ log: SensorEventLog) {
    var columns = self
    self = TimelineCollector()
    columns.reserveCapacity(log.measurementCount)
    log.forEach {
      columns.append($0, at: columns.instant($1))
    } other: {
      columns.append($0)
    }
    self = columns
  }

  private mutating func reserveCapacity(_ notifications: Int) {
    packets.reserveCapacity(notifications)
    rrTicks.reserveCapacity(notifications * 3 / 2)
    rates.reserveCapacity(notifications)
  }

  mutating func append(_ event: SensorEvent) {
    if case .boot(let identifier) = event.kind {
      guard stretches.last?.boot != identifier else { return }
      if stretches.last?.boot == nil, var only = stretches.popLast() {
        // Events before the first boot record belong to that boot.
        only.boot = identifier
        stretches.append(only)
        return
      }
      begin(identifier, at: event.instant.microseconds)
      return
    }
    let instant = instant(event.instant)
    switch event.kind {
    case .boot: break
    case .clock(let offset): adjustClock(offset, at: instant)
    case .connected:
      // Without a loss before it, the recorder itself was away.
      if isLinked { breakRun(.recorder(nil), at: instant) }
      linkUps.append((rrTicks.count, moment(instant)))
      isLinked = true
      isLossOpen = false
    case .disconnected(let reason): loseLink(reason, at: instant)
    case .measurement(let bytes): append(bytes.span, at: instant)
    case .battery(let percent):
      if percent <= SensorEvent.lowBatteryPercent { batteryLow = batteryLow ?? moment(instant) }
      sensor.firstBatteryPercent = sensor.firstBatteryPercent ?? percent
      sensor.lastBatteryPercent = percent
    case .location(let value): sensor.location = value
    case .information(let field, let text): sensor.information[field] = text
    case .signal(let decibels):
      sensor.weakestSignal = min(sensor.weakestSignal ?? decibels, decibels)
      sensor.strongestSignal = max(sensor.strongestSignal ?? decibels, decibels)
    case .lost(let values, let reason):
      lostValues += values
      breakRun(.recorder(reason), at: instant)
    case .stalled(let microseconds): appendStall(microseconds, at: instant)
    case .marker(let text, let earlier):
      sensor.markers.append(SessionMarker(time: Timestamp(microseconds: instant &- earlier), text: text))
    case .paused:
      breakRun(.clientSession, at: instant)
      if !isPaused { pauses.append((moment(instant), nil)) }
    case .continued: endPause(at: instant)
    case .ended(let reason):
      endReason = reason
      // The time from the pause on is another session's.
      end = isPaused ? pauses.last?.start : moment(instant)
    }
  }

  /// The instant of an event other than `boot`, adjusted for this pass.
  private mutating func instant(_ instant: BootInstant) -> Int64 {
    if stretches.isEmpty { begin(nil, at: instant.microseconds) }
    let advanced = advance(to: instant.microseconds)
    if firstEvent == nil { firstEvent = moment(advanced) }
    return advanced
  }

  private var isPaused: Bool { pauses.last.map { $0.end == nil } ?? false }

  /// Ends the pause: at its record, or at a value where that record is damaged.
  private mutating func endPause(at instant: Int64) {
    if isPaused { pauses[pauses.count - 1].end = moment(instant) }
  }

  /// BlueZ reports the reason after the loss: a second event of the same loss only adds the reason.
  private mutating func loseLink(_ reason: String?, at instant: Int64) {
    isLinked = false
    guard isLossOpen, let last = sensor.disconnects.indices.last else {
      isLossOpen = true
      sensor.disconnects.append(.init(time: Timestamp(microseconds: instant), reason: reason))
      return breakRun(.link(reason), at: instant)
    }
    guard sensor.disconnects[last].reason == nil else { return }
    sensor.disconnects[last].reason = reason
    losses.append(Loss(rate: rates.count, moment: moment(instant), reason: .link(reason)))
    if let position = breaks.indices.last, breaks[position].reason == .link(nil),
      breaks[position].beat == rrTicks.count
    {
      breaks[position].reason = .link(reason)
    }
  }

  private mutating func breakRun(_ reason: GapReason, at instant: Int64) {
    batch = Batch()
    links += 1
    losses.append(Loss(rate: rates.count, moment: moment(instant), reason: reason))
    guard !rrTicks.isEmpty, breaks.last?.beat != rrTicks.count else { return }
    breaks.append(Break(beat: rrTicks.count, reason: reason))
  }

  private mutating func append(_ bytes: Span<UInt8>, at instant: Int64) {
    notifications += 1
    if firstNotification == nil { firstNotification = moment(instant) }
    lastNotification = moment(instant)
    isLinked = true
    isLossOpen = false
    endPause(at: instant)
    let header: HeartRateMeasurement.Header
    do {
      header = try HeartRateMeasurement.Header(decoding: bytes)
    } catch {
      defects[PayloadDefect(error), default: 0] += 1
      return
    }
    PayloadDefect.forEach(in: header, byteCount: bytes.count) { defects[$0, default: 0] += 1 }
    if header.rrCount > 0 { passPacket(bringsRate: header.beatsPerMinute > 0) }
    if header.beatsPerMinute > 0 {
      rates.append(HeartRateValue(header, at: Timestamp(microseconds: instant)))
    } else {
      zeroRates += 1
      if header.rrCount == 0 { leaveSkin(at: instant) }
    }
    batch.append(instant)
    guard header.rrCount > 0 else {
      if header.contact == .notDetected { contactLost += 1 }
      return
    }
    for index in 0..<header.rrCount { rrTicks.append(header.rrTicks(index, in: bytes)) }
    packets.append(
      Packet(
        arrival: instant, previousArrival: batch.arrivalBefore, isBatched: batch.count > 1,
        beatEnd: rrTicks.count, rate: header.beatsPerMinute, contactLostBefore: contactLost,
        hasOwnArrival: !isEndOfStall(instant), notification: notifications, link: links))
    contactLost = 0
  }

  private mutating func passPacket(bringsRate: Bool) {
    firstPacket = firstPacket ?? Border(rate: rates.count, loss: losses.count)
    lastPacket = Border(rate: rates.count + (bringsRate ? 1 : 0), loss: losses.count)
  }

  /// Records a rate of 0 without an interval; only the first in a row matters.
  private mutating func leaveSkin(at instant: Int64) {
    if let last = losses.last, last.rate == rates.count, last.reason == .contact { return }
    losses.append(Loss(rate: rates.count, moment: moment(instant), reason: .contact))
  }

  /// Adds a stall. Two stalls with the same instant are parts of one.
  private mutating func appendStall(_ microseconds: Int64, at instant: Int64) {
    guard isEndOfStall(instant) else { return stalls.append(Stall(end: instant, microseconds: microseconds)) }
    stalls[stalls.count - 1].microseconds = Self.sum(stalls[stalls.count - 1].microseconds, microseconds)
  }

  /// The time in which the recorder did not run, in microseconds. Foreign files may hold impossible lengths, so the sum
  /// saturates.
  var stalledMicroseconds: Int64 {
    stalls.reduce(0) { Self.sum($0, $1.microseconds) }
  }

  private static func sum(_ first: Int64, _ second: Int64) -> Int64 {
    let (sum, overflow) = first.addingReportingOverflow(second)
    return overflow ? .max : sum
  }

  /// Whether a stall ended at this instant of the present boot.
  private func isEndOfStall(_ instant: Int64) -> Bool {
    stalls.count > stretches.last?.firstStall ?? 0 && stalls.last?.end == instant
  }
}

extension TimelineCollector {
  /// Events of one boot, whose instants can be compared with each other.
  private struct BootStretch {
    var boot: BootIdentifier?
    var offset: Int64?
    /// Added to instants: the clock of a foreign capture can jump back.
    var correction: Int64 = 0
    var firstInstant: Int64
    var lastInstant: Int64
    var firstPacket: Int
    var firstRate: Int
    var firstDisconnect: Int
    var firstClockStep: Int
    var firstStall: Int
    var firstMarker: Int
  }

  private mutating func begin(_ boot: BootIdentifier?, at instant: Int64) {
    let isNext = stretches.last.map { $0.boot != nil } ?? false
    stretches.append(
      BootStretch(
        boot: boot, firstInstant: instant, lastInstant: instant, firstPacket: packets.count, firstRate: rates.count,
        firstDisconnect: sensor.disconnects.count, firstClockStep: clockSteps.count, firstStall: stalls.count,
        firstMarker: sensor.markers.count))
    if isNext { breakRun(.boot, at: instant) }
    isLinked = false
    isLossOpen = false
  }

  /// The adjusted instant: never earlier than the one before.
  private mutating func advance(to instant: Int64) -> Int64 {
    let current = stretches.count - 1
    let corrected = instant &+ stretches[current].correction
    let last = stretches[current].lastInstant
    if corrected < last {
      // Events of two sources may be slightly out of order; a jump back by seconds is the wall clock of a foreign capture.
      if last &- corrected > 1_000_000 { stretches[current].correction &+= last &- corrected }
      return last
    }
    stretches[current].lastInstant = corrected
    return corrected
  }

  private mutating func adjustClock(_ offset: Int64, at instant: Int64) {
    let current = stretches.count - 1
    if let earlier = stretches[current].offset {
      let step = offset &- earlier
      // Smaller steps are NTP slewing the clock.
      if abs(step) >= 100_000 {
        clockSteps.append(.init(time: Timestamp(microseconds: instant), microseconds: step))
      }
    }
    stretches[current].offset = offset
  }

  /// Converts boot time to wall time. Each boot uses its clock's last offset, because a machine without a clock battery
  /// learns the time late.
  mutating func finish() {
    resolveOffsets()
    for (index, stretch) in stretches.enumerated() {
      let next = index + 1 < stretches.count ? stretches[index + 1] : nil
      let offset = offsets[index]
      shiftPackets(stretch.firstPacket..<(next?.firstPacket ?? packets.count), by: offset)
      shiftRates(stretch.firstRate..<(next?.firstRate ?? rates.count), by: offset)
      for loss in stretch.firstDisconnect..<(next?.firstDisconnect ?? sensor.disconnects.count) {
        sensor.disconnects[loss].time = sensor.disconnects[loss].time.advanced(byMicroseconds: offset)
      }
      for step in stretch.firstClockStep..<(next?.firstClockStep ?? clockSteps.count) {
        clockSteps[step].time = clockSteps[step].time.advanced(byMicroseconds: offset)
      }
      for stall in stretch.firstStall..<(next?.firstStall ?? stalls.count) { stalls[stall].end &+= offset }
      for marker in stretch.firstMarker..<(next?.firstMarker ?? sensor.markers.count) {
        sensor.markers[marker].time = sensor.markers[marker].time.advanced(byMicroseconds: offset)
      }
    }
  }

  /// Removes intervals that are no beats, one entry for each or none at all, and packets that hold no other. Only after
  /// ``finish()``.
  mutating func leaveOut(_ leftOut: [Bool]) {
    guard leftOut.contains(true) else { return }
    // The number of intervals that are left before each one.
    var places = [0]
    places.reserveCapacity(leftOut.count + 1)
    for isLeftOut in leftOut { places.append(places[places.count - 1] + (isLeftOut ? 0 : 1)) }
    rrTicks = rrTicks.indices.filter { !leftOut[$0] }.map { rrTicks[$0] }
    var end = 0
    packets = packets.compactMap { packet in
      var packet = packet
      packet.beatEnd = places[packet.beatEnd]
      defer { end = packet.beatEnd }
      return packet.beatEnd > end ? packet : nil
    }
    for index in breaks.indices { breaks[index].beat = places[breaks[index].beat] }
    // Between two breaks there may be no beat any more.
    breaks = breaks.indices.filter { index in
      breaks[index].beat > (index > 0 ? breaks[index - 1].beat : 0)
    }.map { breaks[$0] }
    for index in linkUps.indices { linkUps[index].beat = places[linkUps[index].beat] }
  }

  private mutating func shiftPackets(_ positions: Range<Int>, by microseconds: Int64) {
    var packets = packets.mutableSpan
    for position in positions {
      packets[position].arrival &+= microseconds
      packets[position].previousArrival? &+= microseconds
    }
  }

  private mutating func shiftRates(_ positions: Range<Int>, by microseconds: Int64) {
    guard microseconds != 0 else { return }
    var rates = rates.mutableSpan
    for position in positions { rates[position].time = rates[position].time.advanced(byMicroseconds: microseconds) }
  }

  /// When the link came up that brought `beat` first; nil where no event shows it. Only after ``finish()``.
  func linkUp(before beat: Int) -> Int64? {
    linkUps.last { $0.beat <= beat }.flatMap { $0.beat == beat ? wall($0.moment) : nil }
  }

  /// A moment in wall time; only after ``finish()``.
  func wall(_ moment: Moment) -> Int64 {
    moment.instant &+ offsets[moment.stretch]
  }

  /// The times whose values another session has, in wall time and in order; only after ``finish()``.
  var pausedTimes: [Range<Int64>] {
    pauses.map { pause in
      let start = wall(pause.start)
      return start..<max(start, pause.end.map(wall) ?? .max)
    }
  }

  private func moment(_ instant: Int64) -> Moment {
    Moment(stretch: stretches.count - 1, instant: instant)
  }

  /// Each boot has its own clock. Where that cannot be right, boots stand one behind the other without a gap.
  private mutating func resolveOffsets() {
    var known = stretches.map { $0.offset }
    var previousEnd: Int64?
    for index in known.indices where index >= known.firstIndex(where: { $0 != nil }) ?? 0 {
      if let previousEnd, known[index].map({ stretches[index].firstInstant &+ $0 < previousEnd }) ?? true {
        // Without a clock of its own, or with one that is behind, it follows the boot before it.
        known[index] = previousEnd &- stretches[index].firstInstant
        unmeasuredBoots.insert(index)
      }
      previousEnd = stretches[index].lastInstant &+ (known[index] ?? 0)
    }
    // A gap of more than a day is not believed, since no session goes on that long without its sensor: a machine without a
    // clock battery learns the time late, so the later boot is right.
    let day: Int64 = 86_400_000_000
    for index in stretches.indices.reversed() {
      guard index + 1 < stretches.count, let next = known[index + 1] else { continue }
      let nextFirst = stretches[index + 1].firstInstant &+ next
      let last = stretches[index].lastInstant
      if let offset = known[index], last &+ offset <= nextFirst, nextFirst &- last &- offset <= day { continue }
      known[index] = nextFirst &- last
      unmeasuredBoots.insert(index + 1)
    }
    offsets = known.map { $0 ?? 0 }
  }

  /// The gaps of the session; a gap with the border of a boot at an unknown distance gets the detail "length unknown".
  func markingUnmeasured(_ gaps: [RecordingGap]) -> [RecordingGap] {
    let borders = unmeasuredBoots.map { stretches[$0].firstInstant &+ offsets[$0] }
    guard !borders.isEmpty else { return gaps }
    return gaps.map { gap in
      guard gap.reason == GapReason.boot.token,
        borders.contains(where: { gap.start.microseconds <= $0 && $0 <= gap.end.microseconds })
      else { return gap }
      var gap = gap
      gap.detail = "length unknown"
      gap.estimatedLostBeats = nil
      return gap
    }
  }
}
