internal import HealthModel

/// FIT's sports and sub-sports in HealthKit's activities, both ways. The first of several is written.
enum FITSports {
  /// A kind of exercise: what HealthKit has of it, and the names in FIT.
  struct Kind: Hashable {
    var activity: WorkoutActivityType
    var location = WorkoutSessionLocation.unknown
    var swimmingLocation = WorkoutSwimmingLocation.unknown
    /// `cycling/gravel_cycling`.
    var name: String
  }

  private static let sports: [(sport: UInt64, name: String, activity: String)] = [
    (1, "running", "running"), (2, "cycling", "cycling"), (3, "transition", "transition"),
    (4, "fitness_equipment", "elliptical"), (5, "swimming", "swimming"), (6, "basketball", "basketball"),
    (7, "soccer", "soccer"), (8, "tennis", "tennis"), (9, "american_football", "americanFootball"),
    (10, "training", "traditionalStrengthTraining"), (11, "walking", "walking"),
    (12, "cross_country_skiing", "crossCountrySkiing"), (13, "alpine_skiing", "downhillSkiing"),
    (14, "snowboarding", "snowboarding"), (15, "rowing", "rowing"), (17, "hiking", "hiking"),
    (18, "multisport", "swimBikeRun"), (19, "paddling", "paddleSports"), (25, "golf", "golf"),
    (27, "horseback_riding", "equestrianSports"), (29, "fishing", "fishing"), (31, "rock_climbing", "climbing"),
    (32, "sailing", "sailing"), (33, "ice_skating", "skatingSports"), (38, "surfing", "surfingSports"),
    (47, "boxing", "boxing"), (62, "hiit", "highIntensityIntervalTraining"), (16, "mountaineering", "hiking"),
    (21, "e_biking", "cycling"), (28, "hunting", "hunting"), (30, "inline_skating", "skatingSports"),
    (35, "snowshoeing", "snowSports"), (37, "stand_up_paddleboarding", "paddleSports"),
    (40, "water_skiing", "waterSports"), (41, "kayaking", "paddleSports"), (42, "rafting", "paddleSports"),
    (43, "windsurfing", "surfingSports"), (44, "kitesurfing", "surfingSports"), (48, "floor_climbing", "stairs"),
    (49, "baseball", "baseball"), (53, "diving", "underwaterDiving"), (58, "winter_sport", "snowSports"),
    (63, "video_gaming", "fitnessGaming"), (65, "wheelchair_push_walk", "wheelchairWalkPace"),
    (66, "wheelchair_push_run", "wheelchairRunPace"), (67, "meditation", "mindAndBody"),
    (69, "disc_golf", "discSports"), (71, "cricket", "cricket"), (72, "rugby", "rugby"), (73, "hockey", "hockey"),
    (74, "lacrosse", "lacrosse"), (75, "volleyball", "volleyball"), (78, "water_sport", "waterSports"),
    (79, "archery", "archery"), (80, "mixed_martial_arts", "martialArts"), (82, "snorkeling", "waterSports"),
    (83, "dance", "cardioDance"), (84, "jump_rope", "jumpRope"), (86, "mobility", "flexibility"),
    (88, "canoeing", "paddleSports"),
  ]

  /// Sub-sports that say more of the activity than their sport.
  private static let subSports: [UInt64: String] = [
    12: "handCycling", 14: "rowing", 15: "elliptical", 16: "stairClimbing", 19: "flexibility",
    20: "traditionalStrengthTraining", 26: "mixedCardio", 27: "walking", 43: "yoga", 44: "pilates", 45: "running",
    70: "highIntensityIntervalTraining", 73: "highIntensityIntervalTraining", 74: "highIntensityIntervalTraining",
    75: "highIntensityIntervalTraining", 84: "pickleball", 88: "handCycling", 94: "squash", 95: "badminton",
    96: "racquetball", 97: "tableTennis",
  ]
  private static let indoor: Set<UInt64> = [1, 5, 6, 14, 15, 16, 25, 27, 45, 58, 68, 71, 86, 87, 88]
  private static let outdoor: Set<UInt64> = [2, 3, 7, 8, 9, 11, 18, 29, 37, 38, 41, 46, 47, 48, 49]

  /// The sport of an activity: generic for an activity that FIT does not have.
  static func sport(_ activity: WorkoutActivityType?) -> UInt64 {
    guard let name = activity?.description else { return 0 }
    return sports.first { $0.activity == name }?.sport ?? 0
  }

  /// The kind of a sport with a sub-sport; nil where neither is known.
  static func kind(_ sport: UInt64, _ subSport: UInt64?) -> Kind? {
    let known = sports.first { $0.sport == sport }
    let sub = subSport.flatMap { FITNames.subSports[$0] }
    // A treadmill among the equipment of a gym.
    let special = sport == 4 && subSport == 1 ? "running" : subSport.flatMap { subSports[$0] }
    guard let name = special ?? known?.activity, let activity = WorkoutActivityType(name) else { return nil }
    var kind = Kind(activity: activity, name: [known?.name ?? "sport \(sport)", sub].compactMap { $0 }.joined(separator: "/"))
    if let subSport {
      if indoor.contains(subSport) { kind.location = .indoor }
      if outdoor.contains(subSport) { kind.location = .outdoor }
      if activity == .swimming { kind.swimmingLocation = subSport == 17 ? .pool : subSport == 18 ? .openWater : .unknown }
    }
    return kind
  }

  /// The activity of a sport's name, as programs write it: `Running`, `Virtual Ride`, Strava's numbers in GPX; nil for others.
  static func activity(named text: String) -> WorkoutActivityType? {
    let word = text.lowercased().filter { $0.isLetter || $0.isNumber }
    if let name = words[word] { return WorkoutActivityType(name) }
    return sports.first { $0.name.replacing("_", with: "") == word || $0.activity.lowercased() == word }
      .flatMap { WorkoutActivityType($0.activity) }
  }

  private static let words: [String: String] = [
    "run": "running", "trailrun": "running", "trailrunning": "running", "treadmill": "running", "jogging": "running",
    "virtualrun": "running", "9": "running", "ride": "cycling", "bike": "cycling", "biking": "cycling",
    "virtualride": "cycling", "mountainbiking": "cycling", "roadbiking": "cycling", "ebikeride": "cycling",
    "racebike": "cycling", "mtb": "cycling", "1": "cycling", "bicycle": "cycling", "walk": "walking", "10": "walking",
    "hike": "hiking", "4": "hiking", "swim": "swimming", "openwaterswimming": "swimming", "16": "swimming",
    "row": "rowing", "kayak": "paddleSports", "nordicski": "crossCountrySkiing", "7": "crossCountrySkiing",
    "xcskiing": "crossCountrySkiing", "skiing": "downhillSkiing", "alpineski": "downhillSkiing",
    "snowboard": "snowboarding", "inlineskate": "skatingSports", "skating": "skatingSports",
    "inlineskating": "skatingSports", "strengthtraining": "traditionalStrengthTraining",
    "weighttraining": "traditionalStrengthTraining", "climb": "climbing", "sail": "sailing",
    "multisport": "swimBikeRun", "triathlon": "swimBikeRun",
  ]
}
