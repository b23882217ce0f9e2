internal import ArgumentParser
internal import Documents
internal import FoundationEssentials
internal import HealthModel
internal import Reports
internal import SeriesStore
import Support

/// `sensord recovery SESSION|WORKOUT|last`: how far the heart rate fell in the minute after exercise.
struct RecoveryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "recovery", abstract: "Show how far the heart rate fell after exercise.",
    usage: "sensord recovery <session> [--at <t>] [--save] [options]",
    discussion: """
      The mean rate of the last 5 s of exercise, less that of 5 s a minute later;
      from beats, and not where one of them is missing or doubtful. Without --at
      the exercise ended 65 s before the session did, and a workout at its end.

        sensord recovery last --at 2026-11-21T18:04:10
        sensord recovery 3f2a91bc --save
      """)

  @Argument(help: "The first digits of a session's or workout's name, or last.")
  var session: String

  @Option(help: ArgumentHelp("When the exercise ended, as in 2026-11-21T18:04:10.", valueName: "t"))
  var at: String?

  @Flag(help: "Save the figure in the store; a second time, or beside that of a workout, adds nothing.")
  var save = false

  @OptionGroup var store: StoreOptions

  @Flag(help: "Print the figure as JSON.")
  var json = false

  mutating func run() throws {
    if !json { try ZoneChoice.requireLocal() }
    let at = try at.map {
      try MomentText.moment($0, in: ZoneChoice.rules(named: nil, environment: .current), option: "--at")
    }
    let name = session
    let catalogue = try store.catalogue()
    // Options for sessions alone make `last` the last session.
    let isSession = name == "last" && (at != nil || save)
    let (subject, answer) = try CommandLoop.run { () async throws -> (Subject, RecoveryAnswer) in
      switch isSession ? .session(try await catalogue.session(name)) : try await catalogue.named(name) {
      case .session(let session): return (.session(session.summary), try await session.recovery(at: at))
      case .workout(let workout): return (.workout(workout), try await catalogue.recovery(afterWorkout: workout))
      }
    }
    if case .workout = subject, at != nil || save {
      throw CommandFailure(
        .usage, "--at and --save do not go with a workout: its recovery is that of its end, and is saved with it",
        remedy: "name the session")
    }
    if json { try StandardOutput.write(answer.json(of: subject.kind, subject.id).text + "\n") }
    switch answer.figure {
    case .success(let recovery):
      if !json { try StandardOutput.write(recovery.text) }
      if save, case .session(let session) = subject {
        let workout = try CommandLoop.run {
          try await catalogue.workout(withRecoveryDuring: recovery.span, in: session)
        }
        guard let workout else { return try Self.save(recovery, of: session, in: store) }
        // The same fall of the same heart would count twice.
        let name = Subject.workout(workout).shortName
        StandardError.write("Nothing was saved: the store has the recovery of workout \(name), of the same minute.\n")
      }
    case .failure(let refusal):
      if json { throw EarlierReport(status: .badData) }
      throw CommandFailure(.badData, "no recovery of \(subject.kind) \(subject.shortName): \(refusal)")
    }
  }

  /// The session or workout that the recovery belongs to.
  private enum Subject {
    case session(SessionSummary)
    case workout(UUID)

    var kind: String {
      switch self {
      case .session: "session"
      case .workout: "workout"
      }
    }

    var id: UUID {
      switch self {
      case .session(let session): session.id
      case .workout(let workout): workout
      }
    }

    var shortName: String { String(id.uuidString.lowercased().prefix(8)) }
  }

  private static func save(_ recovery: HeartRateRecovery, of session: SessionSummary, in store: StoreOptions) throws {
    let writer = try store.openToWrite(making: false)
    let draft = recovery.draft(in: session.id, device: session.device)
    let source = SourceRevision(identifier: "sensord", name: "sensord", version: SensordCommand.version)
    _ = try CommandLoop.run { try await writer.save(try NewSample(draft), as: source) }
  }
}

extension HeartRateRecovery {
  /// Some lines for a person.
  fileprivate var text: String {
    func rate(_ value: Double) -> String { FixedPoint.text(value, digits: 1) }
    return """
      Recovery  \(rate(fall)) beats a minute, in one minute
      From      \(rate(rateAtEnd)) at \(LocalTime.second(end.microseconds))
      To        \(rate(rateAfterMinute)), 60 s later

      """
  }
}
