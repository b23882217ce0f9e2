import RecorderBus
import DBus
import TestSupport

/// Makes up calls of the door: right ones, nearly right ones, and nonsense of any depth and size. The same seed makes the same calls.
struct RandomCalls {
  /// In every text that is made up, so that it can be looked for where no text of a client may be.
  static let mark = "hOsTiLe"

  private var generator: SeededGenerator
  /// Passed in place of descriptors.
  private let descriptor: SharedDescriptor
  private let interfaces: [Interface]
  /// The path of a workout that goes on; most calls of a workout's interface go there.
  var workout: ObjectPath?

  init(seed: UInt64, passing descriptor: SharedDescriptor) {
    generator = SeededGenerator(seed: seed)
    self.descriptor = descriptor
    // What every object has is called as well.
    interfaces =
      ClientInterfaces.all + [
        Interface("org.freedesktop.DBus.Introspectable", methods: [.init("Introspect")]),
        Interface(
          "org.freedesktop.DBus.Properties",
          methods: [
            .init("Get", in: [.init("interface", "s"), .init("name", "s")]),
            .init("GetAll", in: [.init("interface", "s")]),
            .init("Set", in: [.init("interface", "s"), .init("name", "s"), .init("value", "v")]),
          ]),
      ]
  }

  mutating func next() -> Message {
    let interface = pick(interfaces)
    let methods = interface.methods.filter { $0.name != "Request" }
    guard let method = methods.randomElement(using: &generator) else { return next() }
    var call = Message.call(
      ClientInterfaces.busName, path: path(of: interface), interface: interface.name, member: method.name)
    if chance(20) {
      call.interface = pick([nil, "org.sensord.Live2", "org.example.\(Self.mark)", interface.name + ".More"])
    }
    if chance(20) { call.member = pick(["Measurement", "Subscribe", "Get", Self.mark]) }
    if chance(2) {
      for input in method.inputs { call.body.append(value(of: input.type, depth: 0)) }
      if chance(6) { call.body.append(value(of: signature(), depth: 0)) }
      if chance(6), !call.body.isEmpty { call.body.removeLast() }
    } else {
      for _ in 0..<Int.random(in: 0...4, using: &generator) { call.body.append(value(of: signature(), depth: 0)) }
    }
    return call
  }

  private mutating func path(of interface: Interface) -> ObjectPath {
    guard let workout, interface == ClientInterfaces.workout, !chance(5) else { return path() }
    return workout
  }

  private mutating func path() -> ObjectPath {
    guard chance(5) else { return ClientInterfaces.root }
    return pick([
      "/", "/org", "/org/sensord/session", "/org/sensord/session/x", "/org/sensord/series/1", "/org/sensord/workout",
      "/a/b_c/d",
    ])
  }

  private mutating func signature(_ depth: Int = 0) -> Signature {
    let simple: [Signature] = ["y", "b", "n", "q", "i", "u", "x", "t", "d", "s", "o", "g", "h", "v"]
    let usual: [Signature] = ["as", "a{sv}", "aa{sv}", "a(xxd)", "a(xb)", "ay", "av"]
    if depth > 3 || !chance(4) { return pick(chance(2) ? simple : usual) }
    let inner = signature(depth + 1)
    return (try? Signature(chance(2) ? "a\(inner)" : "(\(inner)\(signature(depth + 1)))")) ?? "s"
  }

  private mutating func value(of type: Signature, depth: Int) -> Value {
    let codes = Array(type.text.utf8)
    switch UnicodeScalar(codes[0]) {
    case "y": return .byte(.random(in: 0...255, using: &generator))
    case "b": return .boolean(chance(2))
    case "n": return .int16(.random(in: .min ... .max, using: &generator))
    case "q": return .uint16(.random(in: .min ... .max, using: &generator))
    case "i": return .int32(pick([0, 1, -1, .max, .min, 1024]))
    case "u": return .uint32(pick([0, 1, 1000, .max]))
    case "x": return .int64(pick([0, 1, -1, .max, .min, 1_795_000_000_000_000, 1 << 53]))
    case "t": return .uint64(pick([0, 1, .max]))
    case "d": return .double(pick([0, -0.0, 1, 71.5, .nan, .infinity, -.infinity, 1e308, .leastNonzeroMagnitude]))
    case "s": return .string(text())
    case "o": return .objectPath(path())
    case "g": return .signature(signature())
    case "h": return .descriptor(descriptor)
    case "v": return .variant(deep(depth))
    case "(":
      let fields = (try? Signature(String(type.text.dropFirst().dropLast())))?.types ?? []
      return .structure(fields.map { value(of: $0, depth: depth + 1) })
    default: return array(of: String(type.text.dropFirst()), depth: depth)
    }
  }

  /// A value in many variants, or in few.
  private mutating func deep(_ depth: Int) -> Value {
    guard depth < 8, chance(3) else { return value(of: pick(["s", "x", "d", "b", "as", "(ds)"]), depth: depth + 1) }
    var inner = value(of: signature(2), depth: depth + 1)
    for _ in 0..<(chance(10) ? 40 : 2) { inner = .variant(inner) }
    return inner
  }

  private mutating func array(of element: String, depth: Int) -> Value {
    let count = depth > 2 ? 1 : chance(50) ? 3_000 : Int.random(in: 0...4, using: &generator)
    guard element.first != "{" else {
      let types = (try? Signature(String(element.dropFirst().dropLast())))?.types ?? []
      let entries = (0..<min(count, 30)).map { _ in
        DictionaryValue.Entry(key: value(of: types[0], depth: depth + 1), value: value(of: types[1], depth: depth + 1))
      }
      return (try? DictionaryValue(key: types[0], value: types[1], entries: entries)).map { .dictionary($0) }
        ?? .byte(0)
    }
    guard let type = try? Signature(element) else { return .byte(0) }
    if element == "y" { return .bytes(Array(repeating: 7, count: count)) }
    // A message passes sixteen descriptors, and no more values than a service takes.
    let most = element.contains("h") ? 1 : element.contains("a") || element.contains("v") ? min(count, 20) : count
    return .array((0..<most).map { _ in value(of: type, depth: depth + 1) }, of: type)
  }

  private mutating func text() -> String {
    let words = [
      "", "heartRate", "heartbeatSeries", "stepCount", "bodyMass", "C0:FF:EE:00:00:01", "org.sensord.Manager1",
      "Recording",
      "org.example.Game", "unnamed", "kg", "count/min", "type", "start_us", "end_us", "value", "unit", "values",
      "predicate",
      "metadata", "and", "or", "not", "samples", "quantities", "statistics", "changes", "heartbeats", "anchor", "limit",
      "every",
      "activityType", "running", "location", "indoor", "lapLength", "sensor", "lap", "marker", "recovery", "time_us",
      "m",
      "1d", "Europe/Berlin", "\u{1B}[2J\(Self.mark)", "ä\(Self.mark)", Self.mark,
    ]
    return chance(200) ? String(repeating: Self.mark, count: 20_000) : pick(words)
  }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &generator)]
  }

  private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &generator) == 0 }
}
