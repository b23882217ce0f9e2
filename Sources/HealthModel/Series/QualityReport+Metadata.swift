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
