import FoundationEssentials
package import HealthModel

/// Quantities as lines of JSON, one a quantity: `{"startMicroseconds","endMicroseconds"?,"value","unit","sample"}`.
///
/// Times are microseconds since 1970; a moment has no end. Lines are appended batch by batch: no line makes a value of its own, so
/// a day of heart rates takes the memory of a batch.
package struct QuantityLines {
  private let unit: [UInt8]
  /// The rest of a line, for the sample that had the last quantity.
  private var tail: (owner: Int32, bytes: [UInt8])?

  /// Lines of quantities in the type's unit.
  package init(of type: QuantityType) {
    unit = JSONValue.string(type.unit.symbol).bytes
  }

  /// Appends the quantities of a batch.
  package mutating func append(_ list: QuantityList, to bytes: inout [UInt8]) {
    append(list, 0..<list.count, to: &bytes)
  }

  /// Appends some of the quantities of a batch.
  package mutating func append(_ list: QuantityList, _ range: Range<Int>, to bytes: inout [UInt8]) {
    tail = nil
    let quantities = list.quantities
    bytes.reserveCapacity(bytes.count + 112 * range.count)
    for index in range {
      let owner = list.owners[index]
      let start = quantities.starts[index]
      bytes.append(contentsOf: Self.start)
      TimestampWriter.append(Int(start), digits: 1, to: &bytes)
      let end = quantities.ends.isEmpty ? start : quantities.ends[index]
      if end != start {
        bytes.append(contentsOf: Self.end)
        TimestampWriter.append(Int(end), digits: 1, to: &bytes)
      }
      bytes.append(contentsOf: Self.value)
      Self.append(quantities.values[index], to: &bytes)
      if tail?.owner != owner { tail = (owner, rest(list.samples[Int(owner)])) }
      if let tail { bytes.append(contentsOf: tail.bytes) }
    }
  }

  private func rest(_ sample: UUID) -> [UInt8] {
    Array(",\"unit\":".utf8) + unit + Array(",\"sample\":\"\(sample.uuidString.lowercased())\"}\n".utf8)
  }

  /// Most values are whole numbers, which need no string.
  private static func append(_ value: Double, to bytes: inout [UInt8]) {
    if let whole = Int(exactly: value), whole.magnitude < 1 << 53 {
      TimestampWriter.append(whole, digits: 1, to: &bytes)
    } else {
      JSONValue.number(value).write(to: &bytes)
    }
  }

  private static let start = Array("{\"startMicroseconds\":".utf8)
  private static let end = Array(",\"endMicroseconds\":".utf8)
  private static let value = Array(",\"value\":".utf8)
}

/// Beats as lines of JSON, one a beat: `{"timeMicroseconds","run","index","rrTicks","timescale","precededByGap","flags"}`.
///
/// RR intervals are in ticks, of which `timescale` are a second. Lines are appended part by part, so that a day of beats takes the
/// memory of a part.
package struct HeartbeatLines {
  private var beats: HeartbeatSeries.LocatedBeats
  private let timescale: JSONValue

  /// Lines of all beats of a series.
  package init(_ series: HeartbeatSeries) {
    beats = series.locatedBeats
    timescale = .integer(Int64(series.timescale))
  }

  /// Appends the lines of the next beats.
  ///
  /// - Returns: Whether there may be more.
  package mutating func append(_ count: Int, to bytes: inout [UInt8]) -> Bool {
    for _ in 0..<count {
      guard let located = beats.next() else { return false }
      let line: JSONValue = [
        "timeMicroseconds": .integer(located.time.microseconds), "run": .integer(Int64(located.run)),
        "index": .integer(Int64(located.index)), "rrTicks": .integer(Int64(located.beat.rrTicks)),
        "timescale": timescale, "precededByGap": .bool(located.beat.precededByGap),
        "flags": .array(located.beat.flags.names.map { .string($0) }),
      ]
      line.appendLine(to: &bytes)
    }
    return true
  }
}

extension RouteLocation {
  /// A line of an answer: `{"timeMicroseconds","latitude","longitude","altitude"?,"horizontalAccuracy"?,"verticalAccuracy"?,"speed"?,"course"?}`.
  ///
  /// Numbers in degrees, metres and metres a second, in the fewest digits that read back as the same. Unknown members are absent.
  package var line: JSONValue {
    let known: [(String, Double?)] = [
      ("altitude", altitude), ("horizontalAccuracy", horizontalAccuracy), ("verticalAccuracy", verticalAccuracy),
      ("speed", speed), ("course", course),
    ]
    return .object(
      [
        .init("timeMicroseconds", .integer(time.microseconds)), .init("latitude", .number(latitude)),
        .init("longitude", .number(longitude)),
      ] + known.compactMap { name, value in value.map { .init(name, .number($0)) } })
  }
}

extension AudiogramSensitivityPoint {
  /// A line of the answer to a query of an audiogram; values that were not measured are left out.
  package var line: JSONValue {
    let ears = [("leftEarSensitivity", leftEarSensitivity), ("rightEarSensitivity", rightEarSensitivity)]
    return .object(
      [.init("frequencyHertz", .number(frequency))]
        + ears.compactMap { name, value in value.map { .init(name, .number($0)) } })
  }
}

extension VisionPrescription {
  /// The lines of the answer to a query of a prescription: one for each lens. Values that were not prescribed are left out.
  package var lines: [JSONValue] {
    lenses.map { lens in
      .object(
        [.init("prescription", .integer(type.rawValue)), .init("eye", .integer(lens.eye.rawValue))]
          + LensField.allCases.compactMap { field in
            lens.values[field].map { .init(field.rawValue, .number($0)) }
          } + (brand.map { [.init("brand", .string($0))] } ?? []))
    }
  }
}

extension ClinicalRecord {
  /// The line of the answer to a query of a clinical record, with its document in Base64, so that the bytes stay the same.
  package var line: JSONValue {
    var members: [JSONValue.Member] = [
      .init("type", .string(type.identifier)), .init("name", .string(displayName)),
      .init("resourceType", .string(resource.resourceType)),
    ]
    let optional = [
      ("identifier", resource.identifier), ("fhirVersion", resource.fhirVersion), ("sourceURL", resource.sourceURL),
    ]
    for (key, text) in optional { if let text { members.append(.init(key, .string(text))) } }
    members.append(.init("data", .string(Data(resource.data).base64EncodedString())))
    return .object(members)
  }
}
