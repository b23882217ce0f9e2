import FoundationEssentials
import HealthModel

extension Connection {
  /// The predicate as an SQL condition; throws ``StoreError/Code/tooComplex(limit:)`` if it exceeds SQLite's limits.
  ///
  /// With a scope the condition is on the samples that the reader may see, in the order of time or of saving. If the
  /// statement is about one quantity type (`isOfQuantityType`), `type` limits the search to samples of that type.
  func condition(
    _ predicate: SamplePredicate, firstParameter: Int32, in scope: ReadScope? = nil, of type: QuantityType? = nil,
    by order: SamplePredicate.Condition.Order = .time
  ) throws(StoreError) -> SamplePredicate.Condition {
    let units =
      if let scope { try types.units(in: scope) } else { try types.all().values.compactMap { $0.quantityType?.unit } }
    var devices: [String: [String]] = [:]
    for device in predicate.devices { devices[device] = try sensors.predecessors(of: device) }
    return try SamplePredicate.Condition(
      predicate, firstParameter: firstParameter, units: units, predecessors: devices, hasWorkouts: try workouts.exist(),
      scope: scope, of: type, order: order)
  }
}

extension SamplePredicate {
  /// The type that all matching samples must have, if the predicate also limits their time; else nil.
  private var typeInTime: SampleType? {
    guard case .and(let parts) = form else { return nil }
    var type: SampleType?
    var hasTime = false
    for part in parts {
      switch part.form {
      case .type(let one): type = one
      case .time(let from, let to, _): hasTime = hasTime || from != nil || to != nil
      default: break
      }
    }
    return hasTime ? type : nil
  }

  /// The devices that the predicate names.
  fileprivate var devices: Set<String> {
    switch form {
    case .device(let identifier): [identifier]
    case .and(let parts), .or(let parts): parts.reduce(into: []) { $0.formUnion($1.devices) }
    case .not(let part): part.devices
    default: []
    }
  }

  /// A condition on samples, with its values separate from its text.
  struct Condition {
    /// The rows of a scope that a statement is about, with the order in which they are found.
    enum Order {
      /// Samples, by type, source and start.
      case time
      /// Samples, by the numbers of the changes that saved them: those after ?1 and up to ?2.
      case saving
      /// The changes after ?1 themselves, with deletions, instead of samples.
      case changes
    }

    private(set) var text = ""
    /// The tables of the condition: ``SampleReader/tables``, or those of the rows that the scope permits to see.
    private(set) var tables = SampleReader.tables
    /// The condition that a sample is of the quantity type whose name is ?1.
    private(set) var isOfQuantityType = SampleReader.isOfQuantityType
    private(set) var values: [Value] = []

    enum Value {
      case integer(Int64)
      case real(Double)
      case text(String)
      case bytes([UInt8])
    }

    /// The most parts in a group. Each part beside others without parentheses makes SQLite's expression tree one
    /// deeper, and 1,000 is the limit of that.
    private static let width = 32
    /// The deepest nesting of parentheses: SQLite's parser has room for 100 symbols, and a level uses three.
    static let deepest = 16
    /// The most values of a predicate: SQLite allows 32,766 parameters, and the query itself has a few.
    static let mostValues = 32_000

    /// The number of the first parameter in the whole statement.
    private let first: Int32
    /// The units in which the file's types are stored.
    let units: [Unit]
    /// The former addresses of the devices that the predicate names.
    private let predecessors: [String: [String]]
    /// Whether the file has tables of workouts.
    let hasWorkouts: Bool
    /// The scope that the reader may see; nil for a reader who may see everything.
    let scope: ReadScope?

    init(
      _ predicate: SamplePredicate, firstParameter: Int32, units: [Unit], predecessors: [String: [String]],
      hasWorkouts: Bool, scope: ReadScope?, of type: QuantityType?, order: Order
    ) throws(StoreError) {
      first = firstParameter
      self.predecessors = predecessors
      self.hasWorkouts = hasWorkouts
      self.scope = scope
      let known = Dictionary(units.lazy.filter(\.isKnown).map { ($0.symbol, $0) }) { first, _ in first }
      self.units = known.values.sorted { $0.symbol < $1.symbol }
      if let scope {
        let meant = type.map { .and([.type(.quantity($0)), predicate]) } ?? predicate
        let places = try ScopePlaces(order == .changes ? scope : scope.narrowed(to: meant), in: &self)
        tables =
          switch order {
          case .time: SampleReader.visibleTables(places.samplesByTime)
          case .saving: SampleReader.visibleTables(places.samplesBySaving)
          case .changes: places.changes
          }
        isOfQuantityType = "type.identifier = ?1 AND type.kind = 'quantity'"
      }
      text = try compile(predicate, isNegated: false, level: 0)
      if scope == nil, order == .time, let type = predicate.typeInTime { text = try byTime(type) + " AND (\(text))" }
    }

