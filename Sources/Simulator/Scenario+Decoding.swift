import FoundationEssentials
import GATTHeartRate
import Support

extension Scenario {
  /// Decodes a scenario in the lab's form: one strap, or `{"straps": [strap, …], "timeline": [item, …]}`.
  ///
  /// Top level: `adapter` (address), `connections` (links an adapter holds), `filter_duplicates`. Only here, not in the
  /// lab: `resolve` (usual, early, late, untold, hollow, mixed), `busy_while_scanning`, `reasons`, `bluez` (5.66, 5.82, 5.87),
  /// `dies_of_uuids`.
  ///
  /// Strap: `name`, `address`, `address_type` (random, public), `battery`, `location`, `rssi`, `adv_ms`, `manufacturer`
  /// (hex), `uuids`, `clock` (subscribe, start), `advertise`, `pairing`, `service_changed`, `shift`, `eager`, `timeline`.
  /// Only here: `pairing` by name (``StrapProfile/Pairing``), `stale`, `bonded`, `hid`, `control_point`, and instead of a
  /// timeline `flood` (`per_second`, `values`, `trailing` bytes). See ``StrapProfile`` for the meanings.
  ///
  /// Item: `{t, bpm, rr_ms, contact, energy, wide}`, `{t, raw}` or `{t, event}` with an event of ``StrapEvent`` (`value`,
  /// `shift`, `tell`) or ``MachineEvent`` (`do`, `on`, `adapter`, `uuid`); `strap` names another strap. `t` is in seconds.
  /// Unknown names are ignored, as in the lab.
  ///
  /// - Throws: `ScenarioError`, which names the item and what is wrong with it.
  init(json: [UInt8]) throws(ScenarioError) {
    let file: ScenarioFile = try ScenarioFile.decode(json)
    var scenario = Scenario(straps: [])
    if let straps = file.straps {
      for (number, strap) in straps.enumerated() {
        try scenario.straps.append(StrapProfile(strap, place: "strap \(number + 1): "))
      }
      scenario.timeline = try Self.items(file.timeline ?? [], place: "timeline: ")
    } else {
      scenario.straps = [try StrapProfile(try ScenarioFile.decode(json), place: "")]
    }
    if let adapter = file.adapter { scenario.adapter = try Self.address(adapter, place: "adapter: ") }
    if let connections = file.connections { scenario.connections = connections }
    if let filters = file.filter_duplicates { scenario.filtersDuplicates = filters }
    if let busy = file.busy_while_scanning { scenario.isBusyWhileScanning = busy }
    if let reasons = file.reasons { scenario.signalsReasons = reasons }
    if let release = file.bluez {
      guard let known = BlueZRelease(rawValue: release) else {
        throw ScenarioError(description: "bluez: '\(release)' is none of 5.66, 5.82, 5.87")
      }
      scenario.release = known
    }
    if let dies = file.dies_of_uuids { scenario.diesOfServiceFilters = dies }
    if let order = file.resolve {
      guard let known = ResolveOrder(rawValue: order) else {
        throw ScenarioError(description: "resolve: '\(order)' is none of usual, early, late, untold, hollow, mixed")
      }
      scenario.resolveOrder = known
    }
    let addresses = scenario.straps.map(\.address)
    guard Set(addresses).count == addresses.count else {
      throw ScenarioError(description: "two straps have the same address")
    }
    self = scenario
  }

  /// Decodes live items: one JSON object or an array of them.
  static func items(json: [UInt8]) throws(ScenarioError) -> [ScenarioItem] {
    let first = json.first { $0 != UInt8(ascii: " ") }
    let raw: [ItemFile] = first == UInt8(ascii: "[") ? try ScenarioFile.decode(json) : [try ScenarioFile.decode(json)]
    return try items(raw, place: "", numbered: raw.count > 1)
  }

  fileprivate static func items(
    _ raw: [ItemFile], place: String, numbered: Bool = true
  ) throws(ScenarioError) -> [ScenarioItem] {
    var items: [ScenarioItem] = []
    items.reserveCapacity(raw.count)
    for (number, item) in raw.enumerated() {
      items.append(try ScenarioItem(item, place: numbered ? "\(place)item \(number + 1): " : place))
    }
    return items
  }

