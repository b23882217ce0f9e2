extension QualityReport {
  /// The single figures of a report. The raw values, which are the properties' names, are the keys in stores, exports and
  /// lists.
  ///
  /// The order is that of the store: it must never change, and new figures are added at the end.
  public enum Figure: String, CaseIterable, Sendable {
    case algorithmVersion, notifications, linkLosses, lostValues, zeroRates, surplusSteps
    case releaseDepthBeats, releaseDepthErrorBeats, driftPartsPerMillion, driftErrorPartsPerMillion
    case latencyMedianMicroseconds, latency95Microseconds, latencyGreatestMicroseconds
    case earlyPackets, offSkinRates, batteryStartPercent, batteryEndPercent, bodySensorLocation
    case signalWeakestDBm, signalStrongestDBm, energyKilojoules, stalledMicroseconds, leftOutIntervals, batteryLow
    case intervalHabit, intervalSumRatio

    /// The kind of a figure's value.
    public enum Kind: Sendable {
      case integer, real, time, text
    }

    /// The kind of the figure's value.
    public var kind: Kind {
      switch self {
      case .releaseDepthBeats, .releaseDepthErrorBeats, .driftPartsPerMillion, .driftErrorPartsPerMillion,
        .intervalSumRatio:
        .real
      case .batteryLow: .time
      case .intervalHabit: .text
      default: .integer
      }
    }
  }

  /// The value of a figure; nil if the report has none. Setting a value of another kind sets nil.
  ///
  /// A switch instead of key paths: creating those would cost 0.3 million instructions at their first use.
  public subscript(figure: Figure) -> MetadataValue? {
    get {
      switch figure {
      case .algorithmVersion: integer(algorithmVersion)
      case .notifications: integer(notifications)
      case .linkLosses: integer(linkLosses)
      case .lostValues: integer(lostValues)
      case .zeroRates: integer(zeroRates)
      case .surplusSteps: integer(surplusSteps)
      case .latencyMedianMicroseconds: integer(latencyMedianMicroseconds)
      case .latency95Microseconds: integer(latency95Microseconds)
      case .latencyGreatestMicroseconds: integer(latencyGreatestMicroseconds)
      case .earlyPackets: integer(earlyPackets)
      case .offSkinRates: integer(offSkinRates)
      case .batteryStartPercent: integer(batteryStartPercent)
      case .batteryEndPercent: integer(batteryEndPercent)
      case .bodySensorLocation: integer(bodySensorLocation)
      case .signalWeakestDBm: integer(signalWeakestDBm)
      case .signalStrongestDBm: integer(signalStrongestDBm)
      case .energyKilojoules: integer(energyKilojoules)
      case .stalledMicroseconds: integer(stalledMicroseconds)
      case .leftOutIntervals: integer(leftOutIntervals)
      case .releaseDepthBeats: real(releaseDepthBeats)
      case .releaseDepthErrorBeats: real(releaseDepthErrorBeats)
      case .driftPartsPerMillion: real(driftPartsPerMillion)
      case .driftErrorPartsPerMillion: real(driftErrorPartsPerMillion)
      case .batteryLow: batteryLow.map { .time($0) }
      case .intervalHabit: intervalHabit.map { .text($0.rawValue) }
      case .intervalSumRatio: real(intervalSumRatio)
      }
    }
    set {
      switch figure {
      case .algorithmVersion: algorithmVersion = newValue?.integer
      case .notifications: notifications = newValue?.integer
      case .linkLosses: linkLosses = newValue?.integer
      case .lostValues: lostValues = newValue?.integer
      case .zeroRates: zeroRates = newValue?.integer
      case .surplusSteps: surplusSteps = newValue?.integer
      case .latencyMedianMicroseconds: latencyMedianMicroseconds = newValue?.integer
      case .latency95Microseconds: latency95Microseconds = newValue?.integer
      case .latencyGreatestMicroseconds: latencyGreatestMicroseconds = newValue?.integer
      case .earlyPackets: earlyPackets = newValue?.integer
      case .offSkinRates: offSkinRates = newValue?.integer
      case .batteryStartPercent: batteryStartPercent = newValue?.integer
      case .batteryEndPercent: batteryEndPercent = newValue?.integer
      case .bodySensorLocation: bodySensorLocation = newValue?.integer
      case .signalWeakestDBm: signalWeakestDBm = newValue?.integer
      case .signalStrongestDBm: signalStrongestDBm = newValue?.integer
      case .energyKilojoules: energyKilojoules = newValue?.integer
      case .stalledMicroseconds: stalledMicroseconds = newValue?.integer
      case .leftOutIntervals: leftOutIntervals = newValue?.integer
      case .releaseDepthBeats: releaseDepthBeats = newValue?.real
      case .releaseDepthErrorBeats: releaseDepthErrorBeats = newValue?.real
      case .driftPartsPerMillion: driftPartsPerMillion = newValue?.real
      case .driftErrorPartsPerMillion: driftErrorPartsPerMillion = newValue?.real
      case .batteryLow: batteryLow = newValue?.time
      case .intervalHabit: intervalHabit = newValue?.text.flatMap { IntervalHabit(rawValue: $0) }
      case .intervalSumRatio: intervalSumRatio = newValue?.real
      }
    }
  }

  private func integer(_ value: Int64?) -> MetadataValue? { value.map { .integer($0) } }
  private func real(_ value: Double?) -> MetadataValue? { value.map { .real($0) } }
}

extension MetadataValue {
  fileprivate var integer: Int64? { if case .integer(let value) = self { value } else { nil } }
  fileprivate var real: Double? { if case .real(let value) = self { value } else { nil } }
  fileprivate var text: String? { if case .text(let value) = self { value } else { nil } }
  fileprivate var time: Timestamp? { if case .time(let value) = self { value } else { nil } }
}
