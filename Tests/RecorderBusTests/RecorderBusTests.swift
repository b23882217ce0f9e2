import DBus
import Foundation
import HealthModel
import TestSupport
import Testing

@testable import RecorderBus

@Suite("What clients send")
struct RecorderBusTests {
  /// A value as it arrives: what a bus would not carry is refused here.
  private func sent(_ value: Value) throws -> Value {
    let message = Message.call(
      "org.sensord", path: "/org/sensord", interface: "org.sensord.Test", member: "Test", body: [value])
    return try #require(try Message(unmarshalling: message.marshalled()).body.first)
  }

  @Test("every predicate arrives as it was sent", arguments: 0..<200)
  func predicates(seed: UInt64) throws {
    var draw = Draw(seed: seed)
    let predicate = draw.predicate(depth: 3)
    #expect(try SamplePredicate(sent(predicate.value)) == predicate)
  }

  @Test("conditions may be as deep as a message allows, and no deeper")
  func depth() throws {
    func nested(_ depth: Int) -> SamplePredicate {
      (0..<depth).reduce(SamplePredicate.source("a")) { part, _ in .and([part, .not(.device("b"))]) }
    }
    #expect(
      try SamplePredicate(sent(nested(SamplePredicate.greatestDepth - 1).value))
        == nested(SamplePredicate.greatestDepth - 1))
    #expect(throws: ArgumentError.tooComplex) { try SamplePredicate(nested(SamplePredicate.greatestDepth + 1).value) }
  }

  @Test("several keys are conditions that all hold, and metadata by itself means equality")
  func shorthand() throws {
    let value = Value.properties([
      "type": .string("heartRate"), "from_us": .int64(5),
      "metadata": .properties(["title": .string("Hot dogs"), "round": .int32(3)]),
    ])
    #expect(
      try SamplePredicate(value)
        == .and([
          .type(.quantity(.heartRate)), .time(from: Timestamp(microseconds: 5), to: nil),
          .metadata("round", .equal, 3), .metadata("title", .equal, "Hot dogs"),
        ]))
  }

  @Test(
    "what cannot be understood is refused, since it might have narrowed a question",
    arguments: [
      (["source": .int64(1)], ArgumentError.invalid("source")), (["typo": .string("x")], .unknownKey),
      (["type": .string("noSuchType")], .unknownType), (["kind": .string("quantity")], .missing("type")),
      (["ids": .strings(["no identifier"])], .invalid("ids")), (["strict": .strings(["middle"])], .invalid("strict")),
      (["count": .structure([.string("about"), .int64(3)])], .invalid("count")),
      (
        ["quantity_figure": .structure([.string("average"), .string("less"), .double(.nan), .string("count/min")])],
        .invalid("quantity_figure")
      ),
      (
        ["quantity_figure": .structure([.string("average"), .string("less"), .double(1), .string("furlongs")])],
        .invalid("quantity_figure")
      ),
      (["workout": .properties(["typo": .string("x")])], .unknownKey),
      (["workout": .properties(["activity_types": .strings(["jogging"])])], .invalid("activity_types")),
      (["workout_activity": .properties(["duration": .structure([.string("less")])])], .invalid("duration")),
      (
        [
          "workout_activity": .properties([
            "statistic": .structure([
              .string("average"), .string("heartRate"), .string("less"), .double(.infinity), .string("count/min"),
            ])
          ])
        ], .invalid("statistic")
      ),
      (["and": .string("x")], .invalid("and")), (["or": .array([.string("x")], of: "s")], .invalid("predicate")),
    ] as [([String: Value], ArgumentError)])
  func refused(properties: [String: Value], error: ArgumentError) {
    #expect(throws: error) { try SamplePredicate(.properties(properties)) }
  }

  @Test("every query arrives as it was sent", arguments: 0..<100)
  func queries(seed: UInt64) throws {
    var draw = Draw(seed: seed)
    let query = try draw.query()
    let arrived = try ClientQuery(kind: query.kind, sent(query.value)) { $0 == "UTC" ? .utc : nil }
    #expect(arrived.kind == query.kind)
    #expect(arrived.value == query.value)
  }

  @Test("a query without arguments asks for all; statistics need a type, and figures that it has")
  func defaults() throws {
    guard case .samples(let query) = try ClientQuery(kind: "samples", .properties([:]), zone: { _ in nil }) else {
      throw ArgumentError.unknownKey
    }
    #expect(query.predicate == .all && query.order == [SampleQuery.Order(.start)] && query.limit == nil)
    func statistics(_ properties: [String: Value]) throws {
      _ = try ClientQuery(kind: "statistics", .properties(properties), zone: { _ in nil })
    }
    #expect(throws: ArgumentError.missing("type")) { try statistics([:]) }
    #expect(throws: ArgumentError.invalid("figures")) {
      try statistics(["type": .string("stepCount"), "figures": .strings(["average"])])
    }
    #expect(throws: ArgumentError.invalid("zone")) {
      try statistics(["type": .string("stepCount"), "every": .string("1d"), "zone": .string("Nowhere")])
    }
    #expect(throws: ArgumentError.invalid("kind")) {
      try ClientQuery(kind: "everything", .properties([:]), zone: { _ in nil })
    }
    #expect(throws: ArgumentError.invalid("limit")) {
      try ClientQuery(kind: "samples", .properties(["limit": .int64(-1)]), zone: { _ in nil })
    }
  }

  @Test("every sample to be saved arrives as it was sent", arguments: 0..<100)
  func drafts(seed: UInt64) throws {
    var draw = Draw(seed: seed)
    let draft = draw.draft()
    #expect(try SampleDraft(sent(draft.value)) == draft)
  }

  @Test("a single value may stand by itself")
  func single() throws {
    let draft = try SampleDraft(
      .properties([
        "type": .string("bodyMass"), "start_us": .int64(7), "value": .double(71.5), "unit": .string("kg"),
      ]))
    #expect(draft == SampleDraft(.bodyMass, Quantity(71.5, .kilogram), over: TimeSpan(at: Timestamp(microseconds: 7))))
  }

  @Test(
    "a sample that cannot be one is refused",
    arguments: [
      ([:], ArgumentError.missing("type")), (["type": .string("nothing"), "start_us": .int64(0)], .unknownType),
      (["type": .string("bodyMass"), "start_us": .int64(5), "end_us": .int64(4)], .invalid("end_us")),
      (["type": .string("bodyMass"), "start_us": .int64(5), "value": .double(1)], .missing("unit")),
      (["type": .string("bodyMass"), "start_us": .int64(5), "value": .double(1), "unit": .string("m")], .invalidUnit),
      (["type": .string("bodyMass"), "start_us": .int64(5), "unit": .string("kg")], .missing("values")),
      (["type": .string("sleepAnalysis"), "start_us": .int64(5), "value": .double(1)], .invalid("value")),
      (["type": .string("sleepAnalysis"), "start_us": .int64(5), "value": .int64(1), "id": .string("x")], .unknownKey),
      (
        ["type": .string("heartbeatSeries"), "start_us": .int64(5), "timescale": .int64(1 << 40)], .invalid("timescale")
      ),
      (["type": .string("workoutRoute"), "locations": .array([], of: "(xddddddd)")], .missing("workout")),
      (["type": .string("workoutRoute"), "workout": .string(UUID().uuidString)], .missing("locations")),
      (["type": .string("visionPrescription"), "start_us": .int64(0)], .missing("prescription")),
      (
        [
          "type": .string("visionPrescription"), "start_us": .int64(0), "prescription": .int64(3),
          "lenses": .array([], of: "a{sv}"),
        ], .invalid("prescription")
      ),
      (
        [
          "type": .string("visionPrescription"), "start_us": .int64(0), "prescription": .int64(1),
          "lenses": .array([.properties(["eye": .int64(1)])], of: "a{sv}"),
        ], .missing("sphere")
      ),
      (
        [
          "type": .string("visionPrescription"), "start_us": .int64(0), "prescription": .int64(1),
          "lenses": .array([.properties(["eye": .int64(1), "sphere": .double(1), "colour": .double(1)])], of: "a{sv}"),
        ], .unknownKey
      ),
      (["type": .string("audiogram"), "start_us": .int64(0)], .missing("points")),
      (
        ["type": .string("audiogram"), "start_us": .int64(0), "points": .array([.string("x")], of: "s")],
        .invalid("points")
      ),
      (
        [
          "type": .string("workoutRoute"), "workout": .string(UUID().uuidString),
          "locations": .array([], of: "(xddddddd)"),
        ], .invalid("locations")
      ),
      (
        [
          "type": .string("workoutRoute"), "workout": .string(UUID().uuidString),
          "locations": .array([.structure([.int64(5), .double(1), .double(2)])], of: "(xdd)"),
        ], .invalid("locations")
      ),
      (
        ["type": .string("bodyMass"), "start_us": .int64(5), "metadata": .properties(["a": .objectPath("/")])],
        .invalid("metadata")
      ),
      (
        [
          "type": .string("bloodPressure"), "start_us": .int64(5),
          "parts": .array([.properties(["type": .string("bloodPressure"), "start_us": .int64(5)])], of: "a{sv}"),
        ],
        .unknownType
      ),
    ] as [([String: Value], ArgumentError)])
  func refusedDrafts(properties: [String: Value], error: ArgumentError) {
    #expect(throws: error) { try SampleDraft(.properties(properties)) }
  }

  @Test("metadata of every kind arrive as they were sent; integers may be of any type")
  func metadata() throws {
    let metadata: Metadata = [
      "text": "a \u{1F32D}", "integer": 42, "real": 0.5, "flag": true, "time": .time(Timestamp(microseconds: -3)),
      "quantity": .quantity(Quantity(36.6, .degreeCelsius)),
    ]
    #expect(try Metadata(sent(metadata.value)) == metadata)
    #expect(
      try Metadata(sent(.properties(["small": .byte(7), "large": .uint64(1 << 40)]))) == [
        "small": 7, "large": .integer(1 << 40),
      ])
    for wrong: Value in [
      .uint64(.max), .double(.infinity), .structure([.double(1), .string("furlongs")]), .bytes([1]),
    ] {
      #expect(throws: ArgumentError.invalid("metadata")) { try Metadata(.properties(["key": wrong])) }
    }
  }
}
