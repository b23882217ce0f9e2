internal import HealthModel

/// The elements that the messages of one FIT file stand for.
struct FITContents {
  private var clock: FITClock
  private var isOurs = false
  /// The number that our own fields have in this file.
  private var ourIndex: UInt8?
  /// Since the timer started.
  private var hasIntervals = false
  private var timerStart: Timestamp?
  private var hasStopped = false
  private var ride = FITRide()
  private var storedBeats = FITStoredBeats()
  private var (hasStoredBeats, hasVariability) = (false, false)

  private static let manufacturers: [UInt64: String] = [
    1: "Garmin", 15: "Dynastream", 23: "Suunto", 32: "Wahoo Fitness", 70: "SIGMA SPORT", 89: "Tacx", 95: "Stryd",
    123: "Polar", 260: "Zwift", 263: "iGPSPORT", 265: "Strava", 267: "Bryton", 281: "SRAM", 289: "Hammerhead",
    294: "COROS",
  ]

  /// - Parameter start: The beginning of a file whose times count from when its device was switched on.
  init(start: Timestamp? = nil) {
    clock = FITClock(start: start)
  }

  /// Takes a message.
  mutating func take(
    _ fields: FITFields, compressedTime: UInt8?, _ account: inout ReadingAccount,
    into elements: inout [ForeignElement]
  ) {
    if fields.hasDeveloperFields(otherThan: ourIndex), !ride.knows(fields.definition) {
      account.leave(out: "developer fields")
    }
    let moment = clock.moment(of: fields, compressedTime, &account)
    switch fields.definition.message {
    case FITProfile.Message.fileIdentifier: takeIdentifier(fields, into: &elements)
    case FITProfile.Message.record:
      guard let moment else { return account.leave(out: "record without a time") }
      let rate = fields.number(3).flatMap { Self.rate($0, &account) }
      elements.append(rate.map { .rate(moment, $0) } ?? .moment(moment))
      ride.takeRecord(fields, at: moment, into: &elements)
    case FITProfile.Message.monitoring:
      guard let number = fields.number(27) else { return account.leave(out: "monitoring without a heart rate") }
      guard let moment else { return account.leave(out: "monitoring without a time") }
      if let rate = Self.rate(number, &account) { elements.append(.storedRate(moment, rate)) }
    case FITProfile.Message.variability:
      (hasIntervals, hasVariability) = (true, true)
      guard !hasStoredBeats else { return account.leave(out: "hrv beside beats that a strap stored") }
      for milliseconds in fields.numbers(0) {
        guard let interval = UInt32(exactly: milliseconds), interval > 0 else {
          account.leave(out: "interval that is none")
          continue
        }
        elements.append(.interval(interval))
      }
    case FITProfile.Message.event: takeEvent(fields, moment, &account, into: &elements)
    case FITProfile.Message.storedBeats:
      guard !hasVariability else { return account.leave(out: "beats that a strap stored, beside hrv") }
      hasStoredBeats = true
      storedBeats.take(fields, &account, into: &elements)
    case FITProfile.Message.lap:
      if let end = Self.end(ofLap: fields, moment) { elements.append(.lap(end)) }
      ride.takeLap(fields, moment, into: &elements)
    case FITProfile.Message.length: ride.takeLength(fields, moment, into: &elements)
    case FITProfile.Message.session: ride.takeSession(fields, moment, into: &elements)
    case FITProfile.Message.deviceInformation:
      if let ourIndex, takeOwn(fields, ourIndex, into: &elements) { break }
      // A heart rate strap, by ANT+ or Bluetooth; other sensors measured something else, and one without a type is the maker.
      guard let type = fields.number(1) else { break }
      guard type == 120 else { return account.leave(out: "device_info of another sensor") }
      elements.append(
        .device(
          Device(
            name: fields.text(27), manufacturer: fields.number(2).map(Self.manufacturer),
            uniqueDeviceIdentifier: Self.serial(fields))))
    case FITProfile.Message.developer:
      if fields.bytes(1).elementsEqual(FITProfile.Own.application) { ourIndex = fields.bytes(3).first }
    case FITProfile.Message.developerField: ride.takeDescription(fields)
    case FITProfile.Message.activity, FITProfile.Message.fileCreator, FITProfile.Message.monitoringInformation: break
    default: account.leave(out: FITNames.message(fields.definition.message))
    }
  }

  /// Reports the values of records that were left out since the last call.
  mutating func report(to account: inout ReadingAccount) { ride.report(to: &account) }

  /// The greatest rate: the field has one byte, of which 255 means "no rate"; a file may give the field more bytes.
  private static let mostRate: UInt64 = 254

  private static func rate(_ number: UInt64, _ account: inout ReadingAccount) -> UInt16? {
    guard number > 0, number <= mostRate else {
      account.leave(out: number == 0 ? "heart rate of 0" : "heart rate above \(mostRate)")
      return nil
    }
    return UInt16(number)
  }

  /// The end of a lap by its start and duration: laps may stand behind all records, and have the time at which they were written.
  private static func end(ofLap fields: FITFields, _ moment: Timestamp?) -> Timestamp? {
    guard let moment, let start = fields.number(2), let milliseconds = fields.number(7),
      start >= 0x1000_0000, start <= UInt32.max, milliseconds <= UInt32.max
    else { return moment }
    let begin = Timestamp(microseconds: (Int64(start) + FITProfile.epoch) * 1_000_000)
    // Times are of whole seconds.
    let end = begin.advanced(byMicroseconds: Int64(milliseconds) * 1000)
    return end.microseconds(since: moment) < 1_000_000 ? end : moment
  }

