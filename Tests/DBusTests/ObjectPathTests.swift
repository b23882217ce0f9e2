import DBus
import Testing

@Suite("ObjectPath")
struct ObjectPathTests {
  @Test("elements of letters, digits and underscores are a path", arguments: ["/", "/a", "/org/bluez/hci0", "/_/0/Z9"])
  func valid(text: String) {
    #expect(ObjectPath(text)?.text == text)
  }

  @Test(
    "anything else is none", arguments: ["", "a", "a/b", "//", "/a/", "/a//b", "/a-b", "/a.b", "/ä", "/a\0", " /a"])
  func invalid(text: String) {
    #expect(ObjectPath(text) == nil)
  }

  @Test("parent, last element and descent follow the slashes")
  func hierarchy() {
    let path: ObjectPath = "/org/bluez"
    #expect(path.parent == "/org")
    #expect(path.parent?.parent == .root)
    #expect(ObjectPath.root.parent == nil)
    #expect(path.lastElement == "bluez")
    #expect(ObjectPath.root.lastElement == "")
    #expect(path.isDescendant(of: "/org"))
    #expect(path.isDescendant(of: .root))
    #expect(!path.isDescendant(of: path))
    #expect(!path.isDescendant(of: "/or"))
    #expect(!ObjectPath.root.isDescendant(of: .root))
    #expect(path.appending("hci0") == "/org/bluez/hci0")
    #expect(ObjectPath.root.appending("org") == "/org")
    #expect(path.appending("") == nil)
    #expect(path.appending("a/b") == "/org/bluez/a/b")
  }
}
