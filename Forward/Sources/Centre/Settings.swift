public import SeriesStore

/// The configuration: sections in brackets, `name = value`, lines that begin with # are remarks.
public struct Settings: Hashable, Sendable {
  /// A folder of a Unix socket, or the name of a host, which its certificate must have. Of several, with commas, the one that is
  /// written to.
  public var host = "/run/postgresql"
  public var port = 5432
  public var database = "sensord"
  /// The login at the centre, and the name of this gateway there.
  public var user = ""
  public var passwordFile: String?
  /// The certificates of who may vouch for the host.
  public var authority = "/etc/ssl/certs/ca-certificates.crt"
  public var store = "/var/lib/sensord/sensord.sqlite"
  public var persons = Persons(wearers: [:], other: "", sendsNames: false)
  /// The file in which `run` stores its last failure, for `status`.
  public var failureFile = "/run/sensord-forward/failure"

  /// Why a configuration is not one: one line.
  public struct Mistake: Error, Hashable, Sendable {
    public var message: String
  }

  /// Reads a configuration.
  public init(_ text: String) throws(Mistake) {
    var section = ""
    var seen: [String: Int] = [:]
    // Some editors write a mark of the encoding first, and end lines as Windows does: "\r\n" is one character.
    let text = text.hasPrefix("\u{FEFF}") ? String(text.unicodeScalars.dropFirst()) : text
    let lines = text.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
    for (index, line) in lines.enumerated() {
      let line = line.trimmed
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      if line.hasPrefix("["), line.hasSuffix("]") {
        section = String(line.dropFirst().dropLast())
        continue
      }
      let parts = line.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(\.trimmed)
      guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
        throw Mistake(message: "line \(index + 1): a setting is 'name = value'")
      }
      guard !line.unicodeScalars.contains(where: { $0.value < 32 && $0 != "\t" }) else {
        throw Mistake(message: "line \(index + 1): there is a control character in it")
      }
      let name = section == "persons" ? parts[0].uppercased() : String(parts[0])
      if let other = seen.updateValue(index + 1, forKey: "[\(section)] \(name)") {
        throw Mistake(message: "line \(index + 1): the same was set in line \(other) already; keep one of both")
      }
      try set(section, String(parts[0]), String(parts[1]), line: index + 1)
    }
    guard !user.isEmpty else { throw Mistake(message: "[centre] needs 'user', the login at the centre") }
    if persons.other.isEmpty {
      // Of each gateway another person.
      guard Persons.isPseudonym(user) else {
        throw Mistake(
          message: "[persons] needs 'other', whose everything is that no sensor says: the login is no pseudonym")
      }
      persons.other = user
    }
  }

  private mutating func set(_ section: String, _ name: String, _ value: String, line: Int) throws(Mistake) {
    switch (section, name) {
    case ("centre", "host"): host = value
    case ("centre", "port"):
      guard let number = Int(value), (1...65_535).contains(number) else {
        throw Mistake(message: "line \(line): a port is a number up to 65535")
      }
      port = number
    case ("centre", "database"): database = try Self.name(value, line: line)
    case ("centre", "user"): user = try Self.name(value, line: line)
    case ("centre", "password-file"): passwordFile = value
    case ("centre", "authority"): authority = value
    case ("store", "path"): store = value
    case ("status", "file"): failureFile = value
    case ("devices", "names"):
      guard value == "yes" || value == "no" else { throw Mistake(message: "line \(line): 'names' is yes or no") }
      persons.sendsNames = value == "yes"
    case ("records", "forward"):
      guard value == "yes" || value == "no" else { throw Mistake(message: "line \(line): 'forward' is yes or no") }
      persons.sendsRecords = value == "yes"
    case ("persons", "other"): persons.other = try Self.pseudonym(value, line: line)
    case ("persons", _):
      let digits = name.split(separator: ":", omittingEmptySubsequences: false)
      guard digits.count == 6, digits.allSatisfy({ $0.count == 2 && UInt8($0, radix: 16) != nil }) else {
        throw Mistake(
          message: "line \(line): [persons] has addresses of sensors, C0:FF:EE:00:00:01 for example, and 'other'")
      }
      persons.wearers[name.uppercased()] = try Self.pseudonym(value, line: line)
      persons.lines[name.uppercased()] = line
    default:
      // Never what the line has: somebody may have an address or a name there.
      guard let names = Self.names[section] else {
        throw Mistake(
          message:
            "line \(line): it is in no section that there is: [\(Self.names.keys.sorted().joined(separator: "], ["))]")
      }
      throw Mistake(message: "line \(line): [\(section)] has no such setting, but \(names)")
    }
  }

  /// The settings of each section.
  private static let names = [
    "centre": "host, port, database, user, password-file and authority", "store": "path", "status": "file",
    "devices": "names", "records": "forward", "persons": "addresses of sensors and other",
  ]

  /// A name at the server, which cuts a longer one without a word.
  private static func name(_ text: String, line: Int) throws(Mistake) -> String {
    guard text.utf8.count <= 63 else {
      throw Mistake(message: "line \(line): a name in PostgreSQL has at most 63 bytes, and this one \(text.utf8.count)")
    }
    return text
  }

  /// Letters, digits, `-`, `_` and `.`: no address, no name with spaces.
  private static func pseudonym(_ text: String, line: Int) throws(Mistake) -> String {
    guard Persons.isPseudonym(text) else {
      throw Mistake(
        message: "line \(line): a pseudonym has letters, digits, '-', '_' and '.', at most 64; p017 for one")
    }
    return text
  }

  /// Whether a host is reached by its name, and not by a socket here.
  public var isOverNetwork: Bool { host.split(separator: ",").contains { !$0.hasPrefix("/") } }

  /// libpq's parameters: over a network with the host's certificate verified, and nothing else.
  public func connection(password: String?) -> [(keyword: String, value: String)] {
    var parameters: [(keyword: String, value: String)] = [
      ("host", host), ("port", "\(port)"), ("dbname", database), ("user", user),
      ("application_name", "sensord-forward"),
      ("connect_timeout", "15"), ("client_encoding", "UTF8"),
      // Nothing of the home folder decides.
      ("passfile", "/nonexistent"), ("sslcert", "/nonexistent"), ("sslkey", "/nonexistent"), ("sslcrl", "/nonexistent"),
      ("tcp_user_timeout", "30000"),
      // A machine that is gone while its answer is awaited is noticed after 90 s, by the kernel.
      ("keepalives", "1"), ("keepalives_idle", "60"), ("keepalives_interval", "10"), ("keepalives_count", "3"),
      // Not a standby: it would be asked again and again for what it cannot do.
      ("target_session_attrs", "read-write"),
      // The server's side, too: a connection that is lost without a word would hold the gateway's row for two hours.
      (
        "options",
        "-c statement_timeout=1200000 -c lock_timeout=60000 -c bytea_output=hex -c tcp_user_timeout=90000 "
          + "-c tcp_keepalives_idle=60 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3"
      ),
    ]
    if let password { parameters.append(("password", password)) }
    if isOverNetwork {
      parameters += [
        ("sslmode", "verify-full"), ("sslrootcert", authority), ("ssl_min_protocol_version", "TLSv1.2"),
        ("gssencmode", "disable"),
      ]
    }
    return parameters
  }
}