  /// An integer within its permitted range.
  static func number<Number: FixedWidthInteger>(
    _ value: Int, _ range: ClosedRange<Int>, _ name: String, place: String
  ) throws(ScenarioError) -> Number {
    guard range.contains(value), let number = Number(exactly: value) else {
      throw ScenarioError(description: "\(place)\(name) must be \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }

  /// A Bluetooth address in upper case.
  static func address(_ text: String, place: String) throws(ScenarioError) -> String {
    let pairs = text.split(separator: ":", omittingEmptySubsequences: false)
    guard pairs.count == 6, pairs.allSatisfy({ $0.utf8.count == 2 && UInt8($0, radix: 16) != nil && $0.first != "+" })
    else {
      throw ScenarioError(description: "\(place)'\(text)' is no Bluetooth address")
    }
    return text.uppercased()
  }
}

extension StrapProfile {
  fileprivate init(_ file: StrapFile, place: String) throws(ScenarioError) {
    self.init()
    if let name = file.name { self.name = name }
    if let address = file.address { self.address = try Scenario.address(address, place: place) }
    if let type = file.address_type {
      guard let known = AddressType(rawValue: type) else {
        throw ScenarioError(description: "\(place)address_type '\(type)' is neither random nor public")
      }
      addressType = known
    }
    if let battery = file.battery { self.battery = try Scenario.number(battery, 0...100, "battery", place: place) }
    if let location = file.location { self.location = try Scenario.number(location, 0...255, "location", place: place) }
    if let rssi = file.rssi { self.rssi = try Scenario.number(rssi, -127...20, "rssi", place: place) }
    if let interval = file.adv_ms {
      guard (20...10_240).contains(interval) else {
        throw ScenarioError(description: "\(place)adv_ms must be 20 to 10240")
      }
      advertisingInterval = .seconds(interval / 1000)
    }
    if let manufacturer = file.manufacturer { self.manufacturer = try ScenarioItem.bytes(manufacturer, place: place) }
    if let uuids = file.uuids {
      advertisedServices = []
      for uuid in uuids {
        guard let short = UInt16(uuid, radix: 16) else {
          throw ScenarioError(description: "\(place)'\(uuid)' is no 16 bit UUID")
        }
        advertisedServices.append(short)
      }
    }
    if let clock = file.clock {
      guard let known = Clock(rawValue: clock) else {
        throw ScenarioError(description: "\(place)clock '\(clock)' is neither subscribe nor start")
      }
      self.clock = known
    }
    if let advertise = file.advertise { advertises = advertise }
    switch file.pairing {
    case nil, .flag(false): break
    case .flag(true): pairing = .justWorks
    case .name(let name):
      guard let known = Pairing(rawValue: name) else {
        let names = Pairing.allCases.map(\.rawValue).joined(separator: ", ")
        throw ScenarioError(description: "\(place)pairing '\(name)' is none of \(names)")
      }
      pairing = known
    }
    if let changed = file.service_changed { hasServiceChanged = changed }
    if let shift = file.shift { self.shift = try ScenarioItem.shift(shift, place: place) }
    if let stale = file.stale { staleLinks = max(0, stale) }
    if let bonded = file.bonded { isBonded = bonded }
    if let hid = file.hid { hasInputService = hid }
    if let point = file.control_point { hasControlPoint = point }
    if let eager = file.eager { eagerValues = max(0, eager) }
    if let flood = file.flood {
      source = .flood(
        Flood(
          perSecond: try Scenario.number(flood.per_second, 1...1000, "flood: per_second", place: place),
          count: try Scenario.number(flood.values, 1...1_000_000_000, "flood: values", place: place),
          trailing: try Scenario.number(flood.trailing ?? 0, 0...500, "flood: trailing", place: place)))
    } else {
      source = .timeline(try Scenario.items(file.timeline ?? [], place: place))
    }
  }
}

extension ScenarioItem {
  fileprivate init(_ file: ItemFile, place: String) throws(ScenarioError) {
    if let time = file.t, !(0...1e9).contains(time) {
      throw ScenarioError(description: "\(place)t must be a number of seconds from 0")
    }
    time = file.t
    strap = if let strap = file.strap { try Scenario.address(strap, place: place) } else { nil }
    action = try Self.action(file, place: place)
  }

  private static func action(_ file: ItemFile, place: String) throws(ScenarioError) -> Action {
    if let event = file.event { return try Self.event(event, file, place: place) }
    if let raw = file.raw { return .value(try bytes(raw, place: place)) }
    guard let rate = file.bpm else { throw ScenarioError(description: "\(place)neither bpm, raw nor event") }
    let bpm: UInt16 = try Scenario.number(rate, 0...65535, "bpm", place: place)
    var energy: UInt16?
    if let kilojoules = file.energy { energy = try Scenario.number(kilojoules, 0...65535, "energy", place: place) }
    var ticks: [UInt16] = []
    for milliseconds in file.rr_ms ?? [] {
      guard let interval = UInt16(exactly: (milliseconds * 1.024).rounded(.toNearestOrEven)) else {
        throw ScenarioError(description: "\(place)rr_ms \(milliseconds) does not fit")
      }
      ticks.append(interval)
    }
    guard file.wide ?? true || bpm < 256 else {
      throw ScenarioError(description: "\(place)bpm \(bpm) does not fit into a byte")
    }
    let contact: HeartRateMeasurement.Contact =
      switch file.contact {
      case nil: .notSupported
      case false: .notDetected
      case true: .detected
      }
    return .value(
      Self.measurement(bpm, wide: file.wide ?? (bpm > 255), contact: contact, energy: energy, ticks: ticks))
  }

  /// The bytes of one measurement, as a strap sends it.
  static func measurement(
    _ beatsPerMinute: UInt16, wide: Bool, contact: HeartRateMeasurement.Contact, energy: UInt16?, ticks: [UInt16]
  ) -> [UInt8] {
    HeartRateMeasurement(
      beatsPerMinute: beatsPerMinute, contact: contact, energyKilojoules: energy, rrTicks: ticks,
      alsoSetting: wide ? .heartRateIsUInt16 : []
    ).encoded()
  }

  private static func event(_ event: String, _ file: ItemFile, place: String) throws(ScenarioError) -> Action {
    let adapter = file.adapter ?? "hci0"
    switch event {
    case "disconnect": return .strap(.disconnect)
    case "vanish": return .strap(.vanish)
    case "advertise", "reconnect": return .strap(.advertise)
    case "drop": return .strap(.drop)
    case "cease": return .strap(.cease)
    case "stop": return .strap(.stop)
    case "battery": return .strap(.battery(try value(file, 0...100, place: place)))
    case "rssi": return .strap(.rssi(try value(file, -127...20, place: place)))
    case "refuse": return .strap(.refuse(try value(file, 0...1_000_000, place: place)))
    case "stall": return .strap(.stall)
    case "resume": return .strap(.resume)
    case "gatt": return .strap(.gatt(shift: try shift(file.shift ?? 1, place: place), tell: file.tell ?? true))
    case "power":
      guard let on = file.on else { throw ScenarioError(description: "\(place)power needs on: true or false") }
      return .machine(.power(on: on, adapter: adapter))
    case "stuck": return .machine(.stickDiscovery)
    case "halt": return .machine(.haltDiscovery)
    case "remove": return .machine(.remove(adapter: adapter))
    case "plug": return .machine(.plug(adapter: try Scenario.address(adapter, place: place)))
    case "unplug": return .machine(.unplug(adapter: try Scenario.address(adapter, place: place)))
    case "bluetoothd": return .machine(.bluetoothd(try choice(file.do, place: place + "bluetoothd: ")))
    case "client":
      return .machine(
        .client(try choice(file.do, place: place + "client: "), adapter: adapter, uuid: file.uuid?.lowercased()))
    default: throw ScenarioError(description: "\(place)unknown event '\(event)'")
    }
  }

  private static func value<Number: FixedWidthInteger>(
    _ file: ItemFile, _ range: ClosedRange<Int>, place: String
  ) throws(ScenarioError) -> Number {
    guard let value = file.value else { throw ScenarioError(description: "\(place)value is missing") }
    return try Scenario.number(value, range, "value", place: place)
  }

  /// Handles have 16 bits; with 1000 characteristics before the service they are far from the end.
  fileprivate static func shift(_ shift: Int, place: String) throws(ScenarioError) -> Int {
    guard (0...1000).contains(shift) else { throw ScenarioError(description: "\(place)shift must be 0 to 1000") }
    return shift
  }

  private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ word: String?, place: String
  ) throws(ScenarioError) -> Choice {
    guard let word, let choice = Choice(rawValue: word) else {
      let allowed = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw ScenarioError(description: "\(place)do must be one of \(allowed)")
    }
    return choice
  }

  fileprivate static func bytes(_ hex: String, place: String) throws(ScenarioError) -> [UInt8] {
    guard hex.utf8.count.isMultiple(of: 2) else { throw ScenarioError(description: "\(place)odd number of hex digits") }
    guard let bytes = Hexadecimal.bytes(hex) else {
      throw ScenarioError(description: "\(place)'\(hex.prefix(40))' is not hexadecimal")
    }
    return bytes
  }
}
