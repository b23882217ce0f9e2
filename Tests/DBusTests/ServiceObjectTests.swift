import DBus
import Glibc
import Testing

@Suite("Objects of a service")
struct ServiceObjectTests {
  private static let lamp = Interface(
    "org.example.Lamp1",
    methods: [
      .init("Light", in: [.init("colours", "as"), .init("options", "a{sv}")], out: [.init("level", "q")]),
      .init("Off"),
    ],
    signals: [.init("Lit", [.init("level", "q")]), .init("Dark")], properties: [.init("Level", "q")])
  private static let object = ServiceObject([lamp], children: ["bulb"])

  private func request(_ interface: String?, _ member: String, _ body: [Value] = []) -> ServiceObject.Request {
    Self.object.request(of: .call(nil, path: "/lamp", interface: interface, member: member, body: body))
  }

  private func error(_ request: ServiceObject.Request) -> String? {
    if case .answered(.error(let name, _)) = request { name } else { nil }
  }

  @Test("a call with arguments of the declared types is let through")
  func method() {
    #expect(
      request("org.example.Lamp1", "Light", [.strings(["red"]), .properties([:])])
        == .method(Self.lamp, Self.lamp.methods[0]))
    #expect(
      request("org.example.Lamp1", "Light", [.strings([]), .properties(["a": .byte(1)])])
        == .method(Self.lamp, Self.lamp.methods[0]))
    #expect(request("org.example.Lamp1", "Off") == .method(Self.lamp, Self.lamp.methods[1]))
  }

  @Test(
    "arguments of other types, too few and too many are refused, and none is in the error",
    arguments: [
      [], [Value.strings([])], [.strings([]), .properties([:]), .byte(1)], [.string("secret"), .properties([:])],
      [.array([.variant(.string("secret"))], of: "v"), .properties([:])], [.properties([:]), .strings([])],
    ])
  func arguments(body: [Value]) {
    guard case .answered(.error(let name, let message)) = request("org.example.Lamp1", "Light", body) else {
      Issue.record("let through")
      return
    }
    #expect(name == "org.freedesktop.DBus.Error.InvalidArgs")
    #expect(message == "Light takes (asa{sv})")
  }

  @Test("what is not there is refused with its own error")
  func unknown() {
    #expect(error(request("org.example.Lamp1", "Lit")) == "org.freedesktop.DBus.Error.UnknownMethod")
    #expect(error(request("org.example.Lamp2", "Off")) == "org.freedesktop.DBus.Error.UnknownInterface")
    #expect(error(request(nil, "Off")) == "org.freedesktop.DBus.Error.UnknownInterface")
  }

  @Test("properties are read by their names, all at once, and never set")
  func properties() {
    let properties = "org.freedesktop.DBus.Properties"
    func names(_ texts: String...) -> [Value] { texts.map { .string($0) } }
    #expect(request(properties, "Get", names("org.example.Lamp1", "Level")) == .property(Self.lamp, "Level"))
    #expect(request(properties, "GetAll", names("org.example.Lamp1")) == .properties(Self.lamp))
    #expect(
      error(request(properties, "Get", names("org.example.Lamp1", "Light")))
        == "org.freedesktop.DBus.Error.UnknownProperty")
    #expect(
      error(request(properties, "GetAll", names("org.example.Lamp2"))) == "org.freedesktop.DBus.Error.UnknownInterface")
    #expect(
      error(request(properties, "Set", names("org.example.Lamp1", "Level") + [.variant(.uint16(1))]))
        == "org.freedesktop.DBus.Error.PropertyReadOnly")
  }

  @Test("introspection tells every member with its arguments, and the objects below")
  func introspection() {
    guard case .answered(.values(let values)) = request("org.freedesktop.DBus.Introspectable", "Introspect"),
      let text = values.first?.string
    else {
      Issue.record("no introspection")
      return
    }
    #expect(
      text.contains(
        """
          <interface name="org.example.Lamp1">
            <method name="Light">
              <arg name="colours" type="as" direction="in"/>
              <arg name="options" type="a{sv}" direction="in"/>
              <arg name="level" type="q" direction="out"/>
            </method>
            <method name="Off"/>
            <signal name="Lit">
              <arg name="level" type="q"/>
            </signal>
            <signal name="Dark"/>
            <property name="Level" type="q" access="read">
              <annotation name="org.freedesktop.DBus.Property.EmitsChangedSignal" value="false"/>
            </property>
          </interface>
          <node name="bulb"/>
        </node>

        """))
    #expect(text.hasPrefix("<!DOCTYPE node PUBLIC"))
  }

  @Test("the bus tells who calls, and when it has gone")
  func callers() async throws {
    let fixture = try BusFixture()
    let service = try await fixture.connect()
    let client = try await fixture.connect()
    let name = await client.uniqueName
    let (gone, goes) = AsyncStream.makeStream(of: String.self)
    _ = await service.observeSignals { message in
      if let name = message.goneName { goes.yield(name) }
    }
    let known = await withCheckedContinuation { continuation in
      service.loop.execute {
        service.assumeIsolated { $0.follow(name) { continuation.resume(returning: $0) } }
      }
    }
    #expect(known?.uid == getuid())
    await client.close()
    var iterator = gone.makeAsyncIterator()
    #expect(await iterator.next() == name)
    let unknown = await withCheckedContinuation { continuation in
      service.loop.execute {
        service.assumeIsolated { $0.follow(name) { continuation.resume(returning: $0) } }
      }
    }
    #expect(unknown == nil)
  }

  @Test("only the bus can tell that somebody has gone")
  func forged() {
    var message = Message.signal(
      path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus", member: "NameOwnerChanged",
      body: [.string(":1.5"), .string(":1.5"), .string("")])
    message.sender = "org.freedesktop.DBus"
    #expect(message.goneName == ":1.5")
    message.sender = ":1.9"
    #expect(message.goneName == nil)
  }
}
