import DBus
import HealthModel

@testable import RecorderBus

extension FuzzTarget {
  private static let door = ServiceObject(ClientInterfaces.all)

  /// A call of the door, and each of its arguments as everything that an argument can be.
  static func readCall(_ bytes: [UInt8]) throws(BrokenPromise) {
    guard var call = try? Message(unmarshalling: bytes) else { return }
    call.kind = .methodCall
    if case .method(let interface, let method) = door.request(of: call) {
      try BrokenPromise.unless(
        call.interface == interface.name && call.member == method.name, "a call means what it names")
      let types = call.body.compactMap { try? $0.type.text }.joined()
      let declared = method.inputs.map(\.type.text).joined()
      try BrokenPromise.unless(types == declared, "a call that is let through has the declared arguments")
    }
    let values = call.body + call.body.flatMap { $0.array ?? [] }
    for value in values {
      for kind in ["samples", "quantities", "heartbeats", "statistics", "changes"] {
        guard let query = try? ClientQuery(kind: kind, value, zone: { try? TimeZoneRules(rule: $0) }) else { continue }
        try BrokenPromise.unless(query.kind == kind, "a query is of the kind that was asked for")
      }
      _ = try? SampleDraft(value)
      _ = MetadataValue(value)
      _ = try? Device(value)
      if let predicate = try? SamplePredicate(value) {
        // As bytes: a number that is none is equal to nothing.
        let written = try? Message(.methodReturn, body: [predicate.value]).sample()
        let again = (try? SamplePredicate(predicate.value)).flatMap {
          try? Message(.methodReturn, body: [$0.value]).sample()
        }
        try BrokenPromise.unless(written == again, "a predicate that was written is read as the same")
      }
    }
  }
}

extension Message {
  /// As bytes, as the answer of some call.
  fileprivate func sample() throws(DBusError) -> [UInt8] {
    var message = self
    message.replySerial = 1
    return try message.marshalled()
  }
}
