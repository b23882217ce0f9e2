package import DBus
import FoundationEssentials
package import HealthModel

extension Attachment {
  /// As it stands in the answer of `List`.
  package var value: Value {
    .properties([
      "id": .string(id.uuidString.lowercased()), "object": .string(object.uuidString.lowercased()),
      "name": .string(name), "type": .string(contentType.rawValue), "size": .int64(Int64(size)),
      "sha256": .string(digest), "added_us": .int64(added.microseconds), "metadata": metadata.value,
    ])
  }

  /// Nil for what is none. Keys of a later recorder are not looked at.
  package init?(_ value: Value) {
    guard let values = value.properties, let id = values["id"]?.string.flatMap({ UUID(uuidString: $0) }),
      let object = values["object"]?.string.flatMap({ UUID(uuidString: $0) }), let name = values["name"]?.string,
      let type = values["type"]?.string, let size = values["size"]?.int64, size >= 0,
      let digest = values["sha256"]?.string, let added = values["added_us"]?.int64,
      let metadata = values["metadata"].flatMap({ try? Metadata($0) })
    else { return nil }
    self.init(
      id: id, object: object, name: name, contentType: AttachmentContentType(rawValue: type), size: Int(size),
      digest: digest, added: Timestamp(microseconds: added), metadata: metadata)
  }
}
