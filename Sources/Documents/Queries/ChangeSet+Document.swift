internal import FoundationEssentials
package import HealthModel

extension ChangeSet {
  /// Lines of JSON: `{"added":…}` for each sample, `{"deleted":{"id","type","source","time"}}` for each deletion, and at last
  /// `{"anchor","hasMore"}`. An answer without its last line was cut off.
  package func appendLines(to bytes: inout [UInt8]) {
    for sample in added { Self.append(["added": sample.json], to: &bytes) }
    for object in deleted {
      let members: JSONValue = [
        "id": .string(object.id.uuidString.lowercased()), "type": .string(object.type?.identifier),
        "source": .string(object.source), "time": .string(object.deleted.iso8601()),
      ]
      Self.append(["deleted": members], to: &bytes)
    }
    Self.append(["anchor": .string(anchor.description), "hasMore": .bool(hasMore)], to: &bytes)
  }

  private static func append(_ line: JSONValue, to bytes: inout [UInt8]) {
    line.write(to: &bytes)
    bytes.append(UInt8(ascii: "\n"))
  }
}