  /// Reads the fields that this program adds to FIT: the recording that the file copies, and the device. False for a message without them.
  private func takeOwn(_ fields: FITFields, _ index: UInt8, into elements: inout [ForeignElement]) -> Bool {
    func text(_ field: FITProfile.Own) -> String? { fields.text(field.rawValue, ofDeveloper: index) }
    if let identity = text(.recording).flatMap({ RecordingIdentity($0) }) {
      elements.append(.identity(identity))
      let source = text(.sourceIdentifier).flatMap {
        SourceRevision(saidToHaveRecorded: $0, name: text(.sourceName), version: text(.sourceVersion))
      }
      if let source { elements.append(.source(source)) }
      return true
    }
    let device = Device(
      name: text(.sensorName), manufacturer: text(.sensorManufacturer), model: text(.sensorModel))
    guard device != Device() else { return false }
    elements.append(.device(device))
    return true
  }

  private static func manufacturer(_ number: UInt64) -> String { manufacturers[number] ?? "FIT manufacturer \(number)" }

  /// The serial number of a device; devices without one also write the greatest number with a sign.
  private static func serial(_ fields: FITFields) -> String? {
    fields.number(3).flatMap { $0 == UInt64(Int32.max) ? nil : "\($0)" }
  }

  private mutating func takeIdentifier(_ fields: FITFields, into elements: inout [ForeignElement]) {
    elements.append(.recording)
    let maker = fields.number(1).map(Self.manufacturer) ?? "unknown"
    let product = fields.text(8) ?? fields.number(2).map { "\(maker) \($0)" }
    isOurs = fields.text(8) == FITWriter.program
    let serial = Self.serial(fields)
    elements.append(
      .source(SourceRevision(identifier: "fit.\(maker).\(serial ?? "0")", name: product ?? maker, productType: product))
    )
    // Unless a strap is named, the device that made the file also measured: a watch, from the wrist.
    if !isOurs {
      elements.append(.device(Device(manufacturer: maker, model: product, uniqueDeviceIdentifier: serial)))
    }
  }

  private mutating func takeEvent(
    _ fields: FITFields, _ moment: Timestamp?, _ account: inout ReadingAccount,
    into elements: inout [ForeignElement]
  ) {
    guard fields.number(0) == 0 else {
      return account.leave(out: fields.number(0).map(FITNames.event) ?? "event without a kind")
    }
    guard let moment, let type = fields.number(1) else { return }
    switch UInt8(clamping: type) {
    case FITProfile.Timer.start:
      elements.append(.timer(isRunning: true, moment))
      // We stop it for nothing else; others do for less.
      if isOurs, hasStopped { elements.append(.lostRates) }
      (timerStart, hasIntervals) = (moment, false)
    case FITProfile.Timer.stop, FITProfile.Timer.stopAll, FITProfile.Timer.stopDisable,
      FITProfile.Timer.stopDisableAll:
      // Our own form of a beat between two gaps.
      if isOurs, timerStart == moment, !hasIntervals { elements.append(.beat(moment)) }
      elements.append(.timer(isRunning: false, moment))
      hasStopped = true
    default: account.leave(out: "event: timer, of type \(type)")
    }
  }
}

/// The times of a FIT file's messages: full ones, and those that are counted from the last full one.
struct FITClock {
  /// The last time, in FIT's seconds.
  private var time: UInt64?
  /// The beginning that a person gives, in FIT's seconds, and the device's time at which it was.
  private let start: UInt64?
  private var startOnDevice: UInt64?

  init(start: Timestamp? = nil) {
    self.start = start.flatMap { UInt64(exactly: $0.microseconds / 1_000_000 - FITProfile.epoch) }
  }

  /// Smaller times are seconds since the device was switched on.
  static let firstTime: UInt64 = 0x1000_0000
  static let sinceSwitchedOn = "time since a device was switched on"

  /// The time of a message, if it has one.
  mutating func moment(
    of fields: FITFields, _ compressedTime: UInt8?, _ account: inout ReadingAccount
  ) -> Timestamp? {
    if let seconds = fields.number(253) {
      if seconds < Self.firstTime, let start {
        // Records say when it began; what stands before them may be older.
        let begin = startOnDevice ?? seconds
        startOnDevice = begin
        time = seconds >= begin ? start + seconds - begin : nil
      } else {
        // The type of the field is the file's choice; 32 bits are what FIT's times have.
        guard seconds >= Self.firstTime, seconds <= 0xFFFF_FFFF else {
          account.leave(out: Self.sinceSwitchedOn)
          return nil
        }
        time = seconds
      }
    } else if let compressedTime, let last = time {
      // Five bits; where they are fewer than before, they went over.
      var next = last & ~0x1F | UInt64(compressedTime)
      if next < last { next += 0x20 }
      time = next
    } else if fields.definition.message == FITProfile.Message.monitoring, let short = fields.number(26), let last = time
    {
      var next = last & ~0xFFFF | (short & 0xFFFF)
      if next < last { next += 0x1_0000 }
      time = next
    } else {
      return nil
    }
    return time.map { seconds in
      Timestamp(microseconds: (Int64(clamping: min(seconds, 0xFFFF_FFFF)) + FITProfile.epoch) * 1_000_000)
    }
  }
}
