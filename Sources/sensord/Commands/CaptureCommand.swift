internal import ArgumentParser
internal import Captures
internal import Documents
internal import Reports
internal import SeriesStore
import Support
internal import Timeline

/// `sensord capture -o FILE`: records the exchange between this computer and the sensors, for bug reports.
struct CaptureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "capture", abstract: "Capture what the sensors send, below bluetoothd.",
    usage: "sensord capture -o <file> [--duration <seconds>] [--all] [options]",
    discussion: """
      Writes the packets of the sensors to record, as btsnoop, until Ctrl-C. 'sensord
      replay' and Wireshark read it. Keys and other devices' data are left out. A
      sensor that is connected already is captured from its next connection on, so
      begin before you put it on. Needs root.

        sudo sensord capture -o strap.btsnoop
      """)

  @Option(name: [.short, .customLong("output")], help: ArgumentHelp("The file to make.", valueName: "file"))
  var output: String

  @OptionGroup var store: StoreOptions

  @Option(help: ArgumentHelp("How long to capture.", valueName: "seconds"))
  var duration: Int?

  @Flag(help: "Capture every device with GATT services, not only the sensors to record.")
  var all = false

  mutating func validate() throws {
    if let duration, !(1...604_800).contains(duration) {
      throw ValidationError("the duration is 1 to 604800 seconds")
    }
  }

  mutating func run() throws {
    let sensors = all ? nil : try sensorsToRecord()
    let signals = try EndSignals(after: duration)
    var capture = try MonitorCapture(path: output, sensors: sensors)
    if duration == nil { StandardError.write("Capturing into \(PrintableText.line(output)) until Ctrl-C.\n") }
    defer { Progress.clear() }
    try capture.run(until: signals.descriptor) { Progress.show("\($0.written) packets, \($0.leftOut) left out") }
    Progress.clear()
    let (written, leftOut) = (capture.progress.written, capture.progress.leftOut)
    try StandardOutput.write("\(written) packets in \(PrintableText.line(output)), \(leftOut) left out.\n")
  }

  private func sensorsToRecord() throws -> Set<SensorAddress> {
    let store = try store.openToRead()
    let sensors = try CommandLoop.run { try await store?.allowedSensors() ?? [] }
    guard !sensors.isEmpty else {
      throw CommandFailure(
        .noInput, "there is no sensor to capture", remedy: "add yours with 'sensord devices add', or give --all")
    }
    return Set(sensors.compactMap { SensorAddress($0.address) })
  }
}
