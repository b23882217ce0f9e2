import GATTHeartRate

/// A strap's GATT database: services and characteristics with their handles, from which BlueZ makes object paths.
struct GATTLayout: Hashable, Sendable {
  /// One characteristic.
  struct Characteristic: Hashable, Sendable {
    /// The handle of the declaration, which is part of the object path (`char000f`).
    let handle: UInt16
    let uuid: String
    let flags: [String]
    /// The handle of the client characteristic configuration; nil if there are no notifications.
    let configuration: UInt16?

    /// Whether StartNotify is allowed.
    var notifies: Bool { flags.contains("notify") || flags.contains("indicate") }
  }

  /// One service.
  struct Service: Hashable, Sendable {
    let handle: UInt16
    let uuid: String
    let characteristics: [Characteristic]
  }

  /// In the order of their handles. Generic Access is included, though BlueZ does not export it.
  let services: [Service]

  /// The layout of a strap.
  ///
  /// Generic Access comes first, then Generic Attribute if the strap indicates Service Changed, then a dummy service with
  /// `shift` characteristics, then heart rate, battery and device information. As in the lab, 2A37 is
  /// `service000e/char000f`.
  init(_ profile: StrapProfile, shift: Int) {
    var next: UInt16 = 1
    var services: [Service] = []
    func add(_ uuid: String, _ characteristics: [(uuid: String, flags: [String])]) {
      let handle = next
      next += 1
      var made: [Characteristic] = []
      for (uuid, flags) in characteristics {
        let subscribable = flags.contains("notify") || flags.contains("indicate")
        made.append(
          Characteristic(handle: next, uuid: uuid, flags: flags, configuration: subscribable ? next + 2 : nil))
        next += subscribable ? 3 : 2
      }
      services.append(Service(handle: handle, uuid: uuid, characteristics: made))
    }
    add(Self.genericAccess, [(Self.uuid(0x2A00), ["read"]), (Self.uuid(0x2A01), ["read"])])
    if profile.hasServiceChanged {
      add(
        Self.genericAttribute,
        [(Self.uuid(0x2A05), ["indicate"]), (Self.uuid(0x2B29), ["read", "write"]), (Self.uuid(0x2B2A), ["read"])])
    }
    if shift > 0 {
      add(
        "6b1c0000-0000-4000-8000-00000000000f",
        (0..<shift).map { number in
          let digits = String(number, radix: 16)
          let padded = String(repeating: "0", count: 4 - digits.count) + digits
          return ("6b1c0000-0000-4000-8000-00000001\(padded)", ["read"])
        })
    }
    let controlPoint = [(uuid: Self.uuid(AssignedUUID.heartRateControlPoint), flags: ["write"])]
    add(
      Self.heartRate,
      [(Self.measurement, ["notify"]), (Self.uuid(AssignedUUID.bodySensorLocation), ["read"])]
        + (profile.hasControlPoint ? controlPoint : []))
    add(Self.battery, [(Self.batteryLevel, ["read", "notify"])])
    add(
      Self.uuid(AssignedUUID.deviceInformationService),
      [
        AssignedUUID.manufacturerName, AssignedUUID.modelNumber, AssignedUUID.serialNumber,
        AssignedUUID.firmwareRevision,
      ].map { (Self.uuid($0), ["read"]) })
    if profile.hasInputService { add(Self.humanInterfaceDevice, [(Self.uuid(0x2A4D), ["read", "notify"])]) }
    self.services = services
  }

  /// The same layout without one of its services, as a stale cache may have it.
  func without(_ uuid: String) -> GATTLayout {
    GATTLayout(services: services.filter { $0.uuid != uuid })
  }

  private init(services: [Service]) {
    self.services = services
  }

  /// The full form of an assigned 16 bit UUID.
  static func uuid(_ short: UInt16) -> String {
    let digits = String(short, radix: 16)
    return String(repeating: "0", count: 8 - digits.count) + digits + "-0000-1000-8000-00805f9b34fb"
  }

  static let humanInterfaceDevice = uuid(0x1812)
  static let genericAccess = uuid(0x1800)
  static let genericAttribute = uuid(0x1801)
  static let heartRate = uuid(AssignedUUID.heartRateService)
  static let battery = uuid(AssignedUUID.batteryService)
  static let measurement = uuid(AssignedUUID.heartRateMeasurement)
  static let batteryLevel = uuid(AssignedUUID.batteryLevel)

  /// The services that BlueZ exports as objects.
  var exported: [Service] { services.filter { $0.uuid != Self.genericAccess } }

  /// The UUIDs of all services, sorted as BlueZ lists them.
  var uuids: [String] { services.map(\.uuid).sorted() }

  /// The first characteristic with this UUID.
  func characteristic(_ uuid: String) -> Characteristic? {
    services.lazy.flatMap(\.characteristics).first { $0.uuid == uuid }
  }

  /// The characteristic whose declaration has this handle.
  func characteristic(at handle: UInt16) -> Characteristic? {
    services.lazy.flatMap(\.characteristics).first { $0.handle == handle }
  }
}
