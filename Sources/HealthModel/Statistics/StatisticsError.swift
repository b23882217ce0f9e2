/// Why statistics cannot be computed.
@nonexhaustive
public enum StatisticsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Average, minimum and maximum are not meaningful for quantities that add up.
  case notForCumulative(option: String, type: String)
  /// The sum is not meaningful for quantities that do not add up.
  case notForDiscrete(option: String, type: String)
  /// The type's aggregation style is unknown to this program; a later version wrote it.
  case unknownStyle(type: String)
  /// No type has that identifier; `nearest` are similar identifiers.
  case unknownType(String, nearest: [String])
  /// The text is not an interval such as `15m`, `1h`, `1d`, `2w`, `1mo`, `1y`.
  case unknownInterval(String)
  /// The interval would divide the time into more buckets than can be returned.
  case tooManyBuckets(limit: Int)
  /// A bucket ends before it starts.
  case emptyRange

  /// One line for a person.
  public var description: String {
    switch self {
    case .notForCumulative(let option, let type): "\(option) does not go with \(type), whose quantities add up: use sum"
    case .notForDiscrete(let option, let type): "\(option) does not go with \(type), which is no amount: use average"
    case .unknownStyle(let type): "how \(type) is summed up is not known to this program: use a newer one"
    case .unknownType(let name, let nearest):
      nearest.isEmpty
        ? "there is no quantity type '\(name)'"
        : "there is no quantity type '\(name)'; did you mean \(nearest.joined(separator: ", or "))?"
    case .unknownInterval(let text): "\(text) is no interval; use 15m, 1h, 1d, 1w, 1mo or 1y, with any whole number"
    case .tooManyBuckets(let limit): "that would be more than \(limit) intervals; use longer ones or a shorter time"
    case .emptyRange: "the time asked for ends before it starts"
    }
  }
}
