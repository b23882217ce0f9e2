internal import Centre
internal import Glibc
internal import SeriesStore
internal import Support

/// A failure in one line, with an exit status: a code of sysexits.h, or 1 where the centre differs from the store.
struct ForwardFailure: Error {
  enum Status: Int32 {
    case different = 1
    case usage = 64
    case data = 65
    case noInput = 66
    case unavailable = 69
    case software = 70
    case cannotCreate = 73
    case io = 74
    case retry = 75
    case wrongAnswer = 76
    case permission = 77
    case configuration = 78
  }

  var status: Status
  var message: String
  /// Whether the same may work later by itself.
  var isTransient = false
  /// Whether forwarding only has to begin anew, since the centre's anchor was put back to the start, or the store is another one or
  /// an older copy: nothing is wrong.
  var isStart = false
  /// Whether the centre refused it, so that the transaction is over.
  var isOfCentre = false

  init(_ status: Status, _ message: String, isTransient: Bool = false) {
    self.status = status
    self.message = PrintableText.line(message)
    self.isTransient = isTransient
  }

  init(_ failure: DatabaseFailure) {
    defer { isOfCentre = true }
    switch (failure.state ?? "", failure.remedy) {
    case _ where failure.isWrongAnswer:
      self.init(.wrongAnswer, "the centre: \(failure.message); see [centre] of the configuration, or repair the server")
    case (_, .retry): self.init(.retry, "the centre: \(failure.message); nothing is lost", isTransient: true)
    case (_, .person) where failure.isConnecting && failure.message.contains("no password supplied"):
      self.init(
        .permission,
        "the centre asks for a password, and there is none: set password-file in [centre] of the configuration")
    case (_, .person) where failure.isConnecting:
      self.init(.permission, "the centre: \(failure.message); see [centre] of the configuration")
    case ("42P01", _), ("42703", _), ("42804", _):
      self.init(
        .configuration,
        "the centre: \(failure.message); its tables are not those of this program, see 'sensord-forward schema'")
    case ("42501", _):
      self.init(.permission, "the centre: \(failure.message); the login must be in the role sensord_gateway")
    case ("2F003", _):
      self.init(.permission, "the centre: \(failure.message); the user mapping for that node needs a password")
    default: self.init(.data, "the centre: \(failure.message); nothing of this part was stored")
    }
  }

  init(_ error: StoreError) {
    switch error.code {
    case .missing: self.init(.noInput, Self.placed(error), isTransient: true)
    case .locked, .full, .io: self.init(.io, error.message, isTransient: true)
    case .permission: self.init(.permission, error.message + "; is the user in the group sensord?")
    case .newerVersion, .olderVersion: self.init(.configuration, error.message)
    case .cannotCreate: self.init(.cannotCreate, error.message)
    case .foreignAnchor, .lostAnchor:
      self.init(.data, error.message)
      isStart = true
    default: self.init(.data, Self.placed(error))
    }
  }

  /// Here the configuration says where the store is.
  private static func placed(_ error: StoreError) -> String {
    error.message.replacing("with --store", with: "with 'path' in [store] of the configuration")
  }
}

/// The last failure of forwarding, stored in a file for whoever asks: its message has no value of a person.
struct LastFailure {
  let message: String
  /// Seconds since 1970.
  private let began: Int64
  private var ended: Int64?

  init(_ message: String) {
    (self.message, began) = (PrintableText.line(message, most: 3_000), Self.now)
  }

  /// Whether it worked since.
  var isOver: Bool { ended != nil }

  /// Seconds since it began.
  var age: Int64 { max(0, Self.now.subtractingReportingOverflow(began).partialValue) }

  /// Ends the failure, and returns whether it had not ended before.
  mutating func end() -> Bool {
    guard ended == nil else { return false }
    ended = Self.now
    return true
  }

  /// Reads the failure from a file; nil where there is no such file, or its text has another form.
  static func read(_ path: String) -> LastFailure? {
    guard let file = unsafe fopen(path, "re") else { return nil }
    defer { unsafe fclose(file) }
    var bytes = [UInt8](repeating: 0, count: 4096)
    let count = unsafe fread(&bytes, 1, bytes.count, file)
    let parts = String(decoding: bytes[..<count], as: UTF8.self).split(separator: " ", maxSplits: 2)
    guard parts.count == 3, let began = Int64(parts[0]), let ended = Int64(parts[1]) else { return nil }
    // The line's end is no part of it.
    let message = PrintableText.line(parts[2].last == "\n" ? String(parts[2].dropLast()) : String(parts[2]))
    return LastFailure(message: message, began: began, ended: ended == 0 ? nil : ended)
  }

  private init(message: String, began: Int64, ended: Int64?) {
    (self.message, self.began, self.ended) = (message, began, ended)
  }

  /// Puts it in the place of what the file had. Where that cannot be, for lack of a folder or of rights, nobody is told later.
  func write(to path: String) {
    let draft = path + ".new"
    let descriptor = unsafe open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o644)
    guard descriptor >= 0 else { return }
    // The unit's umask is for what is secret.
    fchmod(descriptor, 0o644)
    let bytes = Array("\(began) \(ended ?? 0) \(message)\n".utf8)
    let isWhole = unsafe Glibc.write(descriptor, bytes, bytes.count) == bytes.count
    close(descriptor)
    if isWhole { unsafe rename(draft, path) } else { unsafe unlink(draft) }
  }

  private static var now: Int64 {
    var now = timespec()
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    return Int64(now.tv_sec)
  }
}

/// How long to wait before the next attempt: twice as long after each failure up to a limit, and never as long as others wait.
struct Backoff: Hashable, Sendable {
  /// Milliseconds after the first failure, and at most.
  var first: Int
  var most: Int
  /// The failures since the last success.
  private(set) var failures = 0

  init(first: Int = 500, most: Int = 300_000) {
    self.first = first
    self.most = most
  }

  /// Milliseconds to wait after one more failure: between half of the step and all of it.
  mutating func fail(using random: inout some RandomNumberGenerator) -> Int {
    let step = min(most, first << min(failures, 20))
    failures += 1
    return Int.random(in: step / 2...step, using: &random)
  }

  /// Ends the series of failures: the next one is a first one.
  mutating func succeed() { failures = 0 }
}
