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

  /// The value of a figure; nil if the report does not have it. Setting a value of another kind sets nil.
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

extension QualityReport {
  /// A report from keys and values in the form of ``metadata``. Unknown keys, and values of another kind, go to ``others``,
  /// so a report of a newer program loses nothing.
  public init(_ metadata: Metadata) {
    others = metadata
    for figure in Figure.allCases {
      self[figure] = others[figure.rawValue]
      if self[figure] != nil { others[figure.rawValue] = nil }
    }
    for defect in PayloadDefect.allCases {
      guard case .integer(let count)? = others[Self.key(of: defect)] else { continue }
      payloadDefects[defect] = count
      others[Self.key(of: defect)] = nil
    }
    while case .time(let time)? = others[Self.disconnectKey(disconnects.count)] {
      let key = Self.disconnectKey(disconnects.count)
      others[key] = nil
      let reason: String? = if case .text(let text)? = others["\(key).reason"] { text } else { nil }
      if reason != nil { others["\(key).reason"] = nil }
      disconnects.append(Disconnect(time: time, reason: reason))
    }
    while case .time(let time)? = others[Self.clockStepKey(clockSteps.count)] {
      let key = Self.clockStepKey(clockSteps.count)
      others[key] = nil
      let step: Int64? = if case .integer(let step)? = others["\(key).microseconds"] { step } else { nil }
      if step != nil { others["\(key).microseconds"] = nil }
      clockSteps.append(ClockStep(time: time, microseconds: step))
    }
  }

  /// The whole report as keys and values: a ``Figure`` for each figure, `payloadDefect.empty`, `disconnect.1` with
  /// `disconnect.1.reason`, `clockStep.1` with `clockStep.1.microseconds`, and ``others``.
  public var metadata: Metadata {
    var metadata = metadataBesideFigures
    for figure in Figure.allCases {
      if let value = self[figure] { metadata[figure.rawValue] = value }
    }
    return metadata
  }

  /// The part of ``metadata`` that is not a figure.
  package var metadataBesideFigures: Metadata {
    var metadata = others
    for (defect, count) in payloadDefects { metadata[Self.key(of: defect)] = .integer(count) }
    for (index, disconnect) in disconnects.enumerated() {
      let key = Self.disconnectKey(index)
      metadata[key] = .time(disconnect.time)
      if let reason = disconnect.reason { metadata["\(key).reason"] = .text(reason) }
    }
    for (index, step) in clockSteps.enumerated() {
      let key = Self.clockStepKey(index)
      metadata[key] = .time(step.time)
      if let microseconds = step.microseconds { metadata["\(key).microseconds"] = .integer(microseconds) }
    }
    return metadata
  }

  private static func key(of defect: PayloadDefect) -> String { "payloadDefect.\(defect.rawValue)" }
  private static func disconnectKey(_ index: Int) -> String { "disconnect.\(index + 1)" }
  private static func clockStepKey(_ index: Int) -> String { "clockStep.\(index + 1)" }
}

extension QualityReport: Codable {
  /// Decodes keys and values in the form of ``metadata``.
  public init(from decoder: any Decoder) throws {
    self.init(try decoder.singleValueContainer().decode(Metadata.self))
  }

  /// Encodes the keys and values of ``metadata``.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(metadata)
  }
}
