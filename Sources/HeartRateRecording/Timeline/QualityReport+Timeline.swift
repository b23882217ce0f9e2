import HealthModel
import Sensors

extension QualityReport {
  /// The report of a session's events and beats. Counts of problems that did not happen are left out.
  init(_ columns: TimelineCollector, _ assembly: SessionAssembly?, _ judgement: IntervalJudgement) {
    self.init()
    algorithmVersion = SessionTimeline.algorithmVersion
    notifications = Int64(columns.notifications)
    zeroRates = Int64(columns.zeroRates)
    linkLosses = Int64(columns.sensor.disconnects.count)
    lostValues = Int64(columns.lostValues)
    (releaseDepthBeats, driftPartsPerMillion, surplusSteps) = (0, 0, 0)
    assembly?.addTiming(to: &self)
    stalledMicroseconds = columns.stalledMicroseconds > 0 ? columns.stalledMicroseconds : nil
    let leftOut = judgement.leftOutCount
    leftOutIntervals = leftOut > 0 ? Int64(leftOut) : nil
    intervalHabit = judgement.habit
    intervalSumRatio = judgement.habit == nil ? nil : judgement.ratio
    payloadDefects = columns.defects
    disconnects = Array(columns.sensor.disconnects.prefix(Self.reported))
    clockSteps = Array(columns.clockSteps.prefix(Self.reported))
    add(columns.sensor)
    batteryLow = columns.batteryLow.map { Timestamp(microseconds: columns.wall($0)) }
    add(columns.rates)
  }

  /// The most disconnects that are listed. A flapping link has thousands a day, each of which is a gap anyway.
  private static let reported = 100

  private mutating func add(_ sensor: SensorFacts) {
    batteryStartPercent = sensor.firstBatteryPercent.map(Int64.init)
    batteryEndPercent = sensor.lastBatteryPercent.map(Int64.init)
    bodySensorLocation = sensor.location.map(Int64.init)
    signalWeakestDBm = sensor.weakestSignal.map(Int64.init)
    signalStrongestDBm = sensor.strongestSignal.map(Int64.init)
  }

  /// Adds what the measurements say beside the rate: skin contact and energy expended, across resets.
  private mutating func add(_ rates: [HeartRateValue]) {
    var last: UInt16?
    for rate in rates {
      if rate.contact != .notSupported { offSkinRates = (offSkinRates ?? 0) + (rate.contact == .notDetected ? 1 : 0) }
      guard let energy = rate.energyKilojoules else { continue }
      let before = last ?? energy
      // Less than before: the sensor reset it and counts from zero since.
      energyKilojoules = (energyKilojoules ?? 0) + Int64(energy >= before ? energy - before : energy)
      last = energy
    }
  }
}
