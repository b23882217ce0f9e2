/// What is wrong with a question for statistics.
@nonexhaustive
public enum StatisticsError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The average, minimum or maximum of quantities that add up says nothing.
  case notForCumulative(option: String, type: String)
  /// The sum of quantities that do not add up says nothing.
  case notForDiscrete(option: String, type: String)
  /// How quantities of the type are summed up is not known to this program; a later one wrote them.
  case unknownStyle(type: String)
  /// No type has that identifier; `nearest` are those that may have been meant.
  case unknownType(String, nearest: [String])
  /// The text is no interval such as `15m`, `1h`, `1d`, `2w`, `1mo`, `1y`.
  case unknownInterval(String)
  /// The interval would cut the time asked for into more buckets than can be returned.
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
