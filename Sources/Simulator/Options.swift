/// What the command line asks for.
struct Options: Equatable, Sendable {
  /// What the program is to do.
  enum Request: Equatable, Sendable {
    case simulate(Options)
    case showHelp
    case showVersion
  }

  /// A command line that makes no sense: one line for a person.
  struct UsageError: Error, Equatable {
    let message: String
  }

  /// The bus on which `org.bluez` is to appear.
  var bus = ""
  var scenario: String?
  /// Straps with a heart of their own, in place of a scenario.
  var straps: [StrapProfile] = []
  var seed: UInt64 = 1
  var log: String?
  var control: String?
  /// How many seconds are simulated in one.
  var speed = 1.0

  /// The version of the program, which is that of sensord.
  static let version = "0.1.0"

  /// One screen of help.
  static let help = """
    usage: sensord-simulator --bus ADDRESS (--scenario FILE | --strap NAME@ADDRESS…)

    Owns org.bluez on a private bus and plays virtual heart-rate straps behind it,
    with the behaviour of BlueZ 5.66, the unpleasant part included.

      --bus ADDRESS         the bus, as dbus-daemon prints it (unix:path=/…);
                            session and system are taken too
      --scenario FILE       what happens, as JSON: one strap, or straps and a
                            timeline (the lab's form)
      --strap NAME@ADDRESS  a strap on a plausible heart that never stops; may be
                            given several times: --strap H10@C0:FF:EE:00:00:01
      --seed N              seeds everything that is left to chance (1)
      --speed X             lets X simulated seconds pass in one; clients' own
                            time stamps are then compressed too (1)
      --log FILE            the ground truth: JSON lines of what was really sent
      --control PATH        a Unix socket that takes scenario items, one per line,
                            and answers each with ok or error …
      --help, --version

    Prints "ready" when clients can call. Ends on SIGTERM or SIGINT, and when the
    bus goes (exit 69).

    """

  /// Reads the arguments after the program's name.
  static func parse(_ arguments: [String]) throws(UsageError) -> Request {
    var options = Options()
    var rest = arguments[...]
    while let argument = rest.popFirst() {
      let parts = argument.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let name = parts[0]
      func value() throws(UsageError) -> String {
        if parts.count == 2 { return parts[1] }
        guard let value = rest.popFirst() else { throw UsageError(message: "\(name) needs a value") }
        return value
      }
      switch name {
      case "--help", "-h": return .showHelp
      case "--version": return .showVersion
      case "--bus": options.bus = try value()
      case "--scenario": options.scenario = try value()
      case "--strap": options.straps.append(try strap(try value()))
      case "--log": options.log = try value()
      case "--control": options.control = try value()
      case "--seed":
        guard let seed = UInt64(try value()) else { throw UsageError(message: "--seed needs a whole number") }
        options.seed = seed
      case "--speed":
        guard let speed = Double(try value()), speed >= 0.01, speed <= 1000 else {
          throw UsageError(message: "--speed needs a number from 0.01 to 1000")
        }
        options.speed = speed
      default: throw UsageError(message: "unknown option '\(name)'")
      }
    }
    guard !options.bus.isEmpty else { throw UsageError(message: "--bus is missing") }
    guard (options.scenario == nil) != options.straps.isEmpty else {
      throw UsageError(message: "either --scenario or --strap is needed, not both")
    }
    guard Set(options.straps.map(\.address)).count == options.straps.count else {
      throw UsageError(message: "two straps have the same address")
    }
    return .simulate(options)
  }

  private static func strap(_ text: String) throws(UsageError) -> StrapProfile {
    guard let at = text.lastIndex(of: "@"), at != text.startIndex,
      let address = try? Scenario.address(String(text[text.index(after: at)...]), place: "")
    else { throw UsageError(message: "--strap needs NAME@ADDRESS, H10@C0:FF:EE:00:00:01 for example") }
    var profile = StrapProfile()
    profile.name = String(text[..<at])
    profile.address = address
    profile.source = .heart
    return profile
  }
}
