import DBus

/// One value of every type, and the awkward ones.
enum ValueSamples {
  static let all: [Value] = [
    .byte(0), .byte(255), .boolean(true), .boolean(false),
    .int16(.min), .int16(.max), .uint16(.max), .int32(.min), .int32(.max), .uint32(.max),
    .int64(.min), .int64(.max), .uint64(.max),
    .double(0), .double(-0.0), .double(.infinity), .double(.leastNonzeroMagnitude), .double(.pi),
    .string(""), .string("Puls 💓 „gemessen“"), .string("\u{1}\u{7f}\u{fffd}"),
    .string(String(repeating: "x", count: 70_000)),
    .objectPath("/"), .objectPath("/org/bluez/hci0/dev_C0_FF_EE_00_00_01"),
    .signature(""), .signature("a{oa{sa{sv}}}"),
    .bytes([]), .bytes([0]), .bytes(Array(0...255)),
    .array([], of: "s"), .array([], of: "(ss)"), .array([], of: "ay"), .array([], of: "a{sv}"), .array([], of: "x"),
    .strings(["a", "", "c"]), .objectPaths(["/a", "/b"]),
    .array([.bytes([1, 2]), .bytes([]), .bytes([3])], of: "ay"),
    .array([.int64(1), .int64(-1)], of: "x"), .array([.boolean(true), .boolean(false)], of: "b"),
    .array([.variant(.byte(1)), .variant(.string("two"))], of: "v"),
    .array([.array([.uint16(1)], of: "q"), .array([], of: "q")], of: "aq"),
    .structure([.byte(1)]), .structure([.byte(1), .int64(2), .structure([.string("in")]), .bytes([4])]),
    .array([.structure([.byte(1), .double(2)]), .structure([.byte(3), .double(4)])], of: "(yd)"),
    .variant(.uint32(7)), .variant(.variant(.variant(.string("deep")))), .variant(.bytes([9, 8])),
    .properties([:]), .properties(["Name": .string("strap"), "RSSI": .int16(-60), "UUIDs": .strings(["180d"])]),
    dictionary("y", "s", [(.byte(2), .string("two")), (.byte(1), .string("one")), (.byte(2), .string("again"))]),
    dictionary(
      "o", "a{sa{sv}}", [(.objectPath("/a"), dictionary("s", "a{sv}", [(.string("i"), .properties(["k": .byte(1)]))]))]),
    dictionary("t", "(ay)", [(.uint64(1), .structure([.bytes([1])]))]),
  ]

  static func dictionary(_ key: Signature, _ value: Signature, _ entries: [(Value, Value)]) -> Value {
    // swift-format-ignore: NeverUseForceTry
    .dictionary(try! DictionaryValue(key: key, value: value, entries: entries.map { .init(key: $0.0, value: $0.1) }))
  }

  /// 32 arrays with 32 structs inside: the deepest that a signature allows.
  static var deepestSignature: Value {
    var value = Value.byte(7)
    var type = "y"
    for _ in 0..<32 {
      value = .structure([value])
      type = "(\(type))"
    }
    for _ in 0..<32 {
      // swift-format-ignore: NeverUseForceTry
      value = .array([value], of: try! Signature(type))
      type = "a\(type)"
    }
    return value
  }

  static func variants(_ count: Int) -> Value {
    var value = Value.byte(7)
    for _ in 0..<count { value = .variant(value) }
    return value
  }
}
