import DBus
import GATTHeartRate
import Testing
import Timeline

@testable import BlueZ
@testable import Ingestion

@Suite("The sensors, as a value: what BlueZ reports, and what follows")
struct SensorsTests {
  private static let strap = Invented.strap
  private static let device = DeviceAddress(Invented.strap)
  private static let hci0 = AdapterPath(0)

  /// One sensor in the list, and an adapter that is on.
  private static func sensors(_ prepare: (inout RecorderSettings) -> Void = { _ in }) -> Sensors {
    var settings = RecorderSettings(store: "", journal: "", version: "test")
    prepare(&settings)
    var sensors = Sensors(settings, boot: Invented.boot, wallMinusBoot: Invented.wallMinusBoot, seed: 1)
    var list = AllowList(unlisted: settings.unlisted)
    list.insert(strap, name: "Strap")
    _ = sensors.allow(list, known: [], at: Invented.at(0))
    _ = sensors.adapterChanged(Invented.hci0, isPowered: true, filtersServices: true, at: Invented.at(0))
    return sensors
  }

  private static func heard(_ address: SensorAddress, _ change: (inout Device) -> Void = { _ in }) -> Event {
    let element = "dev_" + "\(address)".map { $0 == ":" ? "_" : String($0) }.joined()
    var device = Device(path: DevicePath(ObjectPath("/org/bluez/hci0/\(element)")!)!)
    device.rssi = -60
    device.services = [BluetoothUUID(AssignedUUID.heartRateService)]
    change(&device)
    return .deviceSeen(device)
  }

  private static func up(_ sensors: inout Sensors, _ second: Double = 1) -> [Sensors.Effect] {
    sensors.handle(.linkUp(device, hci0, isOurs: false), at: Invented.at(second))
  }

  private static func lines(_ effects: [Sensors.Effect]) -> [String] {
    effects.compactMap { if case .line(let line) = $0 { line.text } else { nil } }
  }

