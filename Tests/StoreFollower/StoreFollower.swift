import FoundationEssentials
import Glibc
import HealthModel
import SeriesStore

/// A program beside the one that records: it follows a store, or writes into it, until it is killed.
///
///     StoreFollower follow STORE STATE LIMIT          keeps what the store has in STATE, an anchor and a line for each object
///     StoreFollower write STORE SOURCE COUNT          saves samples, one at a time, and deletes every seventh
///     StoreFollower save STORE SOURCE COUNT PAUSE     saves samples only, so many microseconds apart
///     StoreFollower list STORE                        what the store has, and what a check of it finds
///     StoreFollower starve STORE                      opens it with ever more descriptors left, until it is observed
///
/// Each line is printed at once: when an answer is kept, a save or a deletion acknowledged.
@main
enum StoreFollower {
  static func main() async throws {
    let arguments = CommandLine.arguments
    switch (arguments.dropFirst().first, arguments.count) {
    case ("follow", 5): try await follow(arguments[2], state: arguments[3], limit: Int(arguments[4]) ?? 1)
    case ("write", 5): try await write(arguments[2], source: arguments[3], count: Int(arguments[4]) ?? 0)
    case ("save", 6):
      try await write(
        arguments[2], source: arguments[3], count: Int(arguments[4]) ?? 0, pause: UInt32(arguments[5]) ?? 0)
    case ("starve", 3): try starve(arguments[2])
    case ("list", 3): try await list(arguments[2])
    default:
      tell(
        "usage: StoreFollower follow STORE STATE LIMIT | write STORE SOURCE COUNT | save STORE SOURCE COUNT PAUSE"
          + " | starve STORE | list STORE")
    }
  }

  private static func follow(_ path: String, state: String, limit: Int) async throws {
    var mirror = StoreMirror(state)
    let store = try HealthStore.open(path, for: .reading, observing: true)
    while true {
      do throws(StoreError) {
        for try await snapshot in ChangeQuery(after: mirror.anchor, limit: limit).results(for: store) {
          mirror.apply(snapshot.value)
          mirror.keep(in: state)
          let changes = snapshot.value
          let added = changes.sessions.map { "+\($0.id.uuidString)" } + changes.added.map { "+\($0.id.uuidString)" }
          let gone = changes.deleted.map { "-\($0.id.uuidString)" }
          tell("\(now()) \(([String(snapshot.change)] + added + gone).joined(separator: " "))")
        }
        return
      } catch {
        guard error.code == .foreignAnchor || error.code == .lostAnchor else { throw error }
        mirror = StoreMirror()
        tell("again")
      }
    }
  }

  /// Without a `pause` (microseconds) it deletes as well.
  private static func write(_ path: String, source: String, count: Int, pause: UInt32? = nil) async throws {
    let store = try HealthStore.open(path, for: .writing)
    let program = SourceRevision(identifier: source, name: source)
    var saved: [UUID] = []
    for number in 0..<count {
      let start = Timestamp(microseconds: Int64(number) * 1_000_000)
      var builder = QuantitySeriesBuilder(type: number % 3 == 0 ? .stepCount : .heartRate, start: start)
      for second in 0...Int64(number % 5) {
        let time = start.advanced(byMicroseconds: second)
        try builder.insert(Double(60 + second), from: time, to: time)
      }
      let sample = try builder.finish()
      tell("\(now()) saving \(sample.id.uuidString) \(number % 5 + 1)")
      try await store.save(sample, as: program)
      tell("\(now()) saved \(sample.id.uuidString)")
      saved.append(sample.id)
      if let pause {
        usleep(pause)
        continue
      }
      guard number % 7 == 6 else { continue }
      let gone = saved.remove(at: saved.count / 2)
      tell("\(now()) deleting \(gone.uuidString)")
      do throws(StoreError) {
        try await store.delete([gone], as: source)
      } catch {
        // Deleted all the same where only its bytes could not be erased yet, since others are at work.
        guard error.code == .locked, try await SampleQuery(.identifier([gone])).result(for: store).value.isEmpty
        else { throw error }
      }
      tell("\(now()) deleted \(gone.uuidString)")
    }
  }

  private static func starve(_ path: String) throws {
    var limit = rlimit(rlim_cur: 64, rlim_max: 64)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    var taken: [Int32] = []
    while case let descriptor = dup(STDERR_FILENO), descriptor >= 0 { taken.append(descriptor) }
    while let descriptor = taken.popLast() {
      close(descriptor)
      do throws(StoreError) {
        _ = try HealthStore.open(path, for: .reading, observing: true)
        return tell("0 opened")
      } catch {
        tell("0 \(error.code)")
      }
    }
  }

  private static func list(_ path: String) async throws {
    let store = try HealthStore.open(path, for: .reading)
    for session in try await store.sessions() { tell("\(session.id.uuidString) 0") }
    for sample in try await SampleQuery().result(for: store).value { tell("\(sample.id.uuidString) \(sample.count)") }
    for damage in try await store.check() { tell("damaged: \(damage.object): \(damage.problem)") }
  }

  /// Nanoseconds of the monotonic clock, which all processes share.
  private static func now() -> Int64 {
    var time = timespec()
    unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
  }

  /// Prints a line by one call, so that it is there when the program is killed behind it.
  private static func tell(_ line: String) {
    let bytes = Array("\(line)\n".utf8)
    unsafe Glibc.write(STDOUT_FILENO, bytes, bytes.count)
  }
}
