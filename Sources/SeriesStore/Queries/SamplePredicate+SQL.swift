import FoundationEssentials
import HealthModel

extension SamplePredicate {
  /// A condition on ``SampleReader/tables``, with its values kept apart from its text.
  struct Condition {
    private(set) var text = ""
    private(set) var values: [Value] = []

    enum Value {
      case integer(Int64)
      case real(Double)
      case text(String)
      case bytes([UInt8])
    }

    /// The parameter's number in the whole statement follows `first`.
    private let first: Int32

    init(_ predicate: SamplePredicate, firstParameter: Int32) {
      first = firstParameter
      text = compile(predicate)
    }

    func bind(to statement: inout Statement) throws(StoreError) {
      for (index, value) in values.enumerated() {
        let place = first + Int32(index)
        switch value {
        case .integer(let integer): try statement.bind(integer, at: place)
        case .real(let real): try statement.bind(real, at: place)
        case .text(let text): try statement.bind(text, at: place)
        case .bytes(let bytes): try statement.bind(bytes, at: place)
        }
      }
    }

    private mutating func place(_ value: Value) -> String {
      values.append(value)
      return "?\(first + Int32(values.count) - 1)"
    }

    private mutating func compile(_ predicate: SamplePredicate) -> String {
      switch predicate {
      case .all: return "1"
      case .type(let type):
        return
          "(type.identifier = \(place(.text(type.identifier))) AND type.kind = \(place(.text(type.kind.rawValue))))"
      case .time(let from, let to, let strictness): return time(from, to, strictness)
      case .source(let identifier): return "source.identifier = \(place(.text(identifier)))"
      case .device(let identifier): return "ifnull(device.local_identifier = \(place(.text(identifier))), 0)"
      case .session(let uuid):
        let numbers = ChangeList.numbers(of: place(.bytes(uuid.bytes)))
        return "(sample.session IS NOT NULL AND sample.session IN \(numbers))"
      case .part(let uuid): return member(of: uuid, as: .part)
      case .basis(let uuid): return member(of: uuid, as: .basis)
      case .value(let values):
        let places = values.map(\.rawValue).sorted().map { place(.integer($0)) }
        return "ifnull(sample.value IN (\(places.joined(separator: ", "))), 0)"
      case .identifier(let uuids):
        let places = uuids.sorted { $0.uuidString < $1.uuidString }.map { place(.bytes($0.bytes)) }
        return places.isEmpty
          ? "0" : "(" + places.map { "sample.id IN \(ChangeList.numbers(of: $0))" }.joined(separator: " OR ") + ")"
      case .hasMetadata(let key): return metadata(key, condition: "")
      case .metadata(let key, let comparison, let value):
        let condition = " AND \(self.condition(comparison, value))"
        return metadata(key, condition: condition)
      case .summary(let key, let comparison, let value):
        return "ifnull(\(key.column) \(comparison.rawValue) \(place(.real(value))), 0)"
      case .and(let parts): return join(parts, "AND", empty: "1")
      case .or(let parts): return join(parts, "OR", empty: "0")
      case .not(let part): return "NOT (\(compile(part)))"
      }
    }

    private mutating func member(of owner: UUID, as role: AssociationTable.Role) -> String {
      let owners = ChangeList.numbers(of: place(.bytes(owner.bytes)))
      return "sample.id IN (SELECT member FROM associations WHERE role = \(role.rawValue) AND owner IN \(owners))"
    }

    private mutating func join(_ parts: [SamplePredicate], _ word: String, empty: String) -> String {
      guard !parts.isEmpty else { return empty }
      return "(" + parts.map { compile($0) }.joined(separator: " \(word) ") + ")"
    }

    /// What ends at `from` does not overlap, a moment at `from` does: ends are outside, as for all intervals.
    private mutating func time(_ from: Timestamp?, _ to: Timestamp?, _ strictness: TimeStrictness) -> String {
      var parts: [String] = []
      if let from {
        let place = place(.integer(from.microseconds))
        parts.append("(sample.end > \(place) OR sample.start >= \(place))")
        if strictness.contains(.start) { parts.append("sample.start >= \(place)") }
      }
      if let to {
        let place = place(.integer(to.microseconds))
        parts.append("sample.start < \(place)")
        if strictness.contains(.end) { parts.append("sample.end < \(place)") }
      }
      return parts.isEmpty ? "1" : "(" + parts.joined(separator: " AND ") + ")"
    }

    private mutating func metadata(_ key: String, condition: String) -> String {
      // The condition was compiled first: parameters carry numbers, so their order in the text does not matter.
      return """
        EXISTS (SELECT 1 FROM metadata_values AS metadata WHERE metadata.owner = sample.id
          AND metadata.key = \(place(.text(key)))\(condition))
        """
    }

    private mutating func condition(_ comparison: Comparison, _ value: MetadataValue) -> String {
      let word = comparison.rawValue
      switch value {
      case .text(let text): return "typeof(metadata.value) = 'text' AND metadata.value \(word) \(place(.text(text)))"
      case .integer(let integer): return number("metadata.value \(word) \(place(.integer(integer)))")
      case .real(let real): return number("metadata.value \(word) \(place(.real(real)))")
      case .flag(let flag): return number("metadata.value \(word) \(place(.integer(flag ? 1 : 0)))")
      case .time(let time): return number("metadata.value \(word) \(place(.integer(time.microseconds)))")
      case .quantity(let quantity):
        // Stored in the unit that it was given in: units that are spelled otherwise do not compare.
        let unit = place(.text(quantity.unit.symbol))
        return number("metadata.unit = \(unit) AND metadata.value \(word) \(place(.real(quantity.value)))")
      }
    }

    private func number(_ condition: String) -> String {
      "typeof(metadata.value) <> 'text' AND \(condition)"
    }
  }
}
