internal import HealthModel

/// Names of TCX (Garmin's schema TrainingCenterDatabase, version 2).
enum TCXNames {
  static let space = "http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"

  /// The schema has three sports.
  static func sport(_ activity: WorkoutActivityType?) -> String {
    switch activity?.description {
    case "running": "Running"
    case "cycling": "Biking"
    default: "Other"
    }
  }

  /// The activity of a sport; nil for one that says nothing.
  static func activity(_ sport: String) -> WorkoutActivityType? {
    switch sport {
    case "Running": WorkoutActivityType("running")
    case "Biking": WorkoutActivityType("cycling")
    default: nil
    }
  }
}
