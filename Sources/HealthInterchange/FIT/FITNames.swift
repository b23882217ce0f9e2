internal import HealthModel

/// Names of FIT's profile for what is left out: as in Garmin's FIT SDK, Profile.xlsx, with blanks.
enum FITNames {
  /// The message of a number, for people.
  static func message(_ number: UInt16) -> String { messages[number] ?? "message \(number)" }

  /// The event of a number, for people.
  static func event(_ number: UInt64) -> String { "event: \(events[number] ?? String(number))" }

  /// The field of a record that has no meaning here; nil for the others.
  static func recordField(_ number: UInt8) -> String? {
    records[number] ?? (understood.contains(number) ? nil : "record field \(number)")
  }

  /// The fields of records that are read, and those that say nothing by themselves.
  private static let understood: Set<UInt8> = [
    0, 1, 2, 3, 4, 5, 6, 7, 13, 31, 33, 39, 41,
    52, 53, 62, 73, 78, 85, 99, 108, 139, 253,
  ]

  /// Sub-sports by number, as programs name them.
  static let subSports: [UInt64: String] = [
    1: "treadmill", 2: "street", 3: "trail", 4: "track", 5: "spin", 6: "indoor_cycling", 7: "road", 8: "mountain",
    9: "downhill", 10: "recumbent", 11: "cyclocross", 12: "hand_cycling", 13: "track_cycling", 14: "indoor_rowing",
    15: "elliptical", 16: "stair_climbing", 17: "lap_swimming", 18: "open_water", 19: "flexibility_training",
    20: "strength_training", 21: "warm_up", 22: "match", 23: "exercise", 24: "challenge", 25: "indoor_skiing",
    26: "cardio_training", 27: "indoor_walking", 28: "e_bike_fitness", 29: "bmx", 30: "casual_walking",
    31: "speed_walking", 32: "bike_to_run_transition", 33: "run_to_bike_transition", 34: "swim_to_bike_transition",
    35: "atv", 36: "motocross", 37: "backcountry", 38: "resort", 39: "rc_drone", 40: "wingsuit", 41: "whitewater",
    42: "skate_skiing", 43: "yoga", 44: "pilates", 45: "indoor_running", 46: "gravel_cycling",
    47: "e_bike_mountain", 48: "commuting", 49: "mixed_surface", 50: "navigate", 51: "track_me", 52: "map",
    53: "single_gas_diving", 54: "multi_gas_diving", 55: "gauge_diving", 56: "apnea_diving", 57: "apnea_hunting",
    58: "virtual_activity", 59: "obstacle", 62: "breathing", 63: "ccr_diving", 65: "sail_race", 66: "expedition",
    67: "ultra", 68: "indoor_climbing", 69: "bouldering", 70: "hiit", 71: "indoor_grinding",
    72: "hunting_with_dogs", 73: "amrap", 74: "emom", 75: "tabata", 77: "esport", 78: "triathlon", 79: "duathlon",
    80: "brick", 81: "swim_run", 82: "adventure_race", 83: "trucker_workout", 84: "pickleball", 85: "padel",
    86: "indoor_wheelchair_walk", 87: "indoor_wheelchair_run", 88: "indoor_hand_cycling", 90: "field", 91: "ice",
    92: "ultimate", 93: "platform", 94: "squash", 95: "badminton", 96: "racquetball", 97: "table_tennis",
    98: "overland", 99: "trolling_motor", 110: "fly_canopy", 111: "fly_paraglide", 112: "fly_paramotor",
    113: "fly_pressurized", 114: "fly_navigate", 115: "fly_timer", 116: "fly_altimeter", 117: "fly_wx",
    118: "fly_vfr", 119: "fly_ifr", 121: "dynamic_apnea", 123: "enduro", 124: "rucking", 125: "rally",
    126: "pool_triathlon", 127: "e_bike_enduro",
  ]

