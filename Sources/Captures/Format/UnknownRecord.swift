/// A record of a kind that this version does not know, from a later sensord. It is skipped and is no damage.
public struct UnknownRecord: Hashable, Sendable {
  /// The file's name without its folder; nil if bytes without a file were read.
  public var file: String?
  /// The number of its line, from 1.
  public var record: Int
  /// The name of its kind.
  public var kind: String

  public init(file: String? = nil, record: Int, kind: String) {
    self.file = file
    self.record = record
    self.kind = kind
  }
}

extension UnknownRecord: CustomStringConvertible {
  /// Its place and kind.
  public var description: String {
    "\(file.map { "\($0): " } ?? "")record \(record) is of a kind that only a later sensord knows (\(kind))"
  }
}

/// Collected records of unknown kinds: the first hundred are kept, the rest only counted.
struct UnknownRecordList {
  private(set) var first: [UnknownRecord] = []
  private(set) var count = 0

  mutating func append(_ record: UnknownRecord) {
    count += 1
    if first.count < DamageList.limit { first.append(record) }
  }
}
