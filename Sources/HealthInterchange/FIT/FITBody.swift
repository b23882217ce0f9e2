internal import FoundationEssentials
internal import HealthModel

/// The messages of a FIT file in order of time, between its header and its checksum.
struct FITBody: ~Copyable {
  /// Local types, one for each form of message.
  private enum Local {
    static let fileIdentifier: UInt8 = 0
    static let creator: UInt8 = 1
    static let device: UInt8 = 2
    static let event: UInt8 = 3
    static let rate: UInt8 = 4
    static let second: UInt8 = 5
    static let intervals: UInt8 = 6
    static let lap: UInt8 = 7
    static let session: UInt8 = 8
    static let activity: UInt8 = 9
    static let sensor: UInt8 = 10
    static let application: UInt8 = 11
    static let description: UInt8 = 12
  }

  private let recording: InterchangeRecording
  private var messages = FITMessages()
  private var timer = FITTimer()
  /// A start that is later than the second of its beat, and so not written yet.
  private var waitingStart: Int64?
  private var intervals: [UInt16] = []
  private var beatsOfStretch = 0
  private var hasStarted = false
  /// The time of the last message.
  private var last: Int64
  /// The times without beats in which the timer runs, and the number of these that are over.
  private var parts: [ClosedRange<Int64>] = []
  private var partsOver = 0
  private var figures: [LapFigures]
  private var whole = LapFigures()

  private struct LapFigures {
    var count: Int64 = 0
    var sum: Int64 = 0
    var greatest: UInt16 = 0
    var timerSeconds: Int64 = 0

    mutating func add(_ rate: UInt16) {
      count += 1
      sum += Int64(rate)
      greatest = max(greatest, rate)
    }
  }

  init(_ recording: InterchangeRecording) {
    self.recording = recording
    last = recording.span.start.microseconds.flooredSeconds
    figures = recording.laps.map { _ in LapFigures() }
  }

  mutating func write<Failure: Error>(to receive: ([UInt8]) throws(Failure) -> Void) throws(Failure) {
    appendHead()
    var rates = RateSeconds(recording, withoutPauses: true)
    var beats = MeasuredBeats(recording, followsClock: true, withoutPauses: true)
    var rate = rates.next()
    var beat = beats.next()
    if beat == nil { parts = FITTimer.parts(of: recording) }
    while rate != nil || beat != nil {
      let second = min(rate?.second ?? .max, beat?.time.microseconds.flooredSeconds ?? .max)
      if let start = waitingStart, start <= second { appendStart(at: start) }
      // A stretch that begins in this second begins before its record, if there is none under way.
      var isOpened = false
      if let beat, beat.interval == nil, beat.time.microseconds.flooredSeconds == second, !timer.isRunning {
        open(at: beat.time, in: second)
        isOpened = true
      }
      if let one = rate, one.second == second {
        rate = rates.next()
        runParts(to: second)
        appendRecord(at: second, one.beatsPerMinute)
      } else {
        appendRecord(at: second, nil)
      }
      while let one = beat, one.time.microseconds.flooredSeconds == second {
        beat = beats.next()
        if let milliseconds = one.interval {
          timer.add(milliseconds: milliseconds)
          intervals.append(UInt16(clamping: milliseconds))
        } else if isOpened {
          isOpened = false
        } else {
          open(at: one.time, in: second)
        }
        beatsOfStretch += 1
        if beat?.interval == nil { close(at: one.time.microseconds, isFinal: beat == nil) }
      }
      if waitingStart == nil { appendIntervals() }
      try messages.buffer.hand(to: receive)
    }
    runParts(to: .max)
    appendTail()
    try messages.buffer.hand(to: receive, all: true)
  }

  // MARK: The timer

  /// Starts and stops up to a rate of that second.
  private mutating func runParts(to second: Int64) {
    while partsOver < parts.count {
      let part = parts[partsOver]
      if !timer.isRunning {
        guard part.lowerBound <= second else { return }
        open(at: Timestamp(microseconds: part.lowerBound * 1_000_000), in: part.lowerBound)
      }
      guard part.upperBound < second else { return }
      partsOver += 1
      close(at: part.upperBound * 1_000_000, isFinal: partsOver == parts.count)
    }
  }

  private mutating func open(at time: Timestamp, in second: Int64) {
    let start = timer.start(at: time.microseconds)
    beatsOfStretch = 0
    if start <= second { appendStart(at: start) } else { waitingStart = start }
  }

