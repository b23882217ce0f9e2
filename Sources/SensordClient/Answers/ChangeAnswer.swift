import FoundationEssentials
import HealthModel

/// Changes: a line for each, and at last the anchor.
struct ChangeAnswer: AnswerDecoder {
  private var added: [HealthSample] = []
  private var deleted: [DeletedObject] = []
  private var end: (anchor: ChangeAnchor, hasMore: Bool)?

  private struct Line: Decodable {
    var added: SampleLine?
    var deleted: Deletion?
    var anchor: String?
    var hasMore: Bool?
  }

  private struct Deletion: Decodable {
    var id: UUID
    var type: String?
    var source: String?
    var time: String
  }

  mutating func decode(_ lines: ArraySlice<UInt8>) throws(ClientError) {
    for line in JSONLine.split(lines) {
      let line: Line = try JSONLine.decode(line)
      if let sample = line.added?.sample {
        added.append(sample)
      } else if let object = line.deleted {
        try append(object)
      } else if let anchor = line.anchor.flatMap({ ChangeAnchor($0) }) {
        end = (anchor, line.hasMore ?? false)
      } else {
        throw .unreadable
      }
    }
  }

  private mutating func append(_ object: Deletion) throws(ClientError) {
    guard let time = Timestamp(iso8601: object.time) else { throw .unreadable }
    let type = object.type.map {
      SampleType(identifier: $0) ?? SampleType(identifier: $0, kind: SampleKind(rawValue: "unknown"))
    }
    deleted.append(DeletedObject(id: object.id, type: type, source: object.source, deleted: time, change: 0))
  }

  consuming func finish() throws(ClientError) -> ChangeSet {
    guard let end else { throw .cutOff }
    return ChangeSet(added: added, sessions: [], deleted: deleted, anchor: end.anchor, hasMore: end.hasMore)
  }
}
