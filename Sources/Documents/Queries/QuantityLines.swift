internal import FoundationEssentials
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