  private mutating func close(at microseconds: Int64, isFinal: Bool) {
    if let start = waitingStart { appendStart(at: start) }
    appendIntervals()
    let start = timer.start ?? last
    let hasBeats = beatsOfStretch > 0
    let stop = timer.stop(at: microseconds, isSingle: beatsOfStretch == 1, countsSums: hasBeats)
    // Each second is one lap's.
    for index in figures.indices {
      let from = index == 0 ? start : max(start, begin(ofLap: index))
      let to = index == figures.count - 1 ? stop : min(stop, begin(ofLap: index + 1))
      if to > from { figures[index].timerSeconds += to - from }
    }
    appendTimer(FITProfile.Timer.stopAll, at: stop, isByHand: isFinal)
  }

  private func begin(ofLap index: Int) -> Int64 { recording.laps[index].span.start.microseconds.flooredSeconds }

  private mutating func appendStart(at second: Int64) {
    waitingStart = nil
    appendTimer(FITProfile.Timer.start, at: second, isByHand: !hasStarted)
    hasStarted = true
  }

  private mutating func appendTimer(_ type: UInt8, at second: Int64, isByHand: Bool) {
    messages.append(
      FITProfile.Message.event, as: Local.event,
      [(253, time(second)), (3, .uint32(isByHand ? 0 : 1)), (0, .enumeration(0)), (1, .enumeration(type))])
  }

  // MARK: Messages

  /// Times never go back, whatever a clock did.
  private mutating func time(_ second: Int64) -> FITMessages.Value {
    last = max(last, second)
    return Self.stamp(last)
  }

  private static func stamp(_ second: Int64) -> FITMessages.Value {
    .uint32(UInt32(clamping: second - FITProfile.epoch))
  }

  private mutating func appendRecord(at second: Int64, _ rate: UInt16?) {
    guard let rate else {
      return messages.append(FITProfile.Message.record, as: Local.second, [(253, time(second))])
    }
    messages.append(
      FITProfile.Message.record, as: Local.rate, [(253, time(second)), (3, .uint8(Self.rate(rate)))])
    guard rate <= FITProfile.greatestRate else { return }
    whole.add(rate)
    for (index, lap) in recording.laps.enumerated() {
      let isInside =
        second >= lap.span.start.microseconds.flooredSeconds && second <= lap.span.end.microseconds.flooredSeconds
      if isInside { figures[index].add(rate) }
    }
  }

  /// A rate as a byte: 255, which means "no rate", also stands for a rate that does not fit.
  private static func rate(_ rate: UInt16) -> UInt8 { UInt8(clamping: rate) }

  private mutating func appendIntervals() {
    var left = intervals[...]
    while !left.isEmpty {
      messages.append(FITProfile.Message.variability, as: Local.intervals, [(0, .intervals(left.prefix(5)))])
      left = left.dropFirst(5)
    }
    intervals.removeAll(keepingCapacity: true)
  }

  private mutating func appendHead() {
    let id = recording.id.uuid
    let serial = UInt32(id.0) << 24 | UInt32(id.1) << 16 | UInt32(id.2) << 8 | UInt32(id.3)
    let start = recording.span.start.microseconds.flooredSeconds
    messages.append(
      FITProfile.Message.fileIdentifier, as: Local.fileIdentifier,
      [
        (0, .enumeration(4)), (1, .uint16(FITProfile.development)), (2, .uint16(0)), (3, .uint32z(max(serial, 1))),
        (4, Self.stamp(start)), (8, .text(FITWriter.program, bytes: 20)),
      ])
    messages.append(FITProfile.Message.fileCreator, as: Local.creator, [(0, .uint16(0))])
    let (source, device) = (recording.source, recording.device)
    appendDescriptions()
    appendDevice(
      0, as: Local.device, type: 0xFF, source: 5, name: FITWriter.program,
      [
        (.recording, recording.identity.text), (.sourceIdentifier, source.identifier), (.sourceName, source.name),
        (.sourceVersion, source.version),
      ])
    if let name = device.model ?? device.name ?? device.manufacturer {
      appendDevice(
        1, as: Local.sensor, type: 120, source: 3, name: name,
        [(.sensorName, device.name), (.sensorManufacturer, device.manufacturer), (.sensorModel, device.model)])
    }
  }

  /// Describes the fields that this program adds: a program that does not know these fields gets their names.
  private mutating func appendDescriptions() {
    messages.append(
      FITProfile.Message.developer, as: Local.application, [(1, .bytes(FITProfile.Own.application)), (3, .uint8(0))])
    for field in FITProfile.Own.allCases {
      messages.append(
        FITProfile.Message.developerField, as: Local.description,
        [
          (0, .uint8(0)), (1, .uint8(field.rawValue)), (2, .uint8(FITProfile.Base.string.rawValue)),
          (3, .text(field.name, bytes: 24)),
        ])
    }
  }

