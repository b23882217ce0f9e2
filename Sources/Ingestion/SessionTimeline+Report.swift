import GATTHeartRate
import HealthModel
import HeartRateRecording
import Sensors

extension SessionTimeline {
  /// The quality report as it is kept with a session. Keys are stable: `show --json` prints them as they are.
  var report: Metadata {
    var report: Metadata = [
      RecordedSession.algorithmVersionKey: .integer(Int64(Self.algorithmVersion)),
      "notifications": .integer(Int64(notifications)),
      "zeroRates": .integer(Int64(zeroRates)),
      "linkLosses": .integer(Int64(sensor.disconnects.count)),
      "lostValues": .integer(Int64(lostValues)),
      "releaseDepthBeats": .real(quality.releaseDepth),
      "driftPartsPerMillion": .real(quality.driftPartsPerMillion),
      "surplusSteps": .integer(Int64(quality.surplusSteps)),
    ]
    if quality.stalledMicroseconds > 0 { report["stalledMicroseconds"] = .integer(quality.stalledMicroseconds) }
    if quality.earlyPackets > 0 { report["earlyPackets"] = .integer(Int64(quality.earlyPackets)) }
    if quality.inventedIntervals > 0 {
      report[RecordedSession.inventedIntervalsKey] = .integer(Int64(quality.inventedIntervals))
    }
    for defect in PayloadDefect.allCases where defects[defect] > 0 {
      report["payloadDefect.\(defect.rawValue)"] = .integer(Int64(defects[defect]))
    }
    report["releaseDepthErrorBeats"] = quality.releaseDepthError.map { .real($0) }
    report["driftErrorPartsPerMillion"] = quality.driftError.map { .real($0) }
    report["latencyMedianMicroseconds"] = quality.medianLatencyMicroseconds.map { .integer($0) }
    report["latency95Microseconds"] = quality.latency95Microseconds.map { .integer($0) }
    report["latencyGreatestMicroseconds"] = quality.greatestLatencyMicroseconds.map { .integer($0) }
    report["batteryStartPercent"] = sensor.firstBatteryPercent.map { .integer(Int64($0)) }
    report["batteryEndPercent"] = sensor.lastBatteryPercent.map { .integer(Int64($0)) }
    report["batteryLow"] = sensor.batteryLowMicroseconds.map { .time(Timestamp(microseconds: $0)) }
    report["energyKilojoules"] = energyKilojoules.map { .integer($0) }
    if rates.tellsContact { report["offSkinRates"] = .integer(Int64(rates.offSkinCount)) }
    report["bodySensorLocation"] = sensor.location.map { .integer(Int64($0)) }
    report["signalWeakestDBm"] = sensor.weakestSignal.map { .integer(Int64($0)) }
    report["signalStrongestDBm"] = sensor.strongestSignal.map { .integer(Int64($0)) }
    for (number, disconnect) in sensor.disconnects.enumerated().prefix(Self.reportedDisconnects) {
      report["disconnect.\(number + 1)"] = .time(Timestamp(microseconds: disconnect.wallMicroseconds))
      if let reason = disconnect.reason { report["disconnect.\(number + 1).reason"] = .text(reason) }
    }
    for (number, step) in clockSteps.enumerated().prefix(Self.reportedClockSteps) {
      report["clockStep.\(number + 1)"] = .time(Timestamp(microseconds: step.wallMicroseconds))
      report["clockStep.\(number + 1).microseconds"] = .integer(step.stepMicroseconds)
    }
    return report
  }

  /// What was expended within the session, resets and the sensor's own start included; nil where it counts none.
  private var energyKilojoules: Int64? {
    var total: Int64?
    var last: UInt16?
    for energy in rates.energies {
      let before = last ?? energy
      // Less than before: it was reset, and has counted from zero since.
      total = (total ?? 0) + Int64(energy >= before ? energy - before : energy)
      last = energy
    }
    return total
  }

  /// A link that flaps all day leaves thousands of losses; each is a gap of its own anyway.
  private static let reportedDisconnects = 100
  private static let reportedClockSteps = 100
}
