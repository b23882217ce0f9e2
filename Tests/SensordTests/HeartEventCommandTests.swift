import Captures
import Documents
import Foundation
import Reports
import Support
import TestSupport
import Testing
import Timeline

@testable import SeriesStore
@testable import sensord

/// Heart events, recovery and zones, with the built program.
@Suite("Events, recovery and zones")
struct HeartEventCommandTests {
  private let folder = TemporaryFolder()
  private var sensord: BuiltProgram { BuiltProgram(in: folder) }
  private var store: String { folder.store }
  private static let session = UUID(uuidString: "3F2A91BC-0000-4000-8000-000000000001")!
  private static let other = UUID(uuidString: "4A000000-0000-4000-8000-000000000002")!

  /// 700 s of 36 a minute, 650 s of 150, 15 s in which this falls to 120, and 50 s of that, the last 15 off the skin on request.
  /// Begins 2026-11-21T12:00:00Z, or so many seconds later as another session.
  private func capture(endsOffSkin: Bool = false, later seconds: Int64 = 0) throws -> String {
    var events = [
      SensorEvent(.boot(BootIdentifier(high: 1, low: 2)), at: BootInstant(microseconds: 0)),
      SensorEvent(
        .clock(wallMinusBootMicroseconds: 1_795_262_400_000_000 + seconds * 1_000_000), at: BootInstant(microseconds: 0)
      ),
      SensorEvent(.connected, at: BootInstant(microseconds: 0)),
    ]
    var (beat, previous) = (0.0, 0.0)
    for second in 1...1_415 {
      let rate = second <= 700 ? 36.0 : max(120, 150 - 2 * Double(max(0, second - 1_350)))
      var bytes: [UInt8] = [second > 1_400 && endsOffSkin ? 0x14 : 0x16, UInt8(rate)]
      // It breathes: intervals that follow from the rate would count as invented.
      while beat + 60 / rate * (1 + 0.02 * sin(beat)) <= Double(second) {
        beat += 60 / rate * (1 + 0.02 * sin(beat))
        let ticks = Int((beat * 1024).rounded() - (previous * 1024).rounded())
        bytes += [UInt8(ticks & 0xFF), UInt8(ticks >> 8)]
        previous = beat
      }
      if bytes.count == 2 || bytes[0] == 0x14 { bytes = [bytes[0] & 0x0F, bytes[1]] }
      events.append(
        SensorEvent(.measurement(bytes), at: BootInstant(microseconds: Int64(second) * 1_000_000)))
    }
    events.append(SensorEvent(.ended(.request), at: BootInstant(microseconds: 1_415_000_000)))
    let capture = Capture(
      header: CaptureHeader(
        session: seconds == 0 ? Self.session : Self.other,
        sensor: SensorIdentity(address: SensorAddress("C0:FF:EE:00:00:01"), name: "Strap"),
        source: "test"), events: events)
    return try CaptureArchive(directory: folder.path + "/made", maximumAgeSeconds: nil, maximumBytes: nil).keep(capture)
  }

  private func configuration(_ text: String) throws -> String { try folder.write("settings.conf", text) }

  private func run(_ arguments: String...) throws -> BuiltProgram.Outcome {
    try sensord.run(arguments + ["--store", store])
  }

