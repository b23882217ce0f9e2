extension QualityReport {
  /// The single figures of a report, each named as its property: the keys by which it is stored, exported and shown.
  ///
  /// Their order is that in which a store keeps them: it never changes, and a new figure goes to the end.
  public enum Figure: String, CaseIterable, Sendable {
    case algorithmVersion, notifications, linkLosses, lostValues, zeroRates, surplusSteps
    case releaseDepthBeats, releaseDepthErrorBeats, driftPartsPerMillion, driftErrorPartsPerMillion
    case latencyMedianMicroseconds, latency95Microseconds, latencyGreatestMicroseconds
    case earlyPackets, offSkinRates, batteryStartPercent, batteryEndPercent, bodySensorLocation
    case signalWeakestDBm, signalStrongestDBm, energyKilojoules, stalledMicroseconds, inventedIntervals, batteryLow
  }

  /// A figure; nil where the report has none.
  public subscript(figure: Figure) -> MetadataValue? {
    switch figure.field {
    case .integer(let field): self[keyPath: field].map(MetadataValue.integer)
    case .real(let field): self[keyPath: field].map(MetadataValue.real)
    case .time(let field): self[keyPath: field].map(MetadataValue.time)
    }
  }
}

extension QualityReport.Figure {
  /// The kinds of values that figures have.
  public enum Kind: Sendable {
    case integer, real, time
  }

  /// The kind of the figure's value.
  public var kind: Kind {
    switch field {
    case .integer: .integer
    case .real: .real
    case .time: .time
    }
  }

  /// A figure's property by the kind of its value.
  enum Field {
    case integer(WritableKeyPath<QualityReport, Int64?>)
    case real(WritableKeyPath<QualityReport, Double?>)
    case time(WritableKeyPath<QualityReport, Timestamp?>)
  }

  var field: Field {
    switch self {
    case .algorithmVersion: .integer(\.algorithmVersion)
    case .notifications: .integer(\.notifications)
    case .linkLosses: .integer(\.linkLosses)
    case .lostValues: .integer(\.lostValues)
    case .zeroRates: .integer(\.zeroRates)
    case .surplusSteps: .integer(\.surplusSteps)
    case .releaseDepthBeats: .real(\.releaseDepthBeats)
    case .releaseDepthErrorBeats: .real(\.releaseDepthErrorBeats)
    case .driftPartsPerMillion: .real(\.driftPartsPerMillion)
    case .driftErrorPartsPerMillion: .real(\.driftErrorPartsPerMillion)
    case .latencyMedianMicroseconds: .integer(\.latencyMedianMicroseconds)
    case .latency95Microseconds: .integer(\.latency95Microseconds)
    case .latencyGreatestMicroseconds: .integer(\.latencyGreatestMicroseconds)
    case .earlyPackets: .integer(\.earlyPackets)
    case .offSkinRates: .integer(\.offSkinRates)
    case .batteryStartPercent: .integer(\.batteryStartPercent)
    case .batteryEndPercent: .integer(\.batteryEndPercent)
    case .bodySensorLocation: .integer(\.bodySensorLocation)
    case .signalWeakestDBm: .integer(\.signalWeakestDBm)
    case .signalStrongestDBm: .integer(\.signalStrongestDBm)
    case .energyKilojoules: .integer(\.energyKilojoules)
    case .stalledMicroseconds: .integer(\.stalledMicroseconds)
    case .inventedIntervals: .integer(\.inventedIntervals)
    case .batteryLow: .time(\.batteryLow)
    }
  }
}
