internal import HealthModel

/// What the messages of one FIT file mean.
struct FITContents {
  /// The last full time, in FIT's seconds: compressed and short ones are counted from it.
  private var time: UInt64?
  private var isOurs = false
  /// Since the timer started.
  private var hasIntervals = false
  private var timerStart: Timestamp?

  /// Smaller times are seconds since the device was switched on.
  private static let firstTime: UInt64 = 0x1000_0000

  private static let manufacturers: [UInt64: String] = [
    1: "Garmin", 15: "Dynastream", 23: "Suunto", 32: "Wahoo Fitness", 70: "SIGMA SPORT", 89: "Tacx", 95: "Stryd",
    123: "Polar", 260: "Zwift", 263: "iGPSPORT", 265: "Strava", 267: "Bryton", 281: "SRAM", 289: "Hammerhead",
    294: "COROS",
  ]

  private static func timestamp(_ seconds: UInt64) -> Timestamp {
    Timestamp(microseconds: (Int64(clamping: min(seconds, 0xFFFF_FFFF)) + FITProfile.epoch) * 1_000_000)
  }

  /// Takes a message.
  mutating func take(
    _ fields: FITFields, compressedTime: UInt8?, _ account: inout ReadingAccount,
    into elements: inout [ForeignElement]
  ) {
    if fields.hasDeveloperFields { account.leave(out: "developer fields") }
    let moment = moment(of: fields, compressedTime, &account)
    switch fields.definition.message {
    case FITProfile.Message.fileIdentifier: takeIdentifier(fields, into: &elements)
    case FITProfile.Message.record:
      guard let moment else { return account.leave(out: "record without a time") }
      if let rate = fields.number(3), rate > 0 {
        elements.append(.rate(moment, UInt16(clamping: rate)))
      } else {
        elements.append(.moment(moment))
      }
    case FITProfile.Message.monitoring:
      guard let rate = fields.number(27), rate > 0 else { return account.leave(out: "monitoring without a heart rate") }
      guard let moment else { return account.leave(out: "monitoring without a time") }
      elements.append(.rate(moment, UInt16(clamping: rate)))
    case FITProfile.Message.variability:
      hasIntervals = true
      for milliseconds in fields.numbers(0) where milliseconds > 0 { elements.append(.interval(UInt32(milliseconds))) }
    case FITProfile.Message.event: takeEvent(fields, moment, &account, into: &elements)
    case FITProfile.Message.lap: if let moment { elements.append(.lap(moment)) }
    case FITProfile.Message.session:
      if let activity = fields.number(5).flatMap({ FITProfile.activity(UInt8(clamping: $0)) }) {
        elements.append(.activity(activity))
      }
    case FITProfile.Message.deviceInformation:
      // A heart rate strap, by ANT+ or Bluetooth; other sensors measured something else, and one without a type is the maker.
      guard let type = fields.number(1) else { break }
      guard type == 120 else { return account.leave(out: "device_info of another sensor") }
      elements.append(
        .device(
          Device(
            name: fields.text(27), manufacturer: fields.number(2).map(Self.manufacturer),
            uniqueDeviceIdentifier: fields.number(3).map { "\($0)" })))
    case FITProfile.Message.activity, FITProfile.Message.fileCreator, FITProfile.Message.monitoringInformation,
      FITProfile.Message.developer, FITProfile.Message.developerField:
      break
    default: account.leave(out: "message \(fields.definition.message)")
    }
  }

  /// The time of a message, if it has one.
  private mutating func moment(
    of fields: FITFields, _ compressedTime: UInt8?, _ account: inout ReadingAccount
  ) -> Timestamp? {
    if let seconds = fields.number(253) {
      guard seconds >= Self.firstTime else {
        account.leave(out: "time since a device was switched on")
        return nil
      }
      time = seconds
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
    return time.map(Self.timestamp)
  }

  private static func manufacturer(_ number: UInt64) -> String { manufacturers[number] ?? "FIT manufacturer \(number)" }

  private mutating func takeIdentifier(_ fields: FITFields, into elements: inout [ForeignElement]) {
    elements.append(.recording)
    let maker = fields.number(1).map(Self.manufacturer) ?? "unknown"
    let product = fields.text(8) ?? fields.number(2).map { "\(maker) \($0)" }
    isOurs = fields.text(8) == FITWriter.program
    let serial = fields.number(3).map { "\($0)" }
    elements.append(
      .source(SourceRevision(identifier: "fit.\(maker).\(serial ?? "0")", name: product ?? maker, productType: product))
    )
    // What a watch has on its wrist measured, unless a strap is named.
    if !isOurs {
      elements.append(.device(Device(manufacturer: maker, model: product, uniqueDeviceIdentifier: serial)))
    }
  }

  private mutating func takeEvent(
    _ fields: FITFields, _ moment: Timestamp?, _ account: inout ReadingAccount,
    into elements: inout [ForeignElement]
  ) {
    guard fields.number(0) == 0 else {
      return account.leave(out: "event \(fields.number(0).map(String.init) ?? "without a kind")")
    }
    guard let moment, let type = fields.number(1) else { return }
    switch UInt8(clamping: type) {
    case FITProfile.Timer.start:
      elements.append(.timer(isRunning: true, moment))
      (timerStart, hasIntervals) = (moment, false)
    case FITProfile.Timer.stop, FITProfile.Timer.stopAll, FITProfile.Timer.stopDisable,
      FITProfile.Timer.stopDisableAll:
      // Our own form of a beat between two gaps.
      if isOurs, timerStart == moment, !hasIntervals { elements.append(.beat(moment)) }
      elements.append(.timer(isRunning: false, moment))
    default: account.leave(out: "event 0 of type \(type)")
    }
  }
}
