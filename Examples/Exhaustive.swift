// Must not compile: each of these switches names every case that there is today, and a later version may have more.
// Examples/check counts the refusals.
import HealthModel
import SeriesStore

func name(_ value: MetadataValue) -> String {
  switch value {
  case .text: "text"
  case .integer: "integer"
  case .real: "real"
  case .flag: "flag"
  case .time: "time"
  case .quantity: "quantity"
  }
}

func name(_ policy: WeightingPolicy) -> String {
  switch policy {
  case .ownDuration: "own duration"
  case .holdLast: "hold last"
  case .trapezoid: "trapezoid"
  }
}

func name(_ outcome: CommitOutcome) -> String {
  switch outcome {
  case .stored: "stored"
  case .replaced: "replaced"
  case .unchanged: "unchanged"
  case .deletedBefore: "deleted before"
  }
}

func isOfTheFile(_ code: StoreError.Code) -> Bool {
  switch code {
  case .missing, .notADatabase, .newerVersion, .olderVersion, .locked, .cannotCreate, .permission, .full, .io,
    .corrupt, .foreignDeclaration, .tooMuchWork, .cannotObserve:
    true
  case .notFound, .ambiguous, .invalid, .attachment, .foreignAnchor, .lostAnchor, .tooComplex, .cancelled, .closed,
    .statement:
    false
  }
}

func name(_ form: SamplePredicate.Form) -> String {
  switch form {
  case .all, .type, .time, .source, .device, .session, .identifier, .part, .basis, .collected, .value: "sample"
  case .workout, .workoutActivity: "workout"
  case .hasMetadata, .metadata, .quantity, .moment, .length, .count: "comparison"
  case .and, .or, .not: "combination"
  }
}

func name(_ form: WorkoutPredicate.Form) -> String {
  switch form {
  case .all, .activityType, .time, .start, .end, .duration, .statistic: "condition"
  case .and, .or, .not: "combination"
  }
}

func isOfLiveCalls(_ error: WorkoutError) -> Bool {
  switch error {
  case .endsBeforeStart, .timeOutOfRange, .invalidLapLength, .eventOutside, .unknownEvent, .lapsOverlap,
    .activityOutside, .activitiesOverlap, .activityTwice, .activityType, .tooManyEvents, .tooManyActivities:
    false
  case .notBegun, .alreadyBegun, .notEnded, .alreadyEnded, .finished, .notPossible, .timeGoesBack, .noActivity,
    .eventOfSession:
    true
  }
}

func name(_ figure: SamplePredicate.QuantityFigure) -> String {
  switch figure {
  case .sum, .average, .minimum, .maximum, .mostRecent: figure.rawValue
  }
}

func name(_ figure: SamplePredicate.TimeFigure) -> String {
  switch figure {
  case .start, .end, .mostRecentStart, .mostRecentEnd: figure.rawValue
  }
}

func name(_ figure: SamplePredicate.DurationFigure) -> String {
  switch figure {
  case .duration, .mostRecentDuration: figure.rawValue
  }
}

func name(_ key: SampleQuery.Order.Key) -> String {
  switch key {
  case .start, .end, .count, .change: key.rawValue
  }
}
