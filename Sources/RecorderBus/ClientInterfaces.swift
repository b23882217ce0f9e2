package import DBus
package import FoundationEssentials

/// The face of a recorder on the bus for other programs: its name, its objects' paths and their interfaces. Names are
/// for ever.
///
/// The recorder's side and a client's are written against the same values, so neither can differ from what is installed.
package enum ClientInterfaces {
  package static let busName = "org.sensord"
  package static let root: ObjectPath = "/org/sensord"
  /// The objects of sessions, series and workouts are directly below these.
  package static let sessions: ObjectPath = "/org/sensord/session"
  package static let series: ObjectPath = "/org/sensord/series"
  package static let workoutObjects: ObjectPath = "/org/sensord/workout"

  /// The interfaces of the root.
  package static let ofRoot = [manager, live, authorization, healthStore, attachments, workouts, grants]
  /// All interfaces, as they are installed.
  package static let all = ofRoot + [session, quantitySeries, heartbeatSeries, workout]

  package static let manager = Interface(
    "org.sensord.Manager1",
    methods: [
      .init("ListSensors", out: [.init("sensors", "aa{sv}")]),
      .init("BeginSession", in: [.init("options", "a{sv}")], out: [.init("session", "o")]),
      .init("BeginSessions", in: [.init("options", "a{sv}")], out: [.init("sessions", "ao")]),
      .init(
        "EndSessions", in: [.init("sessions", "ao"), .init("options", "a{sv}")], out: [.init("ended", "aa{sv}")]),
    ],
    properties: [.init("Version", "s"), .init("Recording", "b")])

  package static let session = Interface(
    "org.sensord.Session1",
    methods: [
      .init("AddMetadata", in: [.init("metadata", "a{sv}")]),
      .init("AddMarker", in: [.init("time_us", "x"), .init("text", "s")]),
      .init("End", out: [.init("result", "a{sv}")]),
    ],
    properties: [
      .init("Id", "s"), .init("Sensor", "s"), .init("Start", "x"), .init("State", "s"), .init("Uid", "u"),
      .init("Application", "s"),
    ])

  package static let live = Interface(
    "org.sensord.Live1",
    methods: [.init("Subscribe", in: [.init("sensors", "as")]), .init("Unsubscribe")],
    signals: [
      .init(
        "Measurement",
        [
          .init("sensor", "s"), .init("seq", "t"), .init("time_us", "x"), .init("bpm", "q"), .init("rr_1024", "aq"),
          .init("details", "a{sv}"),
        ]),
      .init("State", [.init("sensor", "s"), .init("state", "s"), .init("details", "a{sv}")]),
      .init(
        "Event",
        [.init("sensor", "s"), .init("start_us", "x"), .init("end_us", "x"), .init("details", "a{sv}")]),
    ])

  package static let authorization = Interface(
    "org.sensord.Authorization1",
    methods: [
      .init("Identify", in: [.init("application", "s"), .init("options", "a{sv}")]),
      .init("Request", in: [.init("share", "as"), .init("read", "as")], out: [.init("result", "s")]),
      .init("RequestObjects", in: [.init("type", "s"), .init("predicate", "a{sv}")], out: [.init("result", "s")]),
      .init("Status", in: [.init("type", "s")], out: [.init("status", "s")]),
    ],
    signals: [.init("Decided", [.init("details", "a{sv}")])])

  package static let healthStore = Interface(
    "org.sensord.HealthStore1",
    methods: [
      .init("Save", in: [.init("samples", "aa{sv}")], out: [.init("ids", "as")]),
      .init("Delete", in: [.init("ids", "as")]),
      .init(
        "NewQuantitySeries",
        in: [.init("type", "s"), .init("start_us", "x"), .init("options", "a{sv}")], out: [.init("series", "o")]),
      .init(
        "NewHeartbeatSeries", in: [.init("start_us", "x"), .init("options", "a{sv}")], out: [.init("series", "o")]),
      .init("Query", in: [.init("kind", "s"), .init("query", "a{sv}")], out: [.init("answer", "h")]),
      .init("Observe", in: [.init("types", "as")]),
    ],
    signals: [.init("Changed", [.init("count", "t")])])

  package static let attachments = Interface(
    "org.sensord.Attachments1",
    methods: [
      .init(
        "Add",
        in: [
          .init("object", "s"), .init("name", "s"), .init("type", "s"), .init("file", "h"),
          .init("metadata", "a{sv}"),
        ],
        out: [.init("id", "s")]),
      .init("List", in: [.init("object", "s")], out: [.init("attachments", "aa{sv}")]),
      .init("Read", in: [.init("id", "s")], out: [.init("data", "h")]),
      .init("Remove", in: [.init("id", "s")]),
    ])

  package static let quantitySeries = Interface(
    "org.sensord.QuantitySeries1",
    methods: [
      .init("Insert", in: [.init("values", "a(xxd)")]),
      .init("Finish", in: [.init("end_us", "x"), .init("metadata", "a{sv}")], out: [.init("id", "s")]),
      .init("Discard"),
    ])

  package static let heartbeatSeries = Interface(
    "org.sensord.HeartbeatSeries1",
    methods: [
      .init("Add", in: [.init("beats", "a(xb)")]),
      .init("Finish", in: [.init("end_us", "x"), .init("metadata", "a{sv}")], out: [.init("id", "s")]),
      .init("Discard"),
    ])

  package static let workouts = Interface(
    "org.sensord.Workouts1",
    methods: [.init("Begin", in: [.init("options", "a{sv}")], out: [.init("workout", "o")])])

  package static let workout = Interface(
    "org.sensord.Workout1",
    methods: [
      .init("BeginActivity", in: [.init("options", "a{sv}")], out: [.init("id", "s")]),
      .init("EndActivity", in: [.init("time_us", "x")]),
      .init("AddEvent", in: [.init("event", "a{sv}")]),
      .init("Pause"),
      .init("Resume"),
      .init("Collect", in: [.init("on", "as"), .init("off", "as")]),
      .init("AddSamples", in: [.init("samples", "aa{sv}")], out: [.init("ids", "as")]),
      .init("AddMetadata", in: [.init("metadata", "a{sv}")]),
      .init("Statistics", in: [.init("type", "s")], out: [.init("statistics", "a{sv}")]),
      .init("End", in: [.init("options", "a{sv}")], out: [.init("id", "s")]),
      .init("Discard"),
    ],
    signals: [.init("Stored", [.init("id", "s")]), .init("Discarded", [.init("id", "s")])],
    properties: [
      .init("Id", "s"), .init("Sensor", "s"), .init("Start", "x"), .init("State", "s"), .init("Elapsed", "x"),
      .init("Uid", "u"), .init("Application", "s"),
    ])

  package static let grants = Interface(
    "org.sensord.Grants1",
    methods: [
      .init("List", out: [.init("grants", "aa{sv}")]),
      .init(
        "Decide",
        in: [
          .init("uid", "u"), .init("application", "s"), .init("share", "as"), .init("read", "as"),
          .init("allow", "b"), .init("options", "a{sv}"),
        ]),
      .init(
        "DecideObjects",
        in: [
          .init("uid", "u"), .init("application", "s"), .init("type", "s"), .init("allow", "as"), .init("deny", "as"),
          .init("options", "a{sv}"),
        ]),
      .init(
        "Revoke",
        in: [
          .init("uid", "u"), .init("application", "s"), .init("share", "as"), .init("read", "as"),
          .init("options", "a{sv}"),
        ],
        out: [.init("removed", "u")]),
    ],
    signals: [.init("Requested", [.init("details", "a{sv}")])])
}

// The objects of sessions, series and workouts are called by their identifiers, with `_` for `-`, which no path may have.

extension ObjectPath {
  /// The path of an object that is directly below `parent`.
  package static func object(_ identifier: UUID, below parent: ObjectPath) -> ObjectPath {
    parent.appending(String(identifier.uuidString.lowercased().map { $0 == "-" ? "_" : $0 })) ?? parent
  }

  /// The identifier of the object with this path; nil where it is not directly below `parent`.
  package func identifier(below parent: ObjectPath) -> UUID? {
    guard self.parent == parent else { return nil }
    return UUID(uuidString: String(lastElement.map { $0 == "_" ? "-" : $0 }))
  }

  /// The paths of the nodes that are directly below this one, by the introspection data of a recorder, which has one on each line.
  package func children(in introspection: String) -> [ObjectPath] {
    introspection.split(separator: "\n").compactMap { line in
      let words = line.split(separator: "\"", omittingEmptySubsequences: false)
      return words.count == 3 && words[0] == "  <node name=" ? appending(String(words[1])) : nil
    }
  }
}