  @Test("a low rate is found when the session is stored, others when they are switched on; a second scan adds nothing")
  func events() throws {
    #expect(try run("replay", try capture()).status == 0)
    let json = try run("events", "--json")
    #expect(json.status == 0, "\(json.errors)")
    let lines = json.output.split(separator: "\n")
    #expect(lines.count == 3)
    #expect(lines[1].contains(#""kind":"low","start":"2026-11-21T12:00:01.000Z","end":"2026-11-21T12:10:01.000Z","#))
    #expect(lines[1].contains(#""threshold":40,"rule":"lowHeartRate","ruleVersion":1,"session":"3f2a91bc-"#))

    let settings = try configuration("[events]\nhigh = 140\n")
    let scan = try run("events", "--rescan", "--config", settings)
    #expect(scan.output == "1 session searched: 1 events added, 0 removed, 1 kept\n", "\(scan.errors)")
    let again = try run("events", "--rescan", "last", "--config", settings, "--json")
    #expect(again.output == #"{"sessions":1,"added":0,"removed":0,"kept":2}"# + "\n", "\(again.errors)")

    let table = try run("events")
    #expect(
      table.output == """
        Start                      Length  Event           Session   Source
        2026-11-21 12:00:01 +0000   10:00  rate below 40   3f2a91bc  sensord
        2026-11-21 12:11:41 +0000   10:00  rate above 140  3f2a91bc  sensord

        """)
    #expect(try run("events", "--kind", "high", "--json").output.split(separator: "\n").count == 3)
    #expect(try run("events", "3f2a", "--from", "2026-11-21T12:11:00", "--json").output.contains(#""kind":"high""#))
    let none = try run("events", "--to", "2026-11-21")
    #expect(none.status == 0 && none.output.isEmpty && none.errors.contains("no such events"))
    #expect(try run("events", "--to", "2026-11-21", "--json").output == "[]\n")
    // Switched off, nothing is looked for, and nothing goes.
    let off = try configuration("[events]\nlow = no\n")
    #expect(try run("events", "--rescan", "--config", off).output.hasSuffix("0 events added, 0 removed, 0 kept\n"))
    #expect(try run("events", "--json").output.split(separator: "\n").count == 4)
    #expect(try run("check").status == 0)
    _ = try run("delete", "3f2a91bc")
    #expect(try run("events", "--json").output == "[]\n")
  }

  @Test("a damaged session is named and keeps its events, the others are searched, and the code is 65")
  func damagedSession() throws {
    #expect(try run("replay", try capture()).status == 0)
    #expect(try run("replay", try capture(later: 86_400)).status == 0)
    let before = try run("events", "--json").output
    #expect(before.split(separator: "\n").count == 4)
    try Connection(store, flags: 2).execute(
      """
      UPDATE chunks SET payload = x'00' WHERE id >> 20 IN
        (SELECT id FROM samples WHERE session = (SELECT id FROM sessions ORDER BY start LIMIT 1))
      """)
    let settings = try configuration("[events]\nhigh = 140\n")
    for (scan, found) in [(1, "1 events added, 0 removed, 1 kept"), (2, "0 events added, 0 removed, 2 kept")] {
      let outcome = try run("events", "--rescan", "--config", settings)
      #expect(outcome.status == Code.badData.rawValue, "scan \(scan)")
      #expect(outcome.output == "1 session searched: \(found)\n", "scan \(scan)")
      let lines = outcome.errors.split(separator: "\n")
      #expect(lines.count == 1 && lines[0].hasPrefix("sensord: ") && lines[0].contains("amage"), "\(outcome.errors)")
    }
    // The one that is damaged by its name alone is refused, too, and nothing of what was found in it goes.
    #expect(try run("events", "--rescan", "3f2a91bc", "--config", settings).status == Code.badData.rawValue)
    let after = try run("events", "--json").output.split(separator: "\n")
    #expect(after.count == 5)
    let low = before.split(separator: "\n").filter { $0.contains("low") }.map { $0.prefix { $0 != "}" } }
    #expect(after.filter { $0.contains(#""kind":"low""#) }.map { $0.prefix { $0 != "}" } } == low)
    let high = after.filter { $0.contains(#""kind":"high""#) }
    #expect(high.count == 1 && high[0].contains(#""session":"4a000000-"#))
  }

  @Test("of a damaged capture what can be read is searched: the record that is lost is told, its events are found")
  func damagedCapture() throws {
    var lines = String(decoding: try FileAccess.read(try capture()), as: UTF8.self).split(separator: "\n")
    let place = try #require(lines.firstIndex { $0.contains(" 300000000 m ") })
    lines[place] = lines[place].replacing(" m ", with: " n ")
    let damaged = try folder.write("damaged.capture", lines.joined(separator: "\n") + "\n")
    let replay = try run("replay", damaged)
    #expect(replay.status == 0, "\(replay.errors)")
    #expect(replay.errors.contains("record \(place + 1) (byte ") && replay.errors.contains("checksum does not match"))
    #expect(try run("events", "--json").output.contains(#""end":"2026-11-21T12:10:01.000Z","threshold":40"#))
    let settings = try configuration("[events]\nhigh = 140\n")
    let scan = try run("events", "--rescan", "--config", settings)
    #expect(scan.status == 0 && scan.output == "1 session searched: 1 events added, 0 removed, 1 kept\n")
  }

  @Test("what does not exist or makes no sense is told with its exit code")
  func failures() throws {
    #expect(try run("events", "--rescan").status == Code.noInput.rawValue)
    #expect(try sensord.run("events", "--json").output == "[]\n")
    #expect(try run("replay", try capture()).status == 0)
    #expect(try run("events", "beef").status == Code.noInput.rawValue)
    #expect(try run("events", "--rescan", "beef").status == Code.noInput.rawValue)
    #expect(try run("events", "--from", "2026-11-22", "--to", "2026-11-21").status == Code.usage.rawValue)
    let wrong = try configuration("[events]\nlow = fast\n")
    let outcome = try run("events", "--rescan", "--config", wrong)
    #expect(outcome.status == Code.configuration.rawValue && outcome.errors.contains("line 2: low = fast"))
    #expect(try run("recovery", "beef").status == Code.noInput.rawValue)
  }

  @Test("the recovery is that of the time named, or refused with the reason; saved twice it is there once")
  func recovery() throws {
    #expect(try run("replay", try capture()).status == 0)
    let at = try run("recovery", "last", "--at", "2026-11-21T12:22:30", "--json")
    #expect(at.status == 0, "\(at.errors)")
    let key =
      #"{"session":"3f2a91bc-0000-4000-8000-000000000001","at":"2026-11-21T12:22:30.000Z","heartRateRecoveryOneMinute":"#
    #expect(at.output.hasPrefix(key))
    let fall = try #require(Double(at.output.dropFirst(key.count).prefix { $0 != "," }))
    #expect(abs(fall - 30) < 4)
    #expect(at.output.contains(#""greatestRate":150,"refused":null,"reason":null}"#))
    let text = try run("recovery", "last", "--at", "2026-11-21T12:22:30")
    #expect(text.output.hasPrefix("Recovery  ") && text.output.contains(" at 2026-11-21 12:22:30 +0000\nTo        1"))
    let rose = try run("recovery", "last", "--at", "2026-11-21T12:11:00")
    #expect(rose.status == Code.badData.rawValue)
    #expect(rose.errors == "sensord: no recovery of session 3f2a91bc: the rate was higher a minute later\n")
    let json = try run("recovery", "last", "--at", "2026-11-21T12:11:00", "--json")
    #expect(json.status == Code.badData.rawValue && json.output.contains(#""refused":"rateRose""#))
    let late = try run("recovery", "last", "--at", "2026-11-21T12:23:00")
    #expect(late.errors.contains("was not recorded"))
    // Without a time it is 65 s before the end.
    #expect(try run("recovery", "last", "--json").output == at.output)
    for _ in 0..<2 {
      #expect(try run("recovery", "last", "--save").status == 0)
      let saved = try run("stats", "heartRateRecoveryOneMinute", "--every", "1y", "--json")
      #expect(saved.output.contains(#""count":1,"#), "\(saved.output)")
    }
  }

  @Test("a recovery from off the skin is refused")
  func offSkin() throws {
    #expect(try run("replay", try capture(endsOffSkin: true)).status == 0)
    let outcome = try run("recovery", "last", "--json")
    #expect(outcome.status == Code.badData.rawValue && outcome.output.contains(#""refused":"offSkin""#))
  }

  @Test("with a maximum configured show has the time in each zone, else none")
  func zones() throws {
    #expect(try run("replay", try capture()).status == 0)
    #expect(try !run("show", "last").output.contains("Zone") && !run("show", "last", "--json").output.contains("zones"))
    let settings = try configuration("[zones]\nmaximum = 200\n")
    let shown = try run("show", "last", "--config", settings)
    #expect(
      shown.output.contains(
        """

        Zone   of 200      Beats a minute   Time  Share
        below  to 50 %             to 100  11:40   50 %
        1      50 to 60 %        from 100   0:00    0 %
        2      60 to 70 %        from 120   0:59    4 %
        3      70 to 80 %        from 140  10:55   46 %
        4      80 to 90 %        from 160   0:00    0 %
        5      from 90 %         from 180   0:00    0 %

        """), "\(shown.output)")
    let json = try run("show", "last", "--json", "--config", settings)
    let zones = #""zones":{"basis":"maximum","maximum":200,"resting":null,"belowSeconds":700,"zones":["#
    #expect(json.output.contains(zones))
    #expect(json.output.contains(#"{"fromPercent":70,"fromRate":140,"seconds":655}"#))
    let reserve = try configuration("[zones]\nmaximum = 200\nresting = 50\n")
    #expect(try run("show", "last", "--config", reserve).output.contains("of the reserve from 50 to 200"))
  }
}
