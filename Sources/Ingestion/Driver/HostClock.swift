import CLinux
import FoundationEssentials
import Glibc
import HealthModel
public import Sensors

/// The machine's clocks as the recorder reads them: the one place where Ingestion asks for the time.
///
/// A value of closures, so that tests set the clocks and sensord uses the real ones.
public struct HostClock: Sendable {
  /// The boot clock: it counts suspend and is never set.
  public var now: @Sendable () -> BootInstant
  /// The wall clock, in microseconds since 1970 (UTC).
  public var wallMicroseconds: @Sendable () -> Int64
  /// Names this start of the machine.
  public var boot: BootIdentifier

  public init(
    now: @escaping @Sendable () -> BootInstant, wallMicroseconds: @escaping @Sendable () -> Int64, boot: BootIdentifier
  ) {
    self.now = now
    self.wallMicroseconds = wallMicroseconds
    self.boot = boot
  }

  /// `CLOCK_BOOTTIME`, `CLOCK_REALTIME`, and the kernel's boot identifier.
  public static var system: HostClock {
    HostClock(
      now: { BootInstant(microseconds: microseconds(CLOCK_BOOTTIME)) },
      wallMicroseconds: { microseconds(CLOCK_REALTIME) },
      boot: bootIdentifier(in: "/proc/sys/kernel/random/boot_id"))
  }

  /// The wall clock's lead over the boot clock.
  ///
  /// The reads are some hundred nanoseconds apart, but for a thread that is put aside between them: the wall clock is read
  /// between two reads of the boot clock until these are close, and of five such readings the closest counts.
  func wallMinusBoot() -> Int64 {
    var closest = Int64.max
    var lead: Int64 = 0
    for _ in 0..<5 {
      let before = now().microseconds
      let wall = wallMicroseconds()
      let spread = now().microseconds - before
      guard spread < closest else { continue }
      closest = spread
      lead = wall - before - spread / 2
      if spread <= 100 { break }
    }
    return lead
  }

  private static func microseconds(_ clock: clockid_t) -> Int64 {
    var time = timespec()
    unsafe clock_gettime(clock, &time)
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }

  /// Reads a UUID's 32 hexadecimal digits. A machine without the file has one boot for ever: zero.
  private static func bootIdentifier(in path: String) -> BootIdentifier {
    let file = unsafe open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { return BootIdentifier(high: 0, low: 0) }
    defer { close(file) }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = unsafe bytes.withUnsafeMutableBytes { unsafe read(file, $0.baseAddress, $0.count) }
    var words: (high: UInt64, low: UInt64) = (0, 0)
    var digits = 0
    for byte in bytes.prefix(max(0, count)) {
      guard let digit = Character(UnicodeScalar(byte)).hexDigitValue else { continue }
      if digits < 16 {
        words.high = words.high << 4 | UInt64(digit)
      } else {
        words.low = words.low << 4 | UInt64(digit)
      }
      digits += 1
      if digits == 32 { break }
    }
    return BootIdentifier(high: words.high, low: words.low)
  }
}

extension MachineClock {
  /// This machine's, and the date of this program's file, which a package sets to its own.
  public static var system: MachineClock {
    var status = stat()
    let isKnown = unsafe stat("/proc/self/exe", &status) == 0
    return MachineClock(
      goesOnWithoutPower: hasSetClock(in: "/sys/class/rtc"),
      programDate: isKnown ? Timestamp(microseconds: Int64(status.st_mtim.tv_sec) * 1_000_000) : nil)
  }

  /// Whether the kernel has set the clock by one of the machine's at its start (Documentation/ABI/testing/rtc-cdev, `hctosys`).
  static func hasSetClock(in folder: String) -> Bool {
    (0..<16).contains { number in
      let file = unsafe open("\(folder)/rtc\(number)/hctosys", O_RDONLY | O_CLOEXEC)
      guard file >= 0 else { return false }
      defer { close(file) }
      var digit: UInt8 = 0
      return unsafe read(file, &digit, 1) == 1 && digit == UInt8(ascii: "1")
    }
  }
}

extension BootIdentifier {
  /// As the store has it.
  var uuid: UUID {
    func byte(_ word: UInt64, _ place: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: word >> (56 - 8 * place)) }
    return UUID(
      uuid: (
        byte(high, 0), byte(high, 1), byte(high, 2), byte(high, 3), byte(high, 4), byte(high, 5), byte(high, 6),
        byte(high, 7), byte(low, 0), byte(low, 1), byte(low, 2), byte(low, 3), byte(low, 4), byte(low, 5),
        byte(low, 6), byte(low, 7)
      ))
  }
}
