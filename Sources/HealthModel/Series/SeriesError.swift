/// What is wrong with an insert into, or the finish of, a series; what was inserted before is kept.
@nonexhaustive
public enum SeriesError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The series was finished or discarded before this call.
  case finished
  /// Nothing was inserted: there is no series to save.
  case empty
  /// A quantity or a beat comes before the series' start.
  case startsBeforeSeries
  /// The interval ends before it starts.
  case endsBeforeStart
  /// The end date lies before the end of an inserted interval.
  case endsBeforeInsertedEnd
  /// The unit cannot be converted to the unit of the type.
  case incompatibleUnit(unit: String, type: String)
  /// The program does not know the type's unit or style, so it cannot add to what another program wrote.
  case unknownType(String)
  /// A correlation lacks a sample of one of its type's parts.
  case partMissing(String)
  /// A correlation holds samples that are none themselves.
  case correlationWithin
  /// The time lies outside of the years 1 to 9999.
  case timeOutOfRange
  /// The value is greater than `limit`, or less than its negative: sums of such values would be no numbers.
  case valueOutOfRange(limit: Double)
  /// The value is not a number, or infinite.
  case notFinite
  /// A recorded value is earlier than the one before it.
  case timeDecreases(index: Int)
  /// A beat is not later than the one before it.
  case timeNotIncreasing(index: Int)
  /// The beat is told since another start than the ones before it.
  case startDiffers(index: Int)
  /// The runs leave a beat out, overlap or are empty.
  case runsDoNotCoverBeats
  /// A timescale is a positive number of ticks per second.
  case invalidTimescale(Int32)
  /// The beat lies so far from its run's map, or from the beat before it, that the format cannot hold it.
  case beatOutOfRange(index: Int)

  /// One line for a person.
  public var description: String {
    switch self {
    case .finished: "the series was finished or discarded before"
    case .empty: "the series is empty"
    case .startsBeforeSeries: "a value comes before the start of its series"
    case .endsBeforeStart: "the quantity ends before it starts"
    case .endsBeforeInsertedEnd: "the series would end before one of its quantities"
    case .incompatibleUnit(let unit, let type): "\(unit) cannot be converted to the unit of \(type)"
    case .unknownType(let type): "unit or style of \(type) are not known to this program"
    case .partMissing(let type): "there is no sample of \(type) among the parts"
    case .correlationWithin: "a correlation is no part of another"
    case .timeOutOfRange: "the time lies outside of the years 1 to 9999"
    case .valueOutOfRange(let limit): "a value lies between -\(limit) and \(limit)"
    case .notFinite: "the value is no finite number"
    case .timeDecreases(let index): "value \(index) is earlier than the one before it"
    case .timeNotIncreasing(let index): "beat \(index) is not later than the one before it"
    case .startDiffers(let index): "beat \(index) is told since another start than the ones before it"
    case .runsDoNotCoverBeats: "the runs do not hold every beat once"
    case .invalidTimescale(let timescale): "\(timescale) ticks per second are no timescale"
    case .beatOutOfRange(let index): "beat \(index) is too far from its run's map or from the beat before it"
    }
  }
}
