import Foundation

/// The time of a recording that passes faster than the machine's, and waits for its programs (Tests/FastClock/FastClock.c).
struct SharedClock {
  private let path: String
  let library = Program.folder.appendingPathComponent("libFastClock.so").path
  /// What each program needs to live in it.
  let environment: [String: String]

  /// Begins now; `path` is of the file that the programs share.
  init(_ path: String, speed: Int) throws {
    var now = timespec()
    unsafe clock_gettime(CLOCK_BOOTTIME, &now)
    let boot = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    unsafe clock_gettime(CLOCK_REALTIME, &now)
    let wall = Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
    self.path = path
    let bytes = [boot, wall - boot, Int64.max].flatMap(Self.bytes)
    try (Data(bytes) + Data(count: Self.size - bytes.count)).write(to: URL(fileURLWithPath: path))
    environment = [
      "LD_PRELOAD": library, "FASTCLOCK_FILE": path,
      "FASTCLOCK_SPEED": "\(speed)",
    ]
  }

  /// The environment of a program that stops time so many seconds after its start until one with ``releasing`` is there.
  func holding(after seconds: Int?) -> [String: String] {
    environment.merging(seconds.map { ["FASTCLOCK_HOLDS": "\($0)"] } ?? [:]) { $1 }
  }

  /// More than `struct shared` takes.
  private static let size = 2 << 20

  /// Lets time go on without this process, which is about to be stopped; nil ends that.
  func excuse(_ process: Int32?) throws { try write(Int64(process ?? 0), at: .excused) }

  /// The places of the numbers of `struct shared` that a test knows.
  private enum Place: UInt64 {
    case now = 0
    case limit = 16
    case step = 24
    // Behind 32 event loops.
    case excused = 552
  }

  /// Stops time where it is.
  func stop() throws { try write(read(.now), at: .limit) }

  func goOn() throws { try write(.max, at: .limit) }

  func goOn(for seconds: Int64) throws { try write(read(.now) + seconds * 1_000_000_000, at: .limit) }

  func isStopped() throws -> Bool { try read(.now) >= read(.limit) }

  /// How often every program had nothing left to do.
  func steps() throws -> Int64 { try read(.step) }

  private static func bytes(_ number: Int64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) }
  }

  private func read(_ place: Place) throws -> Int64 {
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    try file.seek(toOffset: place.rawValue)
    let bytes = try file.read(upToCount: 8) ?? Data()
    return bytes.reversed().reduce(0) { $0 << 8 | Int64($1) }
  }

  private func write(_ number: Int64, at place: Place) throws {
    let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
    try file.seek(toOffset: place.rawValue)
    try file.write(contentsOf: Self.bytes(number))
  }

  /// What a program needs that lets time go on again after ``holding(after:)``.
  var releasing: [String: String] { environment.merging(["FASTCLOCK_RELEASES": ""]) { $1 } }
}
