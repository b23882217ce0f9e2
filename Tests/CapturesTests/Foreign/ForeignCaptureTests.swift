import FoundationEssentials
import Glibc
import TestSupport
import Testing
import Timeline

@testable import Captures

@Suite("Captures of other programs")
struct ForeignCaptureTests {
  /// A strap with everything that a capture can contain.
  static func script(_ fragment: Int = 27) -> PacketScript {
    var script = PacketScript()
    script.fragment = fragment
    script.add(.command([0x03, 0x0C, 0]))
    script.connect(0xC0FF_EE00_0001)
    script.discover()
    script.attribute(isReceived: false, [0x04, 0x11, 0, 0x30, 0])
    script.attribute(
      isReceived: true, [0x05, 1, 0x11, 0, 0x02, 0x29, 0x22, 0, 0x19, 0x2A, 0x23, 0, 0x29, 0x2A, 0x24, 0, 0x00, 0x2A])
    script.read(0x22, [87])
    script.read(0x21, [1])
    script.read(0x23, Array("Maker of straps, with a name that is longer than one fragment".utf8))
    script.read(0x24, Array("Strap".utf8))
    script.notify([0x10, 60, 0x00, 0x04])
    script.notify([0x10, 60, 0x00, 0x04])
    script.notify([])
    script.notify([86], 0x22)
    script.notify([1, 2, 3], 0x99)
    script.disconnect(0x08)
    script.connect(0xC0FF_EE00_0001, subevent: 0x0A)
    script.notify([0x00, 61])
    return script
  }

  static let kinds: [SensorEvent.Kind] = [
    .clock(wallMinusBootMicroseconds: 0), .connected, .battery(percent: 87), .location(1),
    .information(.manufacturerName, "Maker of straps, with a name that is longer than one fragment"),
    .measurement([0x10, 60, 0x00, 0x04]), .measurement([0x10, 60, 0x00, 0x04]), .measurement([]),
    .battery(percent: 86), .disconnected(reason: "connection timeout (0x08)"), .connected, .measurement([0x00, 61]),
    .ended(.captureEnd),
  ]

  @Test("every format gives the same capture", arguments: PacketScript.Format.allCases)
  func formats(format: PacketScript.Format) throws {
    let expected = try CaptureFile.read(bytes: Self.script().file(.btsnoopH4)).captures
    let contents = try CaptureFile.read(bytes: Self.script().file(format))
    #expect(contents.captures == expected)
    #expect(contents.damageCount == 0)
    let capture = try #require(contents.captures.first)
    #expect(capture.events.dropFirst().map(\.kind) == Self.kinds)
    #expect(capture.sensor == SensorIdentity(address: SensorAddress("C0:FF:EE:00:00:01"), name: "Strap"))
    #expect(capture.notificationCount == 4)
  }

  @Test("messages in fragments of any size are put together", arguments: [1, 2, 3, 4, 5, 7, 11, 27, 251])
  func fragments(size: Int) throws {
    let capture = try #require(CaptureFile.read(bytes: Self.script(size).file(.btsnoopMonitor)).captures.first)
    #expect(capture.events.dropFirst().map(\.kind) == Self.kinds)
  }

  @Test("a fragment whose beginning is missing, and a beginning without an end, cost only their own message")
  func brokenFragments() throws {
    var script = PacketScript()
    script.connect(0xC0FF_EE00_0001)
    script.discover()
    script.notify([0, 60])
    script.fragment = 4
    script.notify([0, 61])
    script.packets.removeLast()
    script.fragment = 27
    script.notify([0, 62])
    script.fragment = 4
    script.notify([0, 63])
    script.packets.remove(at: script.packets.count - 3)
    script.fragment = 27
    script.notify([0, 64])
    let capture = try #require(CaptureFile.read(bytes: script.file(.btsnoopH4)).captures.first)
    let payloads = capture.events.compactMap { if case .measurement(let payload) = $0.kind { payload } else { nil } }
    #expect(payloads == [[0, 60], [0, 62], [0, 64]])
  }