  @Test("a link is the session's before it is asked for values, and a loss is before the plan gets it back")
  func link() {
    var sensors = Self.sensors()
    let came = Self.up(&sensors)
    #expect(
      came.starts(with: [
        .line(LogLine(.info, "\(Self.strap): linked over hci0")), .event(.connected, of: Self.strap),
        .command(.follow(Self.strap, on: Invented.hci0)),
      ]))
    let states = [1.0, 2].map { sensors.newStates(at: Invented.at($0), wall: 0).map(\.kind) }
    #expect(states == [[.state(.linked)], []])
    let went = sensors.handle(.linkDown(Self.device, Self.hci0, reason: nil), at: Invented.at(3))
    #expect(
      went.starts(with: [
        .line(LogLine(.info, "\(Self.strap): link lost")), .event(.disconnected(reason: nil), of: Self.strap),
      ]))
    #expect(went.last == .forgetUnlisted)
  }

  @Test("a link of ours that is nobody's any more is closed, another program's is not")
  func nobody() {
    var sensors = Self.sensors()
    let other = DeviceAddress(Invented.other)
    let effects = [true, false].map { sensors.handle(.linkUp(other, Self.hci0, isOurs: $0), at: Invented.at(1)) }
    #expect(effects == [[.close(other, on: Self.hci0)], []])
  }

  @Test("an adapter that the settings leave out is not looked at")
  func adapters() {
    var sensors = Self.sensors { $0.adapters = ["hci1"] }
    #expect(sensors.index(of: Self.hci0) == nil)
    let effects = Self.up(&sensors) + sensors.handle(Self.heard(Invented.strap), at: Invented.at(1))
    #expect(effects.isEmpty)
  }

  @Test("why no values come is said once, and that they do")
  func problem() {
    var sensors = Self.sensors()
    _ = Self.up(&sensors)
    let failed = Event.subscriptionFailed(Self.device, .accessDenied)
    let told = [1.0, 2].map { Self.lines(sensors.handle(failed, at: Invented.at($0))).count }
    #expect(told == [1, 0])
    #expect(sensors.recordings[0].problem != nil)
    let works = Self.lines(sensors.handle(.subscribed(Self.device, .acquired), at: Invented.at(3)))
    #expect(works.last == "\(Self.strap): values come now")
    #expect(sensors.recordings[0].problem == nil)
  }

  @Test("a refused pairing is named with its remedy before the plan goes on")
  func keys() {
    var sensors = Self.sensors()
    let effects = sensors.handle(.connectFailed(Self.device, Self.hci0, .authentication), at: Invented.at(1))
    #expect(Self.lines(effects).contains { $0.contains("bluetoothctl remove \(Self.strap)") })
    #expect(effects.last == .forgetUnlisted)
  }

  @Test("a near sensor that is not listed is admitted where the settings say so, and forgotten when it is gone")
  func unlisted() {
    var strict = Self.sensors()
    _ = strict.handle(Self.heard(Invented.other), at: Invented.at(1))
    #expect(strict.recordings.count == 1)
    var sensors = Self.sensors { $0.unlisted = .any(atLeast: -70) }
    _ = sensors.handle(Self.heard(Invented.other) { $0.rssi = -71 }, at: Invented.at(1))
    #expect(sensors.recordings.count == 1)
    let effects = sensors.handle(Self.heard(Invented.other), at: Invented.at(2))
    #expect(
      Self.lines(effects) == [
        "\(Invented.other): not in the list of sensors; recorded since the configuration says \"any\""
      ])
    #expect(sensors.recordings.count == 2 && sensors.recordings.listed.map(\.name) == ["Strap"])
    sensors.forgetUnlisted()
    #expect(sensors.recordings.count == 2, "the plan wants it")
    _ = sensors.serviceGone(.serviceGone, isDeath: false, at: Invented.at(3))
    _ = sensors.adapterRemoved(Invented.hci0, at: Invented.at(3))
    sensors.forgetUnlisted()
    #expect(sensors.recordings.count == 1)
  }

  @Test("the name of a listed sensor that is away is reported of a near one, in a line and in the status")
  func namesake() {
    var sensors = Self.sensors()
    let heard = Self.heard(Invented.other) { $0.name = "Strap" }
    let told = [1.0, 2].map { Self.lines(sensors.handle(heard, at: Invented.at($0))).count }
    #expect(told == [1, 0])
    let status = sensors.statuses(wallMinusBoot: Invented.wallMinusBoot, at: Invented.at(3))
    #expect(status.map(\.namesake) == [Invented.other])
  }

  @Test("bluetoothd's end takes the links with it, and is a session's loss")
  func gone() {
    var sensors = Self.sensors()
    _ = Self.up(&sensors)
    let effects = sensors.serviceGone(.serviceGone, isDeath: false, at: Invented.at(2))
    #expect(effects.first == .event(.disconnected(reason: DisconnectReason.serviceGone.description), of: Self.strap))
    #expect(effects.last == .forgetUnlisted)
  }

  @Test("another recorder that goes first is named when it comes and when it goes, once")
  func otherRecorder() {
    var sensors = Self.sensors()
    let told = [false, true, true, false].map { Self.lines(sensors.otherRecorder(isThere: $0, at: Invented.at(1))) }
    #expect(told.map(\.count) == [0, 1, 0, 1])
  }

  @Test("a stall is before the first value that arrived after it, or at its end, and only where a session is open")
  func stall() {
    var sensors = Self.sensors()
    _ = sensors.recordings[0].handle(.measurement([0, 60]), 1)
    sensors.beginStall(since: Invented.at(14), until: Invented.at(72))
    let early = sensors.valueReceived(from: Self.strap, at: Invented.at(12))
    #expect(early == nil, "the stall was not there yet")
    let late = sensors.valueReceived(from: Self.strap, at: Invented.at(72))
    #expect(late?.event == .stalled(microseconds: 60_000_000) && late?.at == Invented.at(72))
    let rest = sensors.stallEnds()
    #expect(rest == [.line(LogLine(.warning, "the recorder did not run for 60.0 s"))])
  }
}