/// The wearers of the sensors, by names that mean nothing outside of the gateway.
public struct Persons: Hashable, Sendable {
  /// By the address of a sensor, in upper case.
  public var wearers: [String: String]
  /// The lines of the configuration that name the wearers: messages have the line, since a pseudonym belongs in no log.
  public var lines: [String: Int] = [:]
  /// The person of everything else.
  public var other: String
  /// Whether names and addresses of devices, and names of sources, may leave the gateway.
  public var sendsNames: Bool
  /// Whether clinical records may leave the gateway, with the files that are attached to them.
  public var sendsRecords: Bool

  public init(wearers: [String: String], other: String, sendsNames: Bool, sendsRecords: Bool = false) {
    self.wearers = wearers
    self.other = other
    self.sendsNames = sendsNames
    self.sendsRecords = sendsRecords
  }

  /// The text before the person in the address of a restored device, whose own address never left the former machine.
  public static let restoredMark = "restored:"

  /// Letters, digits, `-`, `_` and `.`, at most 64: no address, no name with spaces.
  static func isPseudonym(_ text: String) -> Bool {
    (1...64).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
          UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
          true
        default: false
        }
      }
  }

  public func person(ofDevice device: StoredRow?) -> String {
    guard case .text(let address)? = device?["local_identifier"] else { return other }
    if address.hasPrefix(Self.restoredMark) {
      // Any program may have saved a device with such an address.
      let person = String(address.dropFirst(Self.restoredMark.count))
      return Self.isPseudonym(person) ? person : other
    }
    return wearers[address.uppercased()] ?? other
  }

  /// Returns the place in the configuration that says whose a device is, for a message.
  public func origin(ofDevice device: StoredRow) -> String {
    guard case .text(let address) = device["local_identifier"], let line = lines[address.uppercased()] else {
      return "no line of its own, so 'other'"
    }
    return "line \(line)"
  }
}

extension Substring {
  fileprivate var trimmed: Substring {
    var text = self
    while let first = text.first, first.isWhitespace { text.removeFirst() }
    while let last = text.last, last.isWhitespace { text.removeLast() }
    return text
  }
}