    /// The condition that samples are of a type, by the index of type, source and time. The predicate implies this
    /// condition; with it, a night is found without a look at the samples of ten years. The index needs a source, so
    /// all sources are named.
    private mutating func byTime(_ type: SampleType) throws(StoreError) -> String {
      let identifier = try place(.text(type.identifier))
      return """
        sample.type IN (SELECT id FROM types WHERE identifier = \(identifier) AND kind = '\(type.kind.rawValue)')
          AND sample.source IN (SELECT id FROM sources)
        """
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

    mutating func place(_ value: Value) throws(StoreError) -> String {
      guard values.count < Self.mostValues else {
        throw StoreError(
          .tooComplex(limit: Self.mostValues), "a predicate may have \(Self.mostValues) values at most; ask in parts")
      }
      values.append(value)
      return "?\(first + Int32(values.count) - 1)"
    }

    /// Compiles a predicate. Negations are pushed down to the single conditions, so that any number of them adds no
    /// depth.
    private mutating func compile(
      _ predicate: SamplePredicate, isNegated: Bool, level: Int
    ) throws(StoreError) -> String {
      var form = predicate.form
      var isNegated = isNegated
      while case .not(let part) = form {
        form = part.form
        isNegated.toggle()
      }
      switch form {
      case .and(let parts): return try join(parts, isAnd: !isNegated, isNegated: isNegated, level: level)
      case .or(let parts): return try join(parts, isAnd: isNegated, isNegated: isNegated, level: level)
      default:
        let condition = try condition(form)
        return isNegated ? "NOT (\(condition))" : condition
      }
    }

    private mutating func join(
      _ parts: [SamplePredicate], isAnd: Bool, isNegated: Bool, level: Int
    ) throws(StoreError) -> String {
      guard parts.count != 1 else { return try compile(parts[0], isNegated: isNegated, level: level) }
      guard level < Self.deepest else {
        throw StoreError(
          .tooComplex(limit: Self.deepest), "a predicate may alternate between and and or \(Self.deepest) times at most"
        )
      }
      // One level of groups for each power of the width that the parts need.
      var groups: [String] = []
      var depth = level + 1
      var room = Self.width
      while room < parts.count {
        room *= Self.width
        depth += 1
      }
      for part in parts { groups.append(try compile(part, isNegated: isNegated, level: depth)) }
      return Self.joined(groups, isAnd: isAnd)
    }

    /// The conditions with one word between them, in groups.
    static func joined(_ conditions: [String], isAnd: Bool) -> String {
      if conditions.isEmpty { return isAnd ? "1" : "0" }
      let word = isAnd ? " AND " : " OR "
      var groups = conditions
      while groups.count > width {
        groups = stride(from: 0, to: groups.count, by: width).map { start in
          "(" + groups[start..<min(start + width, groups.count)].joined(separator: word) + ")"
        }
      }
      return "(" + groups.joined(separator: word) + ")"
    }

    private mutating func condition(_ form: SamplePredicate.Form) throws(StoreError) -> String {
      switch form {
      case .all, .and, .or, .not: return "1"
      case .type(let type):
        let identifier = try place(.text(type.identifier))
        return "(type.identifier = \(identifier) AND type.kind = \(try place(.text(type.kind.rawValue))))"
      case .time(let from, let to, let strictness): return try time(from, to, strictness, of: "sample")
      case .source(let identifier): return "source.identifier = \(try place(.text(identifier)))"
      case .device(let identifier):
        var places: [String] = []
        for address in [identifier] + (predecessors[identifier] ?? []) { places.append(try place(.text(address))) }
        return "ifnull(device.local_identifier IN (\(places.joined(separator: ", "))), 0)"
      case .session(let uuid):
        let session = try place(.bytes(uuid.bytes))
        if scope != nil { return "ifnull(session.uuid = \(session), 0)" }
        let numbers = ChangeList.numbers(of: session)
        return "(sample.session IS NOT NULL AND sample.session IN \(numbers))"
      case .part(let uuid): return try member(of: uuid, as: .part)
      case .basis(let uuid): return try member(of: uuid, as: .basis)
      case .collected(let uuid): return try member(of: uuid, as: .collected)
      case .workout(let predicate): return try workout(predicate, isActivity: false)
      case .workoutActivity(let predicate): return try workout(predicate, isActivity: true)
      case .value(let values): return try value(values)
      case .identifier(let uuids): return try identifier(uuids)
      case .hasMetadata(let key): return try metadata(key, condition: "")
      case .metadata(let key, let comparison, let value):
        let condition = " AND \(try self.condition(comparison, value))"
        return try metadata(key, condition: condition)
      case .quantity(let figure, let comparison, let quantity): return try self.quantity(figure, comparison, quantity)
      case .moment(let figure, let comparison, let moment):
        return "ifnull(\(figure.column) \(comparison.sql) \(try place(.integer(moment.microseconds))), 0)"
      case .length(let figure, let comparison, let microseconds):
        return "ifnull(\(figure.column) \(comparison.sql) \(try place(.integer(microseconds))), 0)"
      case .count(let comparison, let count):
        return "sample.count \(comparison.sql) \(try place(.integer(Int64(count))))"
      }
    }

    /// The condition on identifiers. Any number of them are one value: sixteen bytes each.
    ///
    /// In a scope the identifiers are compared with those of the samples in the scope. A look-up of each would take a
    /// different time for an object that exists, even if the reader may not see it.
    private mutating func identifier(_ uuids: Set<UUID>) throws(StoreError) -> String {
      guard uuids.count > 1 else {
        guard let uuid = uuids.first else { return "0" }
        let one = try place(.bytes(uuid.bytes))
        return scope == nil ? "sample.id IN \(ChangeList.numbers(of: one))" : "ifnull(change.uuid = \(one), 0)"
      }
      let all = UUID.rows(in: try place(.bytes(uuids.flatMap(\.bytes))))
      guard scope == nil else { return "ifnull(change.uuid IN (\(all)), 0)" }
      return """
        sample.id IN (SELECT number FROM (\(all)) AS single CROSS JOIN changes WHERE \(ChangeList.isObject("single.object")))
        """
    }

    private mutating func member(of owner: UUID, as role: AssociationTable.Role) throws(StoreError) -> String {
      let object = try place(.bytes(owner.bytes))
      if let scope {
        let isVisible = try isVisible("whole", uuid: "owner.uuid", in: scope)
        return """
          EXISTS (SELECT 1 FROM associations INDEXED BY association_member CROSS JOIN changes AS owner
              CROSS JOIN samples AS whole
            WHERE member = sample.id AND role = \(role.rawValue) AND owner.number = associations.owner
              AND owner.uuid = \(object) AND whole.id = owner.number AND \(isVisible))
          """
      }
      let owners = ChangeList.numbers(of: object)
      return "sample.id IN (SELECT member FROM associations WHERE role = \(role.rawValue) AND owner IN \(owners))"
    }

    private mutating func value(_ values: Set<CategoryValue>) throws(StoreError) -> String {
      var places: [String] = []
      for value in values.map(\.rawValue).sorted() { places.append(try place(.integer(value))) }
      // Workouts have integers, too.
      let isCategory = "type.kind = '\(SampleKind.category.rawValue)'"
      return "(\(isCategory) AND ifnull(sample.value IN (\(places.joined(separator: ", "))), 0))"
    }

    /// The condition on a time. Ends are exclusive, as for all intervals: a sample that ends at `from` does not
    /// overlap, but a moment at `from` does.
    mutating func time(
      _ from: Timestamp?, _ to: Timestamp?, _ strictness: TimeStrictness, of row: String
    ) throws(StoreError) -> String {
      var parts: [String] = []
      if let from {
        let place = try place(.integer(from.microseconds))
        parts.append("(\(row).end > \(place) OR \(row).start >= \(place))")
        if strictness.contains(.start) { parts.append("\(row).start >= \(place)") }
      }
      if let to {
        let place = try place(.integer(to.microseconds))
        parts.append("\(row).start < \(place)")
        if strictness.contains(.end) { parts.append("\(row).end < \(place)") }
      }
      return parts.isEmpty ? "1" : "(" + parts.joined(separator: " AND ") + ")"
    }

    /// The condition on a quantity, which is converted to each compatible unit in the file.
    private mutating func quantity(
      _ figure: QuantityFigure, _ comparison: Comparison, _ quantity: Quantity
    ) throws(StoreError) -> String {
      var cases = ""
      for unit in units {
        guard let value = try? quantity.value(in: unit), !value.isNaN else { continue }
        let symbol = try place(.text(unit.symbol))
        cases += " WHEN \(symbol) THEN \(figure.column) \(comparison.sql) \(try place(.real(value)))"
      }
      return cases.isEmpty ? "0" : "ifnull(CASE type.unit\(cases) ELSE 0 END, 0)"
    }

    private mutating func metadata(_ key: String, condition: String) throws(StoreError) -> String {
      // The condition was compiled first; since parameters are numbered, their order in the text does not matter.
      return """
        EXISTS (SELECT 1 FROM metadata_values AS metadata WHERE metadata.owner = sample.id
          AND metadata.key = \(try place(.text(key)))\(condition))
        """
    }

    private mutating func condition(
      _ comparison: Comparison, _ value: MetadataValue
    ) throws(StoreError) -> String {
      let word = comparison.sql
      switch value {
      case .text(let text):
        return "typeof(metadata.value) = 'text' AND metadata.value \(word) \(try place(.text(text)))"
      case .integer(let integer): return number("metadata.value \(word) \(try place(.integer(integer)))")
      case .real(let real): return number("metadata.value \(word) \(try place(.real(real)))")
      case .flag(let flag): return number("metadata.value \(word) \(try place(.integer(flag ? 1 : 0)))")
      case .time(let time): return number("metadata.value \(word) \(try place(.integer(time.microseconds)))")
      case .quantity(let quantity):
        let value = try place(.real(quantity.value))
        let unit = try place(.text(quantity.unit.symbol))
        // NULL, which is not true, if the units are not compatible.
        return "\(Connection.comparingQuantities)(metadata.value, metadata.unit, \(value), \(unit)) \(word) 0"
      }
    }

    private func number(_ condition: String) -> String {
      "typeof(metadata.value) <> 'text' AND \(condition)"
    }
  }
}
