/// A record of a kind that this version does not know: a later sensord wrote it. It is passed over, and nothing is wrong with it.
public struct UnknownRecord: Hashable, Sendable {
  /// The file's name without its folder; nil where bytes were read that have none.
  public var file: String?
  /// The number of its line, from 1.
  public var record: Int
  /// The word that names its kind.
  public var kind: String

  public init(file: String? = nil, record: Int, kind: String) {
    self.file = file
    self.record = record
    self.kind = kind
  }
}

extension UnknownRecord: CustomStringConvertible {
  /// Where it stands, and what it is called.
  public var description: String {
    "\(file.map { "\($0): " } ?? "")record \(record) is of a kind that only a later sensord knows (\(kind))"
  }
}

/// Records of unknown kinds as they are found: the first hundred are kept, the rest counted.
struct UnknownRecordList {
  private(set) var first: [UnknownRecord] = []
  private(set) var count = 0

  mutating func append(_ record: UnknownRecord) {
    count += 1
    if first.count < DamageList.limit { first.append(record) }
  }
}
