import Glibc
import Logging
import Reports
import Testing

@testable import sensord

@Suite("Log lines")
struct LogLineTests {
  @Test(
    "journald gets the priority of syslog in front",
    arguments: [
      (Logger.Level.debug, "<7>"), (.info, "<6>"), (.notice, "<5>"), (.warning, "<4>"), (.error, "<3>"),
      (.critical, "<2>"),
    ])
  func priorities(level: Logger.Level, prefix: String) {
    #expect(JournalLogHandler.line(level, "bus lost", [:]) == prefix + "bus lost\n")
  }

  @Test("a terminal gets the time, and the level where it matters")
  func terminal() {
    func line(_ level: Logger.Level, isColoured: Bool = false) -> String {
      TerminalLogHandler.line(level, "bus lost", ["sensor": "x"], at: "14:03:05", isColoured: isColoured)
    }
    #expect(line(.info) == "14:03:05 bus lost  sensor=x\n")
    #expect(line(.warning) == "14:03:05 warning  bus lost  sensor=x\n")
    #expect(line(.error, isColoured: true) == "14:03:05 \u{1B}[31merror\u{1B}[0m  bus lost  sensor=x\n")
  }

  @Test("what a sensor calls itself cannot forge a line or a priority")
  func forging() {
    #expect(JournalLogHandler.line(.info, "connected to x\n<0>y", [:]) == "<6>connected to x�<0>y\n")
    #expect(JournalLogHandler.line(.info, "connected", ["name": "\u{1B}[2J\n"]) == "<6>connected  name=�[2J�\n")
  }

  @Test("colours need a terminal; a JOURNAL_STREAM of another file does not count")
  func destination() {
    let elsewhere = ProcessEnvironment(["JOURNAL_STREAM": "1:2", "NO_COLOR": "1"])
    #expect(LogDestination.current(elsewhere) == .terminal(isColoured: false))
    var status = stat()
    unsafe fstat(STDERR_FILENO, &status)
    let journal = ProcessEnvironment(["JOURNAL_STREAM": "\(status.st_dev):\(status.st_ino)"])
    #expect(LogDestination.current(journal) == .journald)
  }
}
