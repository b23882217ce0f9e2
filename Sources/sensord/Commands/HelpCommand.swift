import ArgumentParser
import HealthModel
import Reports

/// `sensord help TOPIC` and `sensord help COMMAND`; ArgumentParser's own command of that name, which this one stands before, knows
/// no topics and answers an unknown word with the help of the whole program.
struct HelpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "help", abstract: "Explain a command, or sensors, gaps, privacy …",
    discussion: """
      \(HelpTopic.allCases.map { "  \($0.rawValue): \($0.abstract)" }.joined(separator: "\n"))
      """)

  @Argument(
    help: ArgumentHelp("A topic, or the words of a command.", valueName: "topic"),
    completion: .list(["topics"] + HelpTopic.allCases.map(\.rawValue)))
  var words: [String] = []

  mutating func run() throws {
    if let word = words.first, words.count == 1 {
      if let topic = HelpTopic(rawValue: word) { return try StandardOutput.write(topic.page + "\n") }
      if word == "topics" { return try StandardOutput.write(HelpTopic.list + "\n") }
    }
    throw CleanExit.helpRequest(try command())
  }

  /// The command that the words name.
  private func command() throws(CommandFailure) -> any ParsableCommand.Type {
    var command: any ParsableCommand.Type = SensordCommand.self
    for word in words {
      let commands = command.configuration.subcommands.filter { $0.configuration.shouldDisplay }
      guard let next = commands.first(where: { $0.configuration.commandName == word }) else {
        let names = commands.compactMap { $0.configuration.commandName }
        let topics = command == SensordCommand.self ? HelpTopic.allCases.map(\.rawValue) : []
        throw failure(Spelling.nearest(to: word, among: names + topics))
      }
      command = next
    }
    return command
  }

  private func failure(_ nearest: [String]) -> CommandFailure {
    let meant = nearest.map { "'\($0)'" }.joined(separator: ", or ")
    return CommandFailure(
      .usage, "no topic or command '\(words.joined(separator: " "))'",
      remedy: nearest.isEmpty ? "'sensord help topics' and 'sensord --help' list them" : "did you mean \(meant)?")
  }
}

/// The topics of `sensord help TOPIC`, which belong to no single command. Each is a manual page of section 7, too
/// (`Scripts/manuals`).
enum HelpTopic: String, CaseIterable {
  case sensors
  case gaps
  case privacy
  case configuration
  case files
  case formats
  case exitCodes = "exit-codes"

  /// The subject in one line, as a manual page has it beside its name.
  var abstract: String {
    switch self {
    case .sensors: "how a strap is found, added, worn and recorded"
    case .gaps: "what is missing in a recording, and how that is marked"
    case .privacy: "who may read what is recorded, and how to delete it"
    case .configuration: "the settings, and where they stand"
    case .files: "which files there are, and what to keep"
    case .formats: "files of other programs, out and in"
    case .exitCodes: "what a command ends with"
    }
  }

  /// The printed page: at most 80 columns, without a line feed at the end.
  var page: String { "\(rawValue): \(abstract)\n\n\(text)" }

  /// All topics, a line each.
  static var list: String {
    "Topics of 'sensord help':\n\n" + allCases.map { "  \(padded($0.rawValue, to: 16))\($0.abstract)\n" }.joined()
      + "\n'sensord help COMMAND' has the options of a command; 'sensord --help' lists them."
  }

  private static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.utf8.count))
  }
}

