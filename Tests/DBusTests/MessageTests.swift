import DBus
import Testing

@Suite("Message")
struct MessageTests {
  @Test("the header comes back as it was")
  func header() throws {
    var call = Message.call("org.bluez", path: "/org/bluez", interface: "org.bluez.Adapter1", member: "StartDiscovery")
    call.serial = 77
    call.noReply = true
    call.noAutoStart = true
    #expect(try Message(unmarshalling: call.marshalled()) == call)

    call.sender = ":1.5"
    var reply = call.reply([.byte(1)])
    reply.serial = 3
    #expect(reply.destination == ":1.5")
    #expect(try Message(unmarshalling: reply.marshalled()) == reply)

    var refusal = call.errorReply("org.bluez.Error.Failed", "Not connected")
    refusal.serial = 4
    #expect(refusal.replySerial == 77)
    #expect(try Message(unmarshalling: refusal.marshalled()) == refusal)
  }

  @Test("an invalid name is an error before libdbus gets it")
  func names() {
    let good = Message.call("org.bluez", path: "/a", interface: "a.b", member: "C")
    var bad: [Message] = []
    for name in ["", "a", "a b.c", "a..b", ".a.b", "a.b\0", String(repeating: "a.", count: 200)] {
      var message = good
      message.interface = name
      bad.append(message)
      message = good
      message.destination = name
      bad.append(message)
    }
    for name in ["", "a.b", "a b", "ä", "A\0"] {
      var message = good
      message.member = name
      bad.append(message)
    }
    var message = good
    message.path = nil
    bad.append(message)
    message = good
    message.member = nil
    bad.append(message)
    bad.append(.signal(path: "/org/freedesktop/DBus/Local", interface: "a.b", member: "C"))
    bad.append(.signal(path: "/a", interface: "org.freedesktop.DBus.Local", member: "Disconnected"))
    bad.append(Message(.methodReturn))
    bad.append(Message(.error))
    for message in bad {
      let error = #expect(throws: DBusError.self) { _ = try message.marshalled() }
      #expect(error?.code == .invalid)
    }
  }

  @Test("every truncation of a message is refused")
  func truncations() throws {
    let bytes = try Message.signal(
      path: "/a", interface: "a.b", member: "C", body: [.properties(["k": .bytes([1, 2, 3])])]
    )
    .marshalled()
    for count in bytes.indices {
      #expect(throws: DBusError.self) { try Message(unmarshalling: Array(bytes.prefix(count))) }
    }
  }

  @Test("a message with any one byte changed is read or refused, never a crash")
  func mutations() throws {
    let body: [Value] = [
      .properties(["k": .bytes([1, 2, 3]), "l": .strings(["x", "y"])]), .structure([.boolean(true), .double(1)]),
    ]
    let bytes = try Message.signal(path: "/a", interface: "a.b", member: "C", body: body).marshalled()
    var refused = 0
    for index in bytes.indices {
      for value in stride(from: 0, through: 255, by: 5) {
        var mutant = bytes
        mutant[index] = UInt8(value)
        if (try? Message(unmarshalling: mutant)) == nil { refused += 1 }
      }
    }
    #expect(refused > 0)
  }

  @Test("a message in the other byte order is read")
  func bigEndian() throws {
    // A signal as a big-endian machine sends it: body u 0x01020304.
    var bytes: [UInt8] = [0x42, 4, 0, 1, 0, 0, 0, 4, 0, 0, 0, 9, 0, 0, 0, 44]
    bytes += [1, 1, 0x6F, 0, 0, 0, 0, 2, 0x2F, 0x61, 0, 0, 0, 0, 0, 0]  // path /a
    bytes += [2, 1, 0x73, 0, 0, 0, 0, 3, 0x61, 0x2E, 0x62, 0, 0, 0, 0, 0]  // interface a.b
    bytes += [3, 1, 0x73, 0, 0, 0, 0, 1, 0x43, 0, 0, 0, 0, 0, 0, 0]  // member C
    bytes += [8, 1, 0x67, 0, 1, 0x75, 0, 0]  // signature u
    bytes += [1, 2, 3, 4]
    bytes[15] = 55
    let message = try Message(unmarshalling: bytes)
    #expect(message.isSignal("a.b", "C"))
    #expect(message.serial == 9)
    #expect(message.body == [.uint32(0x0102_0304)])
  }

  @Test("a match rule is written as the bus reads it, apostrophes escaped")
  func matchRule() {
    #expect(MatchRule().text == "type='signal'")
    #expect(MatchRule(kind: nil).text == "")
    #expect(
      MatchRule(
        sender: "org.bluez", interface: "a.b", member: "C", path: "/a", pathNamespace: "/b", firstArgument: "it's"
      ).text
        == #"type='signal',sender='org.bluez',interface='a.b',member='C',path='/a',path_namespace='/b',arg0='it'\''s'"#)
  }
}
