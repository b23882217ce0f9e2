import CLinux
import FoundationEssentials
import Glibc
import HealthModel
import Sensors

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