/// Paragraphs flow in the manual page; a paragraph with an indented line, or with columns, stays as it is there.
extension HelpTopic {
  var text: String {
    switch self {
    case .sensors:
      """
      Any Bluetooth LE sensor with the standard Heart Rate Service is recorded:
      chest straps, arm bands, watches that broadcast. Only those that you added:

        sensord scan                                who is in reach
        sensord devices add C0:FF:EE:00:00:01       this one, from now on
        sensord devices                             those that are recorded
        sensord devices remove C0:FF:EE:00:00:01    no more

      Wear it: most straps wake up by moist skin. It is linked by itself, within
      seconds, and its session begins with the first heart rate. Nothing has to be
      started or ended. The session ends when the sensor stays away, or off the
      skin, for five minutes.

      A sensor allows few links, often one: an app on a phone may hold it. Few
      sensors need pairing; 'sensord devices pair' does that.

      Nothing is recorded? 'sensord doctor' looks at the whole way from the bus to
      the store, and 'sensord status' says what each sensor does.
      """
    case .gaps:
      """
      What arrived is stored as it came, and what did not is marked. No interval is
      ever formed across a gap, and no value is made up to fill one.

        link             the sensor was out of reach, or the radio lost it
        contact          it was off the skin
        silence          it sent nothing for ten seconds, on a link that was up
        recorder, boot   the recorder did not run; the machine was restarted
        step             beats were lost without a word
        missedOrPause    one long interval: missed beats, or a pause
        filler, surplus  the sensor sent intervals that it did not measure
        clientSession    a program's session has these beats; none is lost

      'sensord show' lists the gaps of a session, and says how much of its time the
      beats account for: the coverage. It has a floor and a ceiling, since nobody
      can know whether a beat was missed or only late.

      Beats that look wrong have flags, such as missed, extra or ectopic; their
      values stay. Figures of the heart rate variability leave them out, and are
      refused, with the reason, where too much is missing. In the table of
      'sensord export --format beats' both are columns.

      While it is recorded all of this is provisional. It is computed once more,
      from all values, when the session ends.
      """
    case .privacy:
      """
      Heart rates say much about a person. They leave this machine only if you
      carry them: the recorder has no network.

        your own recorder    your files have mode 0600, for you alone
        the service          readable by root and the group sensord (0640)
        logs, errors         have no rates, intervals or payloads
        other programs       get what you allowed them, by type: sensord grants

      A program that may not read cannot tell that from there being nothing.
      'sensord agent' asks you when one wants to read or save.

      'sensord delete' removes a session from the store, the journal and the kept
      captures; 'sensord grants revoke' takes a permission back. Purging the
      Debian package deletes all that the service recorded.

      Files are not encrypted: use an encrypted disk. Most straps send without
      encryption, so whoever is in range can receive them as sensord does.
      """
    case .configuration:
      """
      Nothing has to be configured. The service reads /etc/sensord/sensord.conf,
      your own recorder ~/.config/sensord/sensord.conf; 'sensord run --config FILE'
      another one. What is not set has its default.

        [sessions]    when a session ends
        [journal]     how soon values are safe on the disk
        [captures]    how long raw notifications are kept
        [sensors]     who is recorded, on which adapters
        [events]      which heart rates are events
        [zones]       your greatest rate, for time in zones
        [clients]     what other programs may do
        [log]         how much is logged

      A setting is a line such as this, below its section:

        away-limit = 10min

      A change counts from the next start: sudo systemctl restart sensord. A line
      that is wrong ends the recorder with 78 and is named, with its number. Every
      setting with its default: sensord.conf(5), or the file that is installed.
      """
    case .files:
      """
      Sessions are in one SQLite file, with all that belongs to them. The service
      and each person who records have one of their own:

        /var/lib/sensord/sensord.sqlite            the service's
        ~/.local/state/sensord/sensord.sqlite      a person's

      Beside it, named after it:

        sensord.journal/        what is recorded now; deleted when it is stored
        sensord.captures/       raw notifications, for a month (see configuration)

      Commands read the service's store where the service is installed, else your
      own; '--store FILE' names another. XDG_STATE_HOME and XDG_CONFIG_HOME are
      respected.

      To keep a copy of all of it, also while the recorder runs, and to get it back:

        sudo sensord backup sensord.tar
        sudo sensord restore sensord.tar

      'sensord check' says whether a store is sound, and what could be damaged
      without showing. The format is documented in sensord-store(5).
      """
    case .formats:
      """
      What a file can hold of a recording:

                    rates        intervals    beats when   gaps
        beats csv   -            1/1024 s     exactly      each
        rates csv   exactly      -            -            each
        fit         each second  1 ms         1 s          the timer stops
        tcx         each second  -            -            a new track
        rr          -            1 ms         -            -
        hrvlogger   -            1 ms         1 ms         from the times
        wfdb        -            1/1024 s     exactly      a note at each
        edf         each second  -            1 µs         a note at each
        omh         exactly      exactly      1 µs         no interval over one
        fhir        each second  -            -            -
        apple       each second  10 ms        10 ms        a new record

      'sensord export --help' has them all. 'sensord import' reads fit, tcx, rr,
      hrvlogger, wfdb and Apple Health's export, by what is in them and not by
      their names, also packed. --dry-run says what would come in.

      A file twice adds nothing, and a file that sensord wrote is known again. Of
      two forms of one recording the one with all of the other stays. Where each
      has what the other lacks, both are told, and you choose: delete, and import
      the other one with --restore.

      Intervals as text do not say when they were: --start does. What was passed
      over is counted and told, and a damaged file comes in up to its damage.
      """
    case .exitCodes:
      """
      Results go to stdout, everything else to stderr. An error is one line: what
      failed, why, what to do. The codes are those of sysexits.h:

         0    done
        64    the command line is not valid
        65    data are damaged, not what they should be, or of a newer version
        66    what was named does not exist
        69    a bus, adapter, daemon or program that is needed is not there
        70    a defect of sensord: please report it
        73    a file or folder cannot be created
        74    reading or writing failed, or the disk is full
        75    somebody else has it, or it is not the time for it
        77    no permission
        78    the configuration is wrong

      The service is not restarted after 64, 65 and 78, which no restart mends.
      """
    }
  }
}
