import ArgumentParser
import DBus
import Reports
import Support

/// `sensord doctor`: finds the reason why nothing is recorded, with a remedy.
struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Find out what keeps sensord from recording.",
    discussion: """
      Looks at the way from the message bus to the store, changes nothing, and
      names the remedy for what is wrong. Ends with 0 where all is well, with 77
      for a permission and 69 for something that is not there.
      """)

  @OptionGroup var bus: BusOptions

  @OptionGroup var store: StoreOptions

  mutating func run() throws {
    let location = try StoreLocation.forCommands(option: store.path, environment: .current)
    let address = bus.address
    let recorder = StatusFile.candidates(environment: .current).lazy.compactMap { try? $0.read() }
      .first { StatusFile.isRunning($0) }
    let findings = try CommandLoop.run(on: EventLoop()) { loop in
      var findings = await BluetoothCheckup.findings(bus: address, on: loop)
      findings += await StoreCheckup.findings(location)
      if address == .system { findings.append(await ServiceCheckup.finding(on: loop)) }
      findings.append(StoreCheckup.recorder(recorder))
      findings += StoreCheckup.namesakes(recorder)
      findings.append(await DoorCheckup.finding(isRecording: recorder != nil, on: loop))
      findings.append(await ClockCheckup.finding(bus: address, location, on: loop))
      findings.append(ImportCheckup.finding())
      return findings
    }
    try StandardOutput.write(findings.map(\.text).joined())
    let status = Finding.status(findings)
    guard status == .success else { throw EarlierReport(status: status) }
    try StandardOutput.write("\nAll is well: 'sensord run' will record.\n")
  }
}

/// The finding of one check of `sensord doctor`.
struct Finding: Hashable, Sendable {
  enum Result: Hashable, Sendable {
    case passed(String)
    /// The problem, the remedy, and the code that the command ends with.
    case failed(String, remedy: String, status: ExitStatus)
    /// The reason why the check was skipped: an earlier one failed, or this one does not apply.
    case skipped(String)
  }

  /// The subject of the check: `message bus`.
  var title: String
  var result: Result

  /// The finding for a person, the remedy on a line of its own.
  var text: String {
    let label = title + String(repeating: " ", count: max(1, 16 - title.count))
    return switch result {
    case .passed(let detail): "✓ \(label)\(PrintableText.line(detail))\n"
    case .failed(let cause, let remedy, _):
      "✗ \(label)\(PrintableText.line(cause))\n    → \(PrintableText.line(remedy))\n"
    case .skipped(let reason): "- \(label)\(PrintableText.line(reason))\n"
    }
  }

  /// The code of the first check that failed; success where no check failed.
  static func status(_ findings: [Finding]) -> ExitStatus {
    for finding in findings {
      if case .failed(_, _, let status) = finding.result { return status }
    }
    return .success
  }
}
