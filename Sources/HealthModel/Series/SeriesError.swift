/// Why a series does not accept an insertion, or cannot be finished. What was inserted before is kept.
@nonexhaustive
public enum SeriesError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The series was finished or discarded before this call.
  case finished
  /// The series has no values, so there is nothing to save.
  case empty
  /// A quantity or a beat comes before the series' start.
  case startsBeforeSeries
  /// The interval ends before it starts.
  case endsBeforeStart
  /// The end date lies before the end of an inserted interval.
  case endsBeforeInsertedEnd
  /// The unit cannot be converted to the unit of the type.
  case incompatibleUnit(unit: String, type: String)
  /// The type's unit or style is unknown to this program, so it cannot add values.
  case unknownType(String)
  /// A correlation lacks a sample of one of its type's parts.
  case partMissing(String)
  /// A correlation contains another correlation.
  case correlationWithin
  /// The time lies outside of the years 1 to 9999.
  case timeOutOfRange
  /// The magnitude of the value exceeds `limit`: sums of such values could overflow.
  case valueOutOfRange(limit: Double)
  /// The value is not a number, or infinite.
  case notFinite
  /// A recorded value is earlier than the one before it.
  case timeDecreases(index: Int)
  /// A beat is not later than the one before it.
  case timeNotIncreasing(index: Int)
  /// The beat is given relative to another start than the ones before it.
  case startDiffers(index: Int)
  /// The runs leave a beat out, overlap or are empty.
  case runsDoNotCoverBeats
  /// A timescale must be a positive number of ticks per second.
  case invalidTimescale(Int32)
  /// The beat is too far from its run's map, or from the previous beat, for the format.
  case beatOutOfRange(index: Int)
  /// The route of a workout breaks a rule.
  case invalidRoute(WorkoutRouteError)
  /// An audiogram breaks a rule.
  case invalidAudiogram(AudiogramError)
  /// A prescription breaks a rule.
  case invalidPrescription(VisionPrescriptionError)

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
    case .startDiffers(let index): "beat \(index) is given from another start than the ones before it"
    case .runsDoNotCoverBeats: "the runs do not hold every beat once"
    case .invalidTimescale(let timescale): "\(timescale) ticks per second are no timescale"
    case .invalidRoute(let error): error.description
    case .invalidAudiogram(let error): error.description
    case .invalidPrescription(let error): error.description
    case .beatOutOfRange(let index): "beat \(index) is too far from its run's map or from the beat before it"
    }
  }
}
