package import DBus

/// What the daemon has on the bus: its name, its objects and their interfaces. Names are for ever.
package enum DoorInterfaces {
  package static let busName = "org.sensord"
  package static let root: ObjectPath = "/org/sensord"

  /// The objects with their paths: the root, and what leads to it.
  package static let objects: [(path: ObjectPath, object: ServiceObject)] = [
    ("/", ServiceObject(children: ["org"])),
    ("/org", ServiceObject(children: ["sensord"])),
    (root, ServiceObject([recorder, live, authorization, grants])),
  ]

  package static let recorder = Interface(
    "org.sensord.Manager1",
    methods: [.init("ListSensors", out: [.init("sensors", "aa{sv}")])],
    properties: [.init("Version", "s"), .init("Recording", "b")])

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
    ])

  package static let authorization = Interface(
    "org.sensord.Authorization1",
    methods: [
      .init("Identify", in: [.init("application", "s"), .init("options", "a{sv}")]),
      .init("Request", in: [.init("share", "as"), .init("read", "as")], out: [.init("result", "s")]),
      .init("Status", in: [.init("type", "s")], out: [.init("status", "s")]),
    ],
    signals: [.init("Decided", [.init("details", "a{sv}")])])

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
        "Revoke",
        in: [
          .init("uid", "u"), .init("application", "s"), .init("share", "as"), .init("read", "as"),
          .init("options", "a{sv}"),
        ],
        out: [.init("removed", "u")]),
    ],
    signals: [.init("Requested", [.init("details", "a{sv}")])])
}