  private static let messages: [UInt16: String] = [
    1: "capabilities", 2: "device settings", 3: "user profile", 4: "hrm profile", 5: "sdm profile",
    6: "bike profile", 7: "zones target", 8: "hr zone", 9: "power zone", 10: "met zone", 12: "sport",
    13: "training settings", 15: "goal", 26: "workout", 27: "workout step", 28: "schedule", 30: "weight scale",
    31: "course", 32: "course point", 33: "totals", 35: "software", 37: "file capabilities",
    38: "mesg capabilities", 39: "field capabilities", 51: "blood pressure", 53: "speed zone", 72: "training file",
    80: "ant rx", 81: "ant tx", 82: "ant channel id", 104: "battery", 105: "pad", 106: "slave device",
    127: "connectivity", 128: "weather conditions", 129: "weather alert", 131: "cadence zone", 142: "segment lap",
    145: "memo glob", 148: "segment id", 149: "segment leaderboard entry", 150: "segment point",
    151: "segment file", 158: "workout session", 159: "watchface settings", 160: "gps metadata",
    161: "camera event", 162: "timestamp correlation", 164: "gyroscope data", 165: "accelerometer data",
    167: "three d sensor calibration", 169: "video frame", 174: "obdii data", 177: "nmea sentence",
    178: "aviation attitude", 184: "video", 185: "video title", 186: "video description", 187: "video clip",
    188: "ohr settings", 200: "exd screen configuration", 201: "exd data field configuration",
    202: "exd data concept configuration", 208: "magnetometer data", 209: "barometer data",
    210: "one d sensor calibration", 211: "monitoring hr data", 216: "time in zone", 225: "set",
    227: "stress level", 229: "max met data", 258: "dive settings", 259: "dive gas", 262: "dive alarm",
    264: "exercise title", 268: "dive summary", 269: "spo2 data", 275: "sleep level", 285: "jump",
    289: "aad accel features", 290: "beat intervals", 297: "respiration rate", 302: "hsa accelerometer data",
    304: "hsa step data", 305: "hsa spo2 data", 306: "hsa stress data", 307: "hsa respiration data",
    308: "hsa heart rate data", 312: "split", 313: "split summary", 314: "hsa body battery data", 315: "hsa event",
    317: "climb pro", 319: "tank update", 323: "tank summary", 346: "sleep assessment", 370: "hrv status summary",
    371: "hrv value", 372: "raw bbi", 375: "device aux battery info", 376: "hsa gyroscope data",
    387: "chrono shot session", 388: "chrono shot data", 389: "hsa configuration data", 393: "dive apnea alarm",
    398: "skin temp overnight", 409: "hsa wrist temperature data", 412: "nap event",
    470: "sleep disruption severity period", 471: "sleep disruption overnight severity",
  ]

  private static let events: [UInt64: String] = [
    3: "workout", 4: "workout step", 5: "power down", 6: "power up", 7: "off course", 8: "session", 9: "lap",
    10: "course point", 11: "battery", 12: "virtual partner pace", 13: "hr high alert", 14: "hr low alert",
    15: "speed high alert", 16: "speed low alert", 17: "cad high alert", 18: "cad low alert",
    19: "power high alert", 20: "power low alert", 21: "recovery hr", 22: "battery low", 23: "time duration alert",
    24: "distance duration alert", 25: "calorie duration alert", 26: "activity", 27: "fitness equipment",
    28: "length", 32: "user marker", 33: "sport point", 36: "calibration", 42: "front gear change",
    43: "rear gear change", 44: "rider position change", 45: "elev high alert", 46: "elev low alert",
    47: "comm timeout", 54: "auto activity detect", 56: "dive alert", 57: "dive gas switched",
    71: "tank pressure reserve", 72: "tank pressure critical", 73: "tank lost", 75: "radar threat alert",
    76: "tank battery low", 81: "tank pod connected", 82: "tank pod disconnected",
  ]

  private static let records: [UInt8: String] = [
    8: "compressed speed distance", 9: "grade", 10: "resistance", 11: "time from course", 12: "cycle length",
    17: "speed 1s", 18: "cycles", 19: "total cycles", 28: "compressed accumulated power", 29: "accumulated power",
    30: "left right balance", 32: "vertical speed", 40: "stance time percent", 42: "activity type",
    43: "left torque effectiveness", 44: "right torque effectiveness", 45: "left pedal smoothness",
    46: "right pedal smoothness", 47: "combined pedal smoothness", 48: "time128", 49: "stroke type", 50: "zone",
    51: "ball speed", 54: "total hemoglobin conc", 55: "total hemoglobin conc min", 56: "total hemoglobin conc max",
    57: "saturated hemoglobin percent", 58: "saturated hemoglobin percent min",
    59: "saturated hemoglobin percent max", 67: "left pco", 68: "right pco", 69: "left power phase",
    70: "left power phase peak", 71: "right power phase", 72: "right power phase peak", 81: "battery soc",
    82: "motor power", 83: "vertical ratio", 84: "stance time balance", 87: "cycle length16",
    91: "absolute pressure", 92: "depth", 93: "next stop depth", 94: "next stop time", 95: "time to surface",
    96: "ndl time", 97: "cns load", 98: "n2 load", 114: "grit", 115: "flow", 116: "current stress",
    117: "ebike travel range", 118: "ebike battery level", 119: "ebike assist mode",
    120: "ebike assist level percent", 123: "air time remaining", 124: "pressure sac", 125: "volume sac",
    126: "rmv", 127: "ascent rate", 129: "po2",
  ]
}

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
    var kind = Kind(
      activity: activity, name: [known?.name ?? "sport \(sport)", sub].compactMap { $0 }.joined(separator: "/"))
    if let subSport {
      if indoor.contains(subSport) { kind.location = .indoor }
      if outdoor.contains(subSport) { kind.location = .outdoor }
      if activity == .swimming {
        kind.swimmingLocation = subSport == 17 ? .pool : subSport == 18 ? .openWater : .unknown
      }
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
