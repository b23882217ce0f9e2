import Foundation
import HealthModel
import Testing

@Suite("QualityReport")
struct QualityReportTests {
  /// A value of each figure's kind that no other figure has.
  static let figures: Metadata = Dictionary(
    uniqueKeysWithValues: QualityReport.Figure.allCases.enumerated().map { number, figure in
      let value: MetadataValue =
        switch figure.kind {
        case .integer: .integer(Int64(number) + 1)
        case .real: .real(Double(number) + 0.5)
        case .time: .time(Timestamp(microseconds: Int64(number)))
        case .text: .text(IntervalHabit.unfit.rawValue)
        }
      return (figure.rawValue, value)
    })

  static let events: Metadata = [
    "payloadDefect.empty": 3, "payloadDefect.trailingBytes": 1,
    "disconnect.1": .time(Timestamp(microseconds: 5)), "disconnect.1.reason": "timeout",
    "disconnect.2": .time(Timestamp(microseconds: 7)),
    "clockStep.1": .time(Timestamp(microseconds: 9)), "clockStep.1.microseconds": -1_500,
  ]

  @Test(
    "each figure is the property that its key names, and every property is one of them, an event, or what is unknown")
  func eachFigure() throws {
    let report = QualityReport(Self.figures)
    #expect(report.others.isEmpty)
    var properties = Set<String>()
    for child in Mirror(reflecting: report).children {
      let name = try #require(child.label)
      guard !["payloadDefects", "disconnects", "clockSteps", "others"].contains(name) else { continue }
      properties.insert(name)
      let figure = try #require(QualityReport.Figure(rawValue: name), "\(name)")
      #expect(report[figure] == Self.figures[name])
      #expect("\(child.value)".contains(try #require(Self.figures[name]).description), "\(name)")
    }
    #expect(properties.count == QualityReport.Figure.allCases.count)
  }

  @Test("defects, losses of the link and changes of the clock are read from their keys")
  func eachEvent() {
    let report = QualityReport(Self.events)
    #expect(report.payloadDefects == [.empty: 3, .trailingBytes: 1])
    #expect(
      report.disconnects == [
        .init(time: Timestamp(microseconds: 5), reason: "timeout"), .init(time: Timestamp(microseconds: 7)),
      ])
    #expect(report.clockSteps == [.init(time: Timestamp(microseconds: 9), microseconds: -1_500)])
    #expect(report.others.isEmpty)
  }

  @Test(
    "whatever keys and values a program wrote, they come back as they are",
    arguments: [
      [:], figures, events, figures.merging(events) { $1 },
      ["junk": 3, "batteryStart": .quantity(Quantity(80, .percent)), "notifications": 60],
      // A known key with another kind of value is not this program's.
      ["notifications": "sixty", "driftPartsPerMillion": 3, "payloadDefect.empty": true, "payloadDefect.odd": 1],
      // Neither are events without the ones before them, and reasons of none.
      [
        "disconnect.2": .time(Timestamp(microseconds: 5)), "disconnect.1.reason": "timeout", "clockStep.1": 7,
        "clockStep.1.microseconds": 8,
      ],
      ["disconnect.1": .time(Timestamp(microseconds: 5)), "disconnect.1.reason": 4],
    ] as [Metadata])
  func whole(metadata: Metadata) throws {
    let report = QualityReport(metadata)
    #expect(report.metadata == metadata)
    #expect(try JSONDecoder().decode(QualityReport.self, from: JSONEncoder().encode(report)) == report)
  }
}
