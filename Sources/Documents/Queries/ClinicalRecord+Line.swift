internal import FoundationEssentials
package import HealthModel

extension ClinicalRecord {
  /// The line of the answer to a query of a clinical record, with its document in Base64: its bytes are to stay what they are.
  package var line: JSONValue {
    var members: [JSONValue.Member] = [
      .init("type", .string(type.identifier)), .init("name", .string(displayName)),
      .init("resourceType", .string(resource.resourceType)),
    ]
    let optional = [
      ("identifier", resource.identifier), ("fhirVersion", resource.fhirVersion), ("sourceURL", resource.sourceURL),
    ]
    for (key, text) in optional { if let text { members.append(.init(key, .string(text))) } }
    members.append(.init("data", .string(Data(resource.data).base64EncodedString())))
    return .object(members)
  }
}
