import ArgumentParser
import BlueZ
import DBus
import Documents
import Reports
import SeriesStore
import Support
import Synchronization

/// `sensord scan`: lists the sensors in reach.
struct ScanCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scan", abstract: "List the sensors in reach.",
    usage: "sensord scan [--duration <seconds>] [--all] [--json] [options]",
    discussion: """
      Until Ctrl-C, or for 15 seconds where the list goes to a file or a program.
      Listed are heart-rate sensors, game controllers with one, and what tells its
      name only, as some straps do. A sensor that is connected elsewhere, to a phone
      for instance, is not heard by anybody. Nothing is connected or recorded.

        sensord scan
        sensord devices add C0:FF:EE:00:00:01
      """)

  @OptionGroup var bus: BusOptions

  @OptionGroup var store: StoreOptions

  @Option(help: ArgumentHelp("How long to listen.", valueName: "seconds"))
  var duration: Int?

  @Flag(help: "List every device that is heard.")
  var all = false

  @Flag(help: "Print the list as JSON at the end.")
  var json = false

  mutating func validate() throws {
    if let duration, !(1...86_400).contains(duration) {
      throw ValidationError("the duration is 1 to 86400 seconds")
    }
  }

  mutating func run() throws {
    let display = ScanDisplay(all: all, isQuiet: json)
    let isWatched = StandardOutput.isTerminal && !json
    let limit = duration.map { Duration.seconds($0) } ?? (isWatched ? nil : .seconds(15))
    let list = Mutex(HeardDevices(known: try knownSensors()))
    let bus = bus.address
    try CommandLoop.runInterruptibly { loop in
      try await BluetoothVisit.run(bus, on: loop) { visit in
        let adapters = try await visit.adapters()
        for device in try await visit.client().devices { list.withLock { $0.record(device, isHeard: false) } }
        let refused = Mutex<String?>(nil)
        await visit.listen { event in
          switch event {
          case .deviceSeen(let device): list.withLock { $0.record(device, isHeard: true) }
          case .deviceChanged(let device): list.withLock { $0.record(device, isHeard: false) }
          case .discovery(_, .refused(let name)): refused.withLock { $0 = name }
          case .serviceDisappeared, .busLost: refused.withLock { $0 = "bluetoothd ended" }
          default: break
          }
        }
        let client = try await visit.client()
        for adapter in adapters { await client.startDiscovery(.everything, on: adapter) }
        let start = ContinuousClock.now
        while true {
          do { try await loop.sleep(for: .seconds(1)) } catch { return }
          if let name = refused.withLock({ $0 }) { throw Self.refusal(name) }
          try display.show(list.withLock { $0 })
          if let limit, ContinuousClock.now - start >= limit { return }
        }
      }
    }
    try display.finish(list.withLock { $0 })
  }

  private static func refusal(_ name: String) -> CommandFailure {
    switch name {
    case "org.bluez.Error.NotReady": BluetoothFailure.adapterOff
    case "org.freedesktop.DBus.Error.AccessDenied": BluetoothFailure.denied
    default:
      CommandFailure(
        .unavailable, "bluetoothd does not look for devices (\(name))",
        remedy: "restart it: sudo systemctl restart bluetooth")
    }
  }

  /// The sensors to record. Without permission to read the service's list, no sensor is known; a store that was named must exist.
  private func knownSensors() throws -> [DeviceAddress: String?] {
    do {
      let store = try store.openToRead()
      let sensors = try CommandLoop.run { try await store?.allowedSensors() ?? [] }
      return Dictionary(
        sensors.compactMap { sensor in DeviceAddress(sensor.address).map { ($0, sensor.name) } },
        uniquingKeysWith: { first, _ in first })
    } catch  where store.path == nil {
      return [:]
    }
  }
}

/// Shows a scan while it goes on: in place on a terminal, else a line for each device once it is heard.
final class ScanDisplay: Sendable {
  private struct State {
    /// Lines that stand on the terminal.
    var height = 0
    /// The addresses of those that have a line already.
    var shown: Set<String> = []
  }

  private let all: Bool
  private let isQuiet: Bool
  private let state = Mutex(State())

  /// - Parameters:
  ///   - all: Whether every device is listed.
  ///   - isQuiet: Whether nothing is shown before the end, for JSON.
  init(all: Bool, isQuiet: Bool) {
    self.all = all
    self.isQuiet = isQuiet
  }

  /// Shows the present list.
  func show(_ list: HeardDevices) throws {
    guard !isQuiet else { return }
    if StandardOutput.isTerminal { try redraw(list) } else { try showNew(list) }
  }

  /// Ends the display with the last lines.
  func finish(_ list: HeardDevices) throws {
    guard isQuiet else { return try show(list) }
    try StandardOutput.write(JSONValue.lines(list.listed(all: all).map(HeardDevices.json)))
  }

  private func redraw(_ list: HeardDevices) throws {
    var lines = list.text(all: all, columns: StandardOutput.columns).split(separator: "\n")
    // Lines that have scrolled off the terminal cannot be redrawn.
    let room = max(3, StandardOutput.rows - 1)
    if lines.count > room { lines = Array(lines.prefix(room - 1)) + ["…"] }
    let height = state.withLock { state in
      defer { state.height = lines.count }
      return state.height
    }
    var text = height > 0 ? "\u{1B}[\(height)A" : ""
    for line in lines { text += "\u{1B}[K\(line)\n" }
    try StandardOutput.write(text + "\u{1B}[J")
  }

  private func showNew(_ list: HeardDevices) throws {
    for device in list.listed(all: all) {
      let isNew = state.withLock { $0.shown.insert(device.address.description).inserted }
      if isNew { try StandardOutput.write(HeardDevices.line(device)) }
    }
  }
}