  private mutating func appendDevice(
    _ index: UInt8, as local: UInt8, type: UInt8, source: UInt8, name: String, _ own: [(FITProfile.Own, String?)]
  ) {
    messages.append(
      FITProfile.Message.deviceInformation, as: local,
      [
        (253, time(last)), (0, .uint8(index)), (1, .uint8(type)), (2, .uint16(FITProfile.development)),
        (25, .enumeration(source)), (27, .text(name, bytes: 32)),
      ], texts: own.compactMap { field, text in text.map { (field.rawValue, $0) } })
  }

  /// The duration of each lap and the time that the timer ran, in milliseconds. Seconds of the timer may begin before their lap: a surplus goes
  /// to the neighbour, so that no timer ran longer than its lap lasted, and the sum is the session's.
  private var lapTimes: [(elapsed: Int64, timer: Int64)] {
    let start = recording.span.start
    var left = timerMilliseconds
    var times: [(elapsed: Int64, timer: Int64)] = []
    var carried: Int64 = 0
    for (lap, figures) in zip(recording.laps, figures) {
      let elapsed = lap.span.end.microseconds(since: start) / 1000 - lap.span.start.microseconds(since: start) / 1000
      carried += figures.timerSeconds * 1000
      let timer = max(0, min(carried, elapsed, left))
      times.append((elapsed, timer))
      carried -= timer
      left -= timer
    }
    for index in times.indices.reversed() {
      let more = max(0, min(times[index].elapsed - times[index].timer, left))
      times[index].timer += more
      left -= more
    }
    return times
  }

  /// The time that the timer ran: whole seconds, but no more than the recording lasted.
  private var timerMilliseconds: Int64 { min(timer.seconds * 1000, recording.span.microseconds / 1000) }

  private mutating func appendTail() {
    let end = recording.span.end.microseconds.flooredSeconds
    let times = lapTimes
    for (index, lap) in recording.laps.enumerated() {
      let figures = figures[index]
      let isLast = index == recording.laps.count - 1
      messages.append(
        FITProfile.Message.lap, as: Local.lap,
        [
          // Laps stand behind all records: each has the time at which it ended, and the last one that of the end.
          (254, .uint16(UInt16(clamping: index))),
          (253, isLast ? time(end) : Self.stamp(lap.span.end.microseconds.flooredSeconds)),
          (2, Self.stamp(lap.span.start.microseconds.flooredSeconds)),
          (7, Self.milliseconds(times[index].elapsed)),
          (8, Self.milliseconds(times[index].timer)), (0, .enumeration(9)), (1, .enumeration(1)),
          (15, Self.average(figures)), (16, Self.greatest(figures)),
          (24, .enumeration(isLast ? 7 : 0)),
          (25, .enumeration(UInt8(clamping: FITSports.sport(lap.activity)))),
        ])
    }
    let elapsed = Self.milliseconds(recording.span.microseconds / 1000)
    messages.append(
      FITProfile.Message.session, as: Local.session,
      [
        (254, .uint16(0)), (253, time(end)), (2, Self.stamp(recording.span.start.microseconds.flooredSeconds)),
        (7, elapsed), (8, Self.milliseconds(timerMilliseconds)), (0, .enumeration(8)), (1, .enumeration(1)),
        (5, .enumeration(UInt8(clamping: FITSports.sport(recording.activity)))), (6, .enumeration(0)),
        (16, Self.average(whole)),
        (17, Self.greatest(whole)), (25, .uint16(0)), (26, .uint16(UInt16(clamping: recording.laps.count))),
        (28, .enumeration(0)),
      ])
    messages.append(
      FITProfile.Message.activity, as: Local.activity,
      [
        (253, time(end)), (0, Self.milliseconds(timerMilliseconds)), (1, .uint16(1)), (2, .enumeration(0)),
        (3, .enumeration(26)), (4, .enumeration(1)),
      ])
  }

  private static func milliseconds(_ value: Int64) -> FITMessages.Value { .uint32(UInt32(clamping: value)) }

  private static func average(_ figures: LapFigures) -> FITMessages.Value {
    .uint8(figures.count == 0 ? 255 : UInt8(clamping: (figures.sum + figures.count / 2) / figures.count))
  }

  private static func greatest(_ figures: LapFigures) -> FITMessages.Value {
    .uint8(figures.count == 0 ? 255 : UInt8(clamping: figures.greatest))
  }
}

extension FITWriter {
  /// The name of this program in the files that it writes.
  static let program = "sensord"
}
