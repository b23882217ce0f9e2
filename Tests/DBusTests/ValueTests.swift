import DBus
import Testing

/// Values through libdbus's marshalling, without a bus.
@Suite("Value")
struct ValueTests {
  private static func roundTrip(_ body: [Value]) throws -> [Value] {
    try Message(unmarshalling: message(body).marshalled()).body
  }

  private static func message(_ body: [Value]) -> Message {
    .signal(path: "/a", interface: "a.b", member: "C", body: body)
  }

  private static func errorCode(_ body: [Value]) -> DBusError.Code? {
    do throws(DBusError) {
      _ = try message(body).marshalled()
      return nil
    } catch {
      return error.code
    }
  }

  @Test("a value of every type comes back as it was", arguments: ValueSamples.all)
  func everyType(value: Value) throws {
    #expect(try Self.roundTrip([value]) == [value])
    #expect(try Self.roundTrip([.byte(1), .variant(value), .byte(2)]) == [.byte(1), .variant(value), .byte(2)])
  }

  @Test("all of them come back from one body, whatever their alignment")
  func oneBody() throws {
    let body = ValueSamples.all.map { Value.structure([.byte(1), .variant($0)]) }
    let array = Value.array(body, of: "(yv)")
    #expect(try Self.roundTrip([array]) == [array])
  }

  @Test("an array of bytes that was put together singly arrives as bytes")
  func singleBytes() throws {
    let value = Value.array([.byte(1), .byte(2)], of: "y")
    #expect(try Self.roundTrip([value]) == [.bytes([1, 2])])
    #expect(value.bytes == [1, 2])
  }

  @Test("a body may be empty")
  func emptyBody() throws {
    #expect(try Self.roundTrip([]) == [])
  }

  @Test("32 arrays around 32 structs come back, and so do 64 variants")
  func deepest() throws {
    #expect(try Self.roundTrip([ValueSamples.deepestSignature]) == [ValueSamples.deepestSignature])
    #expect(try Self.roundTrip([ValueSamples.variants(64)]) == [ValueSamples.variants(64)])
  }

  @Test("deeper nesting is an error and nothing else")
  func tooDeep() {
    #expect(Self.errorCode([.variant(ValueSamples.deepestSignature)]) == .nestedTooDeeply)
    #expect(Self.errorCode([.structure([ValueSamples.deepestSignature])]) == .nestedTooDeeply)
    for count in [65, 66, 1_000] { #expect(Self.errorCode([ValueSamples.variants(count)]) == .nestedTooDeeply) }
    var structs = Value.byte(0)
    for _ in 0..<33 { structs = .structure([structs]) }
    #expect(Self.errorCode([structs]) == .nestedTooDeeply)
    for _ in 0..<1_000 { structs = .structure([structs]) }
    #expect(Self.errorCode([structs]) == .nestedTooDeeply)
  }

  @Test(
    "a value that contradicts its container is an error, not the end of the process",
    arguments: [
      .array([.string("a"), .byte(1)], of: "s"), .array([.byte(1)], of: "v"), .array([], of: ""),
      .array([.string("a")], of: "ss"), .array([], of: "ss"), .structure([]), .array([.structure([])], of: "(s)"),
      .array([.structure([.byte(1)])], of: "(ys)"), .array([.structure([.byte(1), .byte(2)])], of: "(y)"),
      .array([.array([.byte(1)], of: "n")], of: "an"), .array([.properties([:])], of: "a{ss}"),
      .array([.array([], of: "s")], of: "ay"), .array([.bytes([])], of: "as"),
      ValueSamples.dictionary("s", "v", [(.byte(1), .variant(.byte(1)))]),
      ValueSamples.dictionary("s", "v", [(.string("k"), .byte(1))]),
      .string("a\0b"), .variant(.string("\0")), .variant(.structure([])),
    ] as [Value])
  func wrongTypes(value: Value) {
    #expect(Self.errorCode([value]) == .invalid)
  }

  @Test("a dictionary's key is of a basic type and its value one complete type")
  func dictionaryTypes() throws {
    for (key, value) in [
      ("v", "s"), ("ay", "s"), ("(s)", "s"), ("s", ""), ("s", "ss"), ("", "s"), ("ss", "s"), ("s}a{s", "s"),
    ] {
      #expect(throws: DBusError.self) { try DictionaryValue(key: Signature(key), value: Signature(value)) }
    }
    let dictionary = try DictionaryValue(key: "q", value: "a{sv}")
    #expect(dictionary.keyType == "q")
    #expect(dictionary.valueType == "a{sv}")
  }

  @Test("a body of more than 32 MiB, and one with too long a signature, is refused")
  func tooLarge() {
    #expect(Self.errorCode([.bytes([UInt8](repeating: 1, count: 32 << 20))]) == .tooLarge)
    #expect(Self.errorCode([Value](repeating: .byte(1), count: 256)) == .invalid)
    #expect(Self.errorCode([Value](repeating: .byte(1), count: 255)) == nil)
  }

  @Test("the type of a value is what its body's signature says")
  func types() throws {
    #expect(try Value.properties(["a": .byte(1)]).type == "a{sv}")
    #expect(try Value.structure([.byte(1), .strings([]), .variant(.byte(1))]).type == "(yasv)")
    #expect(try Value.bytes([]).type == "ay")
  }

  @Test("accessors look through variants and refuse other types")
  func accessors() {
    #expect(Value.variant(.variant(.string("a"))).string == "a")
    #expect(Value.string("a").uint32 == nil)
    #expect(Value.variant(.uint16(5)).integer == 5)
    #expect(Value.uint64(.max).integer == nil)
    #expect(Value.strings(["a"]).strings == ["a"])
    #expect(Value.strings([]).objectPaths == nil)
    #expect(Value.properties(["Name": .string("n")]).properties == ["Name": .string("n")])
    #expect(Value.properties(["Name": .string("n")]).dictionary?["Name"] == .string("n"))
    #expect(Value.properties([:]).dictionary?["Name"] == nil)
    #expect(Value.strings([]).properties == nil)
  }
}
