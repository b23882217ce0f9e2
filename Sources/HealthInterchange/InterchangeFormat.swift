/// The formats in which recordings leave and come in. The raw values are what people and programs ask by.
package enum InterchangeFormat: String, Hashable, Sendable, CaseIterable {
  /// Garmin's and ANT+'s activity file: rates, intervals, laps and pauses, to the second.
  case fit
  /// Garmin's XML of the Training Center: rates.
  case tcx
  /// A line for each interval, in milliseconds: what Kubios and Elite HRV read and write.
  case rr
  /// The CSV of the app HRV Logger: each interval with its time.
  case hrvlogger
  /// WFDB's header and annotations: each beat at its time, a note at each gap.
  case wfdb
  /// EDF+C: rates as a signal of one a second, beats and gaps as annotations.
  case edf
  /// Open mHealth's data points: rates and intervals.
  case omh
  /// A FHIR Bundle: rates of each second, SDNN, a workout.
  case fhir
  /// Apple Health's `export.xml`: rates of each second, beats, workouts.
  case apple
}
