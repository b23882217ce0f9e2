import Glibc
import Ingestion
import Logging
import Reports
import TestSupport
import Testing

@testable import sensord

@Suite("ServiceNotification")
struct ServiceNotificationTests {
  @Test("states arrive as one datagram", arguments: [false, true])
  func datagram(isAbstract: Bool) throws {
    let folder = TemporaryFolder()
    let path = isAbstract ? "@sensord-test-\(getpid())-\(folder.path.suffix(6))" : folder.path + "/notify"
    let receiver = try #require(DatagramReceiver(path))
    let notification = ServiceNotification(environment: ProcessEnvironment(["NOTIFY_SOCKET": path]))
    notification.send(.ready, .status("Recording"))
    #expect(receiver.next() == "READY=1\nSTATUS=Recording\n")
    notification.send(.watchdog)
    #expect(receiver.next() == "WATCHDOG=1\n")
    notification.send(.stopping)
    #expect(receiver.next() == "STOPPING=1\n")
  }

  @Test("where systemd does not read, a line of status is not waited for")
  func fullQueue() throws {
    let folder = TemporaryFolder()
    let receiver = try #require(DatagramReceiver(folder.path + "/notify"))
    let notification = ServiceNotification(environment: ProcessEnvironment(["NOTIFY_SOCKET": folder.path + "/notify"]))
    // Far more than any queue holds: without the flag this does not return.
    for number in 0..<2000 { notification.send(.status("\(number)")) }
    #expect(receiver.next() == "STATUS=0\n")
  }

  @Test("a line of status that systemd had no room for goes out with the next status, not when something else changes")
  func refusedLine() throws {
    let folder = TemporaryFolder()
    let receiver = try #require(DatagramReceiver(folder.path + "/notify"))
    let notification = ServiceNotification(environment: ProcessEnvironment(["NOTIFY_SOCKET": folder.path + "/notify"]))
    let publication = StatusPublication(
      file: StatusFile(directory: folder.path), store: "/s", notification: notification,
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    publication.update(RecorderStatus(state: .recording, problem: nil, sensors: []))
    publication.begin()
    while notification.send(.watchdog) {}
    let full = RecorderStatus(state: .recording, problem: "the disk is full", sensors: [])
    publication.update(full)
    #expect(receiver.next() == "STATUS=Recording\n")
    while !receiver.next().isEmpty {}
    publication.update(full)
    #expect(receiver.next() == "STATUS=the disk is full\n")
    publication.update(full)
    #expect(receiver.next() == "")
  }

  @Test("a name in the status line cannot add a state of its own")
  func forging() {
    #expect(ServiceNotification.State.status("x\nREADY=1").datagram == "STATUS=x�READY=1\n")
  }

  @Test("nothing is sent, and nothing breaks, without a socket", arguments: ["", "relative", "/no/such/socket"])
  func noSocket(path: String) {
    ServiceNotification(environment: ProcessEnvironment(["NOTIFY_SOCKET": path])).send(.ready)
  }

  @Test("a path that no socket can have is ignored")
  func longPath() {
    let path = "/" + String(repeating: "x", count: 300)
    ServiceNotification(environment: ProcessEnvironment(["NOTIFY_SOCKET": path])).send(.ready)
  }

  @Test("the watchdog is fed twice as often as systemd looks, and only where it looks at this process")
  func watchdog() {
    func interval(_ values: [String: String]) -> Duration? {
      ServiceNotification(environment: ProcessEnvironment(values), processIdentifier: 42).watchdogInterval
    }
    #expect(interval(["WATCHDOG_USEC": "30000000"]) == .seconds(15))
    #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "42"]) == .seconds(15))
    #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "43"]) == nil)
    #expect(interval(["WATCHDOG_USEC": "0"]) == nil)
    #expect(interval(["WATCHDOG_USEC": "soon"]) == nil)
    #expect(interval([:]) == nil)
  }
}
