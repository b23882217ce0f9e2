internal import FoundationEssentials
package import HealthModel

extension ChangeSet {
  /// Lines of JSON: `{"added":…}` for each sample, `{"deleted":{"id","type","source","time"}}` for each deletion, and at last
  /// `{"anchor","hasMore"}`. An answer without its last line was cut off.
  package func appendLines(to bytes: inout [UInt8]) {
    for sample in added { JSONValue.object([.init("added", sample.json)]).appendLine(to: &bytes) }
    for object in deleted {
      let members: JSONValue = [
        "id": .string(object.id.uuidString.lowercased()), "type": .string(object.type?.identifier),
        "source": .string(object.source), "time": .string(object.deleted.iso8601()),
      ]
      JSONValue.object([.init("deleted", members)]).appendLine(to: &bytes)
    }
    let end: JSONValue = ["anchor": .string(anchor.description), "hasMore": .bool(hasMore)]
    end.appendLine(to: &bytes)
  }
}
