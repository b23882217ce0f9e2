import Glibc
import SeriesStore

/// Damages copies of a sound store, asks everything of each, and looks whether what changes is named.
///
///     StoreDamager sound STORE BEATS [CAPTURE…]         makes a store that holds some of everything
///     StoreDamager try STORE SEED FIRST COUNT COPY      tries the damages of these numbers on COPY
///     StoreDamager damage STORE SEED NUMBER COPY        makes one damaged copy, and says what was done
///
/// `try` prints `at NUMBER` before each damage, so that who started it knows at which one it ended; `fault NUMBER: …` for what
/// must not be; and at the end a line for each kind of damage, and its memory at the most.
@main
enum StoreDamager {
  /// Of the processor's seconds, for one damage: what takes as long would never end.
  private static let patience: UInt = 60
  /// Of memory that is in use at once.
  private static let greatestMemory = 200 << 20
  /// Of a tree that has no end: `VACUUM` holds what it has copied when the budget of work ends it.
  private static let greatestMemoryOfTree = 300 << 20

  static func main() async throws {
    let arguments = CommandLine.arguments
    switch (arguments.dropFirst().first, arguments.count) {
    case ("sound", 4...):
      try await SoundStore.make(at: arguments[2], captures: Array(arguments[4...]), beats: Int(arguments[3]) ?? 400)
    case ("try", 7):
      let first = Int(arguments[4]) ?? 0
      try await play(
        first..<first + (Int(arguments[5]) ?? 0), of: UInt64(arguments[3]) ?? 0, on: arguments[2], copy: arguments[6])
    case ("damage", 6):
      var damage = Damage(seed: UInt64(arguments[3]) ?? 0, number: Int(arguments[4]) ?? 0)
      try damage.apply(to: arguments[5], sound: try File.read(arguments[2]))
      try File.copyAttachments(of: arguments[2], to: arguments[5])
      tell("\(damage.kind.rawValue)\t\(damage.description.debugDescription)")
    default:
      tell(
        "usage: StoreDamager sound STORE BEATS [CAPTURE…] | try STORE SEED FIRST COUNT COPY | damage STORE SEED NUMBER COPY"
      )
      exit(64)
    }
  }

  /// How often which kind of damage changed what.
  private struct Tally {
    var tried = 0
    var changed = 0
    /// Of those that changed an answer without an error.
    var silent = 0
    /// Of those.
    var named = 0
  }

  private static func play(_ numbers: Range<Int>, of seed: UInt64, on sound: String, copy: String) async throws {
    var tallies: [Damage.Kind: Tally] = [:]
    let trial = try await Trial(sound: sound, copy: copy)
    var peak = 0
    for number in numbers {
      tell("at \(number)")
      limitTime()
      forgetPeak()
      var damage = Damage(seed: seed, number: number)
      var outcome = try await trial.play(&damage)
      let memory = Self.peak()
      peak = max(peak, memory)
      if memory > (damage.kind == .tree ? greatestMemoryOfTree : greatestMemory) {
        outcome.faults.append("\(memory >> 20) MB of memory")
      }
      for fault in outcome.faults { tell("fault \(number): \(damage.description.debugDescription): \(fault)") }
      var tally = tallies[damage.kind] ?? Tally()
      tally.tried += 1
      if outcome.changes { tally.changed += 1 }
      if !outcome.silent.isEmpty {
        tally.silent += 1
        if outcome.isNamed { tally.named += 1 }
      }
      tallies[damage.kind] = tally
    }
    for kind in Damage.Kind.allCases {
      let tally = tallies[kind] ?? Tally()
      tell("kind \(kind.rawValue) \(tally.tried) \(tally.changed) \(tally.silent) \(tally.named)")
    }
    tell("peak \(peak)")
  }

  /// Ends this process where one damage takes too long.
  private static func limitTime() {
    var usage = rusage()
    unsafe getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    let used = UInt(usage.ru_utime.tv_sec + usage.ru_stime.tv_sec)
    var limit = rlimit()
    unsafe getrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &limit)
    limit.rlim_cur = min(limit.rlim_max, used + patience)
    unsafe setrlimit(__rlimit_resource_t(RLIMIT_CPU.rawValue), &limit)
  }

  /// Lets the kernel count this process's greatest memory anew.
  private static func forgetPeak() {
    let descriptor = unsafe open("/proc/self/clear_refs", O_WRONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return }
    _ = unsafe write(descriptor, "5", 1)
    close(descriptor)
  }

  /// The bytes that were in use at once since then.
  private static func peak() -> Int {
    guard let status = try? File.read("/proc/self/status") else { return 0 }
    for line in String(decoding: status, as: UTF8.self).split(separator: "\n") where line.hasPrefix("VmHWM:") {
      return (Int(line.dropFirst(6).filter(\.isNumber)) ?? 0) << 10
    }
    return 0
  }

  /// Prints a line at once.
  private static func tell(_ line: String) {
    let bytes = Array((line + "\n").utf8)
    _ = unsafe write(STDOUT_FILENO, bytes, bytes.count)
  }
}
