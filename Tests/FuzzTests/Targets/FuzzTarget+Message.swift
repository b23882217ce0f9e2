@testable import BlueZ
@testable import DBus

extension FuzzTarget {
  static func readMessage(_ bytes: [UInt8]) throws(BrokenPromise) {
    guard var message = try? Message(unmarshalling: bytes) else { return }
    // What the bus would not have delivered is refused here as well; what was written reads back as the same.
    if let written = try? message.marshalled() {
      let again = try? Message(unmarshalling: written)
      try BrokenPromise.unless((try? again?.marshalled()) == written, "a message that was written is read as the same")
    }
    var tree = ObjectTree()
    _ = tree.setOwner(":1.1")
    message.sender = ":1.1"
    _ = tree.load(message)
    _ = tree.load(Message(.methodReturn))
    _ = tree.apply(message)
    message.kind = .signal
    let before = tree.devices.count
    _ = tree.apply(message)
    try BrokenPromise.unless(tree.devices.count <= before + 1, "a signal adds one device at most")
  }
}
