internal import Documents
internal import FoundationEssentials
internal import HealthModel

/// The rows of `sensord events`.
enum HeartEventTable {
  static func text(_ samples: [HealthSample], columns: Int) -> String {
    var table = TextTable([
      .init("Start"), .init("Length", .right), .init("Event"), .init("Session"), .init("Source", shrinks: true),
    ])
    for sample in samples {
      guard let span = TimeSpan(start: sample.start, end: sample.end),
        let event = HeartEvent(sample.type, over: span, metadata: sample.metadata)
      else { continue }
      table.add([
        LocalTime.second(sample.start.microseconds), DurationText.clock(microseconds: span.microseconds), event.words,
        sample.session.map { String($0.uuidString.lowercased().prefix(8)) } ?? "", sample.source.identifier,
      ])
    }
    return table.rendered(columns: columns)
  }
}

extension HeartEvent {
  /// What a person calls it.
  fileprivate var words: String {
    let limit = threshold.map { " \(FixedPoint.text($0, digits: 0))" }
    return switch kind {
    case .low: "rate below" + (limit ?? " the limit")
    case .high: "rate above" + (limit ?? " the limit")
    case .irregular: "irregular rhythm"
    }
  }
}
