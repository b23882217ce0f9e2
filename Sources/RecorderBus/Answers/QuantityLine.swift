import FoundationEssentials
package import HealthModel
import Support

/// A quantity: `{"startMicroseconds":1,"endMicroseconds":2,"value":61.5,"unit":"count/min","sample":"…"}`.
///
/// Times are microseconds since 1970; a moment has no end.
package enum QuantityLine {
  private static let start = Array("{\"startMicroseconds\":".utf8)
  private static let end = Array(",\"endMicroseconds\":".utf8)
  private static let value = Array(",\"value\":".utf8)

  /// Writes quantities batch by batch: no line makes a value of its own, so a day of heart rates takes the memory of a batch.
  package struct Writer {
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
        bytes.append(contentsOf: QuantityLine.start)
        bytes.append(decimal: Int(start))
        let end = quantities.ends.isEmpty ? start : quantities.ends[index]
        if end != start {
          bytes.append(contentsOf: QuantityLine.end)
          bytes.append(decimal: Int(end))
        }
        bytes.append(contentsOf: QuantityLine.value)
        JSONValue.number(quantities.values[index]).write(to: &bytes)
        if tail?.owner != owner { tail = (owner, rest(list.samples[Int(owner)])) }
        if let tail { bytes.append(contentsOf: tail.bytes) }
      }
    }

    private func rest(_ sample: UUID) -> [UInt8] {
      Array(",\"unit\":".utf8) + unit + Array(",\"sample\":\"\(sample.uuidString.lowercased())\"}\n".utf8)
    }
  }

  /// Reads quantities of one type.
  package struct Reader: AnswerReader {
    private let type: QuantityType
    private var list = QuantityList()
    private var places: [UUID: Int32] = [:]
    /// The rest of the last line after its value, and the owner that it names: it seldom changes from line to line.
    private var tail: (bytes: [UInt8], owner: Int32) = ([], 0)
    private var isComplete = false

    package init(of type: QuantityType) {
      self.type = type
    }

    package mutating func read(_ lines: ArraySlice<UInt8>) throws(AnswerError) {
      var scanner = LineScanner(lines)
      while !scanner.isAtEnd {
        let place = scanner.position
        if !scan(&scanner) {
          scanner.goBack(to: place)
          try decodeOther(scanner.upTo("\n"))
          _ = scanner.skip([UInt8(ascii: "\n")])
        }
      }
    }

    /// A line of the known shape.
    private mutating func scan(_ scanner: inout LineScanner) -> Bool {
      guard scanner.skip(QuantityLine.start), let start = scanner.integer() else { return false }
      var end = start
      if scanner.skip(QuantityLine.end) {
        guard let other = scanner.integer() else { return false }
        end = other
      }
      guard scanner.skip(QuantityLine.value), let value = scanner.number() else { return false }
      if tail.bytes.isEmpty || !scanner.skip(tail.bytes) {
        let rest = scanner.upTo("\n")
        guard scanner.skip([UInt8(ascii: "\n")]), let owner = owner(rest) else { return false }
        tail = (Array(rest) + [UInt8(ascii: "\n")], owner)
      }
      append(start, end, value, tail.owner)
      return true
    }

    private mutating func append(_ start: Int64, _ end: Int64, _ value: Double, _ owner: Int32) {
      list.quantities.starts.append(start)
      list.quantities.values.append(value)
      list.owners.append(owner)
      // Ends are kept from the first quantity on that has one of its own.
      if list.quantities.ends.isEmpty {
        guard end != start else { return }
        list.quantities.ends = Array(list.quantities.starts.dropLast())
      }
      list.quantities.ends.append(end)
    }

    private mutating func owner(_ tail: ArraySlice<UInt8>) -> Int32? {
      struct Tail: Decodable {
        var unit: String
        var sample: UUID
      }
      guard tail.first == UInt8(ascii: ","),
        let decoded = try? JSONDecoder().decode(Tail.self, from: Data([UInt8(ascii: "{")] + tail.dropFirst())),
        decoded.unit == type.unit.symbol
      else { return nil }
      return place(of: decoded.sample)
    }

    private mutating func place(of sample: UUID) -> Int32 {
      if let place = places[sample] { return place }
      let place = Int32(clamping: list.samples.count)
      list.samples.append(sample)
      places[sample] = place
      return place
    }

    /// The last line, or one of a later recorder's shape.
    private mutating func decodeOther(_ line: ArraySlice<UInt8>) throws(AnswerError) {
      struct Line: Decodable {
        var complete: Bool?
        var startMicroseconds: Int64?
        var endMicroseconds: Int64?
        var value: Double?
        var unit: String?
        var sample: UUID?
      }
      let decoded: Line = try JSONLine.decode(line)
      if decoded.complete == true {
        isComplete = true
      } else if let start = decoded.startMicroseconds, let value = decoded.value, let sample = decoded.sample,
        decoded.unit == type.unit.symbol
      {
        append(start, decoded.endMicroseconds ?? start, value, place(of: sample))
      } else {
        throw .unreadable
      }
    }

    package consuming func finish() throws(AnswerError) -> QuantityList {
      guard isComplete else { throw .cutOff }
      return list
    }
  }
}