  @Test("a capture that starts after the discovery names the handles that notify, and is read once one is given")
  func givenHandle() throws {
    var script = PacketScript()
    script.notify([1], 0x99)
    for rate in UInt8(60)..<70 { script.notify([0, rate]) }
    let bytes = script.file(.btsnoopH4)
    let candidates = [
      CaptureError.HandleCandidate(handle: 0x10, notifications: 10),
      CaptureError.HandleCandidate(handle: 0x99, notifications: 1),
    ]
    #expect(throws: CaptureError.handleUnknown(candidates: candidates)) { try CaptureFile.read(bytes: bytes) }
    let capture = try #require(CaptureFile.read(bytes: bytes, handle: 0x10).captures.first)
    #expect(capture.notificationCount == 10)
    #expect(capture.sensor == SensorIdentity(address: nil, name: nil))
    #expect(capture.events.prefix(3).map(\.kind).contains(.measurement([0, 60])))
  }

  @Test("a handle that moved is found by each connection's own discovery, and one without has the one before")
  func movedHandle() throws {
    var script = PacketScript()
    for (handle, rate) in [(UInt16(0x10), UInt8(60)), (0x20, 70)] {
      script.connect(0xC0FF_EE00_0001)
      script.discover(handle)
      script.notify([0, rate], handle)
      script.disconnect(0x13)
    }
    script.connect(0xC0FF_EE00_0001)
    script.notify([0, 80], 0x20)
    script.notify([9, 9], 0x10)
    let capture = try #require(CaptureFile.read(bytes: script.file(.btsnoopH4)).captures.first)
    let payloads = capture.events.compactMap { if case .measurement(let payload) = $0.kind { payload } else { nil } }
    #expect(payloads == [[0, 60], [0, 70], [0, 80]])
  }

