package import DBus
import FoundationEssentials
package import HealthModel

// A sample to be saved is an `a{sv}`: `type`, `start_us`, `end_us` if it is not a moment, and what its kind needs. A route has the times
// of its locations.

extension SampleDraft {
  /// The sample as it stands on the bus.
  package var value: Value {
    var values: [String: Value] = ["type": .string(type.identifier)]
    if type != .workoutRoute {
      values["start_us"] = .int64(span.start.microseconds)
      values["end_us"] = .int64(span.end.microseconds)
    }
    switch content {
    case .quantities(_, let unit, let quantities):
      values["unit"] = .string(unit.symbol)
      values["values"] = .array(
        quantities.map {
          .structure([
            .int64($0.span.start.microseconds), .int64($0.span.end.microseconds), .double($0.value),
          ])
        }, of: "(xxd)")
    case .heartbeats(let timescale, let beats):
      values["timescale"] = .int32(timescale)
      values["beats"] = .array(
        beats.map { .structure([.int64($0.ticks), .boolean($0.precededByGap)]) }, of: "(xb)")
    case .category(_, let value): values["value"] = .int64(value.rawValue)
    case .correlation(_, let parts): values["parts"] = .array(parts.map(\.value), of: "a{sv}")
    case .route(let workout, let locations):
      values["workout"] = .string(workout)
      values["locations"] = .array(locations.map(\.value), of: RouteLocation.signature)
    case .audiogram(let audiogram):
      values["points"] = .array(
        audiogram.sensitivityPoints.map(\.value), of: AudiogramSensitivityPoint.signature)
    case .visionPrescription(let prescription): values.merge(prescription.values) { $1 }
    }
    values["device"] = device?.value
    if !metadata.isEmpty { values["metadata"] = metadata.value }
    values["sync"] = sync.map { .structure([.string($0.identifier), .int64($0.version)]) }
    return .properties(values)
  }

  /// Reads a sample as a program sends it.
  package init(_ value: Value) throws(ArgumentError) {
    try self.init(value, isPart: false)
  }

  private init(_ value: Value, isPart: Bool) throws(ArgumentError) {
    var arguments = try Arguments(value, at: "samples")
    let identifier = try arguments.text("type").required("type")
    let route = identifier == SampleType.workoutRoute.identifier ? try Self.route(&arguments) : nil
    let span = if let route { route.span } else { try Self.span(&arguments) }
    let device = try arguments.take("device").map { (value) throws(ArgumentError) in try Device(value) }
    let metadata = try arguments.take("metadata").map { (value) throws(ArgumentError) in try Metadata(value) }
    let sync = try arguments.take("sync") { value -> SyncIdentity? in
      guard let fields = value.structure, fields.count == 2, let identifier = fields[0].string,
        let version = fields[1].integer
      else { return nil }
      return SyncIdentity(identifier: identifier, version: Int64(version))
    }
    let content: Content
    switch SampleType(identifier: identifier)?.kind {
    case .quantity?: content = try Self.quantities(&arguments, of: identifier, over: span)
    case .heartbeatSeries?: content = try Self.heartbeats(&arguments)
    case .category?:
      let value = try arguments.integer("value").required("value")
      content = .category(CategoryType(identifier: identifier), CategoryValue(rawValue: value))
    case .correlation? where !isPart:
      guard let type = CorrelationType(identifier: identifier) else { throw .unknownType }
      let values = try arguments.take("parts") { $0.array }.required("parts")
      var parts: [SampleDraft] = []
      for value in values { parts.append(try SampleDraft(value, isPart: true)) }
      content = .correlation(type, parts)
    case .workoutRoute? where !isPart: content = try (route?.content).required("locations")
    case .audiogram? where !isPart:
      let values = try arguments.take("points") { $0.array }.required("points")
      var points: [AudiogramSensitivityPoint] = []
      for value in values { points.append(try AudiogramSensitivityPoint(value)) }
      content = .audiogram(Audiogram(points))
    case .visionPrescription? where !isPart: content = .visionPrescription(try VisionPrescription(&arguments))
    default: throw .unknownType
    }
    try arguments.finish()
    self.init(content, over: span, device: device, metadata: metadata ?? [:], sync: sync)
  }

  private static func span(_ arguments: inout Arguments) throws(ArgumentError) -> TimeSpan {
    let start = try arguments.moment("start_us").required("start_us")
    let end = try arguments.moment("end_us") ?? start
    guard let span = TimeSpan(start: start, end: end) else { throw .invalid("end_us") }
    return span
  }

  private static func route(_ arguments: inout Arguments) throws(ArgumentError) -> (content: Content, span: TimeSpan) {
    let workout = try arguments.identifier("workout").required("workout")
    let values = try arguments.take("locations") { $0.array }.required("locations")
    var locations: [RouteLocation] = []
    locations.reserveCapacity(values.count)
    for value in values { locations.append(try RouteLocation(value)) }
    let times = locations.map(\.time)
    guard let start = times.min(), let end = times.max(), let span = TimeSpan(start: start, end: end) else {
      throw .invalid("locations")
    }
    return (.route(of: workout, locations), span)
  }

  /// One value over the sample's time under `value`, or several with their times under `values`.
  private static func quantities(
    _ arguments: inout Arguments, of identifier: String, over span: TimeSpan
  ) throws(ArgumentError) -> Content {
    guard let type = QuantityType(identifier: identifier) else { throw .unknownType }
    let symbol = try arguments.text("unit").required("unit")
    guard let unit = Unit(symbol), unit.isCompatible(with: type.unit) else { throw .invalidUnit }
    if let value = try arguments.real("value") {
      return .quantities(type, unit, [QuantityValue(value, over: span)])
    }
    let values = try arguments.take("values") { $0.array }.required("values")
    var quantities: [QuantityValue] = []
    quantities.reserveCapacity(values.count)
    for value in values {
      guard let fields = value.structure, fields.count == 3, let start = fields[0].int64, let end = fields[1].int64,
        let number = fields[2].double,
        let span = TimeSpan(start: Timestamp(microseconds: start), end: Timestamp(microseconds: end))
      else { throw .invalid("values") }
      quantities.append(QuantityValue(number, over: span))
    }
    return .quantities(type, unit, quantities)
  }

  private static func heartbeats(_ arguments: inout Arguments) throws(ArgumentError) -> Content {
    let timescale = try arguments.take("timescale") { $0.integer.flatMap { Int32(exactly: $0) } }
      .required("timescale")
    let values = try arguments.take("beats") { $0.array }.required("beats")
    var beats: [HeartbeatTick] = []
    beats.reserveCapacity(values.count)
    for value in values {
      guard let fields = value.structure, fields.count == 2, let ticks = fields[0].int64,
        let precededByGap = fields[1].boolean
      else { throw .invalid("beats") }
      beats.append(HeartbeatTick(ticks, precededByGap: precededByGap))
    }
    return .heartbeats(timescale: timescale, beats)
  }
}
