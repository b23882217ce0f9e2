package import DBus
import FoundationEssentials
package import HealthModel

/// An entry of the answer of `Grants1.List`, written and read.
extension GrantEntry {
  /// As an `a{sv}`.
  package var value: Value {
    var values: [String: Value] = [
      "uid": .uint32(client.uid), "application": .string(client.application), "type": .string(type),
      "permission": .string(permission.rawValue), "decision": .string(word), "configured": .boolean(isConfigured),
    ]
    values["decided_us"] = decided.map { .int64($0.microseconds) }
    if isByObject { values["by_object"] = .boolean(true) }
    if let object {
      values["object"] = .string(object.id.uuidString.lowercased())
      values["start_us"] = object.start.map { .int64($0.microseconds) }
      values["source"] = object.source.map { .string($0) }
      values["title"] = object.title.map { .string($0) }
    }
    return .properties(values)
  }

  /// Nil where the value is no entry. Keys of a later recorder are passed over.
  package init?(_ value: Value) {
    guard let values = value.properties, let uid = values["uid"]?.uint32,
      let application = values["application"]?.string, let type = values["type"]?.string,
      let permission = values["permission"]?.string.flatMap({ Permission(rawValue: $0) })
    else { return nil }
    self.init(
      client: ClientIdentity(uid: uid, application: application), type: type, permission: permission,
      decision: Grant.Decision(rawValue: values["decision"]?.string ?? ""),
      decided: values["decided_us"]?.int64.map { Timestamp(microseconds: $0) },
      isConfigured: values["configured"]?.boolean ?? false)
    isByObject = values["by_object"]?.boolean ?? false
    object = values["object"]?.string.flatMap { UUID(uuidString: $0) }.map { id in
      RequestedObject(
        id: id, start: values["start_us"]?.int64.map { Timestamp(microseconds: $0) }, source: values["source"]?.string,
        title: values["title"]?.string)
    }
  }
}