  @Test("a handle that changes its characteristic within a connection has the new one from then on")
  func changedHandle() throws {
    var script = PacketScript()
    script.connect(0xC0FF_EE00_0001)
    script.attribute(isReceived: true, [0x05, 1, 0x10, 0, 0x19, 0x2A])
    script.notify([87])
    script.discover()
    script.notify([0, 60])
    let capture = try #require(CaptureFile.read(bytes: script.file(.btsnoopH4)).captures.first)
    #expect(
      capture.events.map(\.kind).suffix(3) == [.battery(percent: 87), .measurement([0, 60]), .ended(.captureEnd)])
  }

  @Test("two straps are two captures, also with the same connection handle one after the other")
  func twoStraps() throws {
    var script = PacketScript()
    script.connect(0xC0FF_EE00_0001)
    script.discover()
    script.notify([0, 60])
    script.handle = 0x41
    script.connect(0xC0FF_EE00_0002, subevent: 0x29)
    script.discover(0x30)
    script.notify([0, 90], 0x30)
    script.handle = 0x40
    script.notify([0, 61])
    script.add(.adapterGone)
    script.connect(0xC0FF_EE00_0003)
    script.connect(0xC0FF_EE00_0004, status: 0x3E)
    script.discover()
    script.notify([0, 120])
    let captures = try CaptureFile.read(bytes: script.file(.btsnoopMonitor)).captures
    #expect(
      captures.map(\.sensor.address?.description) == [
        "C0:FF:EE:00:00:01", "C0:FF:EE:00:00:02", "C0:FF:EE:00:00:03",
      ])
    #expect(captures.map(\.notificationCount) == [2, 1, 1])
    #expect(captures[0].events.map(\.kind).contains(.disconnected(reason: "adapter gone")))
    #expect(Set(captures.map(\.session)).count == 3)
  }

  @Test("a file cut off anywhere gives everything before the cut and the number of the damaged record")
  func everyTruncation() throws {
    for format in [PacketScript.Format.btsnoopMonitor, .pcapngBigEndian] {
      let bytes = Self.script().file(format)
      let whole = try #require(CaptureFile.read(bytes: bytes).captures.first)
      var boundaries = 0
      for length in 0..<bytes.count {
        do {
          let contents = try CaptureFile.read(bytes: Array(bytes[..<length]))
          let capture = try #require(contents.captures.first)
          #expect(whole.events.starts(with: capture.events.dropLast()))
          #expect(capture.session == whole.session)
          #expect(contents.damageCount <= 1)
          guard let damage = contents.damages.first else {
            boundaries += 1
            continue
          }
          guard case .packet(let needed, let available) = damage.reason else {
            Issue.record("\(damage)")
            continue
          }
          #expect(damage.offset + available == length)
          #expect(needed > available)
          #expect(damage.record > 1)
        } catch let error as CaptureError {
          switch error {
          case .empty, .notACapture, .nothingReadable, .noNotifications: break
          default: Issue.record("\(error) at \(length)")
          }
        }
      }
      #expect(boundaries > 5)
    }
  }

  @Test("no bytes whatever stop the reader")
  func anyBytes() {
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SeededGenerator(seed: seed)
    for format in PacketScript.Format.allCases {
      let bytes = Self.script().file(format)
      for _ in 0..<300 {
        var damaged = bytes
        for _ in 0..<Int.random(in: 1...8, using: &random) {
          let value = [0, 0xFF, 0x7F, 0x80, UInt8.random(in: 0...255, using: &random)].randomElement(using: &random)
          damaged[Int.random(in: 8..<damaged.count, using: &random)] = value ?? 0
        }
        _ = try? CaptureFile.read(bytes: damaged, handle: Bool.random(using: &random) ? 0x10 : nil)
      }
    }
  }

  @Test("a file that is not a capture is refused with the reason")
  func refused() {
    func error(_ bytes: [UInt8]) -> CaptureError? {
      do {
        _ = try CaptureFile.read(bytes: bytes)
        return nil
      } catch {
        return error
      }
    }
    let script = PacketScript()
    #expect(error([]) == .empty)
    #expect(error(Array("a text\n".utf8)) == .notACapture)
    #expect(error(script.file(.btsnoopH4)) == .noNotifications(packets: 0))
    var bytes = script.file(.btsnoopH4)
    bytes[15] = 1
    #expect(error(bytes) == .unsupported(what: "btsnoop data link", found: 769))
    bytes[11] = 2
    #expect(error(bytes) == .unsupported(what: "btsnoop version", found: 2))
    var ethernet = script.file(.pcapngH4)
    ethernet[36] = 1
    #expect(error(ethernet) == .unsupported(what: "pcapng link type", found: 1))
    guard case .unsupported? = error([0xD4, 0xC3, 0xB2, 0xA1, 2, 0, 4, 0]) else {
      Issue.record("classic pcap")
      return
    }
    #expect(throws: CaptureError.unreadable(path: "/nonexistent", errorNumber: ENOENT)) {
      try CaptureFile.read(path: "/nonexistent")
    }
    #expect(throws: CaptureError.unreadable(path: "/tmp", errorNumber: EISDIR)) { try CaptureFile.read(path: "/tmp") }
  }

  static let folder = unsafe getenv("SENSORD_TEST_DATA").map { unsafe String(cString: $0) }

  @Test(
    "both forms of the real H10 recording give the same 600 notifications, and half a file gives the same session",
    .enabled(if: folder != nil, "SENSORD_TEST_DATA is not set: the real recordings were left out"))
  func realRecording() throws {
    let name = "\(Self.folder ?? "")/btsnoop/h10_kbroman_pvc_10min"
    let h4 = try CaptureFile.read(path: "\(name).h4.btsnoop")
    let monitor = try CaptureFile.read(path: "\(name).mon.btsnoop")
    #expect(h4.captures == monitor.captures)
    #expect(h4.captures.count == 1)
    #expect(h4.captures.first?.notificationCount == 600)
    #expect(h4.damageCount == 0)
    let bytes = try TemporaryFolder.read("\(name).h4.btsnoop")
    let half = try CaptureFile.read(bytes: Array(bytes[..<(bytes.count / 2)]))
    #expect(half.captures.map(\.session) == h4.captures.map(\.session))
    #expect(half.damages.count == 1)
    // The same through the project's own format.
    let capture = try #require(h4.captures.first)
    #expect(try CaptureReader.read(CaptureEncoder.encode(capture)).captures == [capture])
  }
}
