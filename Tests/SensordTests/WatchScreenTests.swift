import Documents
import Ingestion
import RecordingSamples
import Reports
import Support
import Testing
import Timeline

@testable import sensord

/// The screen of `sensord watch`, as text, by a clock of the test.
@Suite("The live screen")
struct WatchScreenTests {
  private static let strap = "C0:FF:EE:00:00:01"
  private let second: Int64 = 1_000_000

  /// 80 columns without colour.
  private func frame(_ screen: WatchScreen, columns: Int = 80, rows: Int = 24, isUTF8: Bool = true) -> [String] {
    let style = WatchScreen.Style(columns: columns, rows: rows, isUTF8: isUTF8)
    return screen.frame(at: SampleStatus.now, style).dropFirst().map { $0 }
  }

  /// A recorder with the strap of ``SampleStatus``, and values of it, one a second from second 1 on.
  private func measuring(_ count: Int = 4, ticks: [[UInt16]] = [[1024], [512], [768], [1024]]) -> WatchScreen {
    var screen = WatchScreen()
    screen.recorderCame()
    screen.update(SampleStatus.document().status)
    for index in 0..<count {
      let time = Int64(index + 1) * second
      screen.measured(
        Self.strap, .init(beatsPerMinute: 72, rrTicks: ticks[index % ticks.count], time: time), at: time)
    }
    return screen
  }

  @Test("a strap that measures has rate, intervals, session, gaps, battery and a line of its beats")
  func figures() {
    #expect(
      frame(measuring()) == [
        "", "Strap \u{FFFD}[2J", "  72 beats a minute · RR 1000 ms",
        "  session of 1 min 01 s · 3 gaps · 2 lost links · battery 81 %", "  █▁▄█",
        "  RR 500 to 1000 ms, the last 4 beats",
        "", "C0:FF:EE:00:00:02  away",
      ])
  }

  @Test("the first line has the time, what the recorder does and how this ends")
  func title() {
    let line = measuring().frame(at: SampleStatus.now, .init())[0]
    #expect(line == "\(LocalTime.timeOfDay(SampleStatus.now)) · Recording · Ctrl-C ends this")
  }

  @Test("a value counts until less than three seconds after the beat that was due, and is a dash from then on")
  func stale() throws {
    var screen = measuring()
    // The last value came at 4 s, with an interval of 1 s.
    let end = try #require(screen.nextChange)
    #expect(end > 7 * second && end < 8 * second)
    screen.pass(to: end - 1)
    #expect(frame(screen)[2].hasPrefix("  72 beats"))
    screen.pass(to: end)
    #expect(frame(screen)[2] == "  –  no value came" && screen.nextChange == nil)
    screen.measured(Self.strap, .init(beatsPerMinute: 75, rrTicks: [800], time: end + second), at: end + second)
    #expect(frame(screen)[2] == "  75 beats a minute · RR 781 ms")
    #expect(frame(screen)[4] == "  █▁▄█ ▄", "a blank in the line of beats")
  }

  @Test("a rate without intervals is due after the time that it says")
  func rateAlone() throws {
    var screen = WatchScreen()
    screen.recorderCame()
    screen.measured(Self.strap, .init(beatsPerMinute: 30, rrTicks: [], time: 0), at: 0)
    #expect(screen.nextChange == 2 * second + WatchScreen.patience)
    #expect(frame(screen).last == "  30 to 30 beats a minute, the last value")
  }

  @Test(
    "what the recorder tells takes the value away at once, and says why",
    arguments: [
      ("stale", "no value came"), ("silent", "silent"), ("offSkin", "off skin"), ("linkLost", "link lost"),
    ])
  func told(word: String, words: String) {
    var screen = measuring()
    screen.changed(Self.strap, to: word)
    #expect(frame(screen)[2] == "  –  \(words)")
    screen.changed(Self.strap, to: "measuring")
    #expect(frame(screen)[2] == "  –  no value came", "a state alone brings no value back")
  }

  @Test("a word of a later recorder changes nothing")
  func unknownWord() {
    var screen = measuring()
    screen.changed(Self.strap, to: "sleeping")
    #expect(frame(screen)[2].hasPrefix("  72 beats"))
  }

  @Test("a value from off the skin is none")
  func offSkin() {
    var screen = measuring()
    screen.measured(
      Self.strap, .init(beatsPerMinute: 72, rrTicks: [900], isOnSkin: false, time: 5 * second), at: 5 * second)
    #expect(frame(screen)[2] == "  –  off skin")
  }

  @Test("a value that waited until it was old is not shown, but drawn among those before")
  func late() {
    var screen = WatchScreen()
    screen.recorderCame()
    screen.measured(Self.strap, .init(beatsPerMinute: 72, rrTicks: [1024], time: 0), at: 60 * second)
    #expect(frame(screen)[2] == "  –  no value came" && frame(screen)[3] == "  ▄ ")
  }

  @Test("with the recorder go value, state, session and battery, and come again")
  func noRecorder() {
    var screen = measuring()
    screen.recorderWent()
    let gone = screen.frame(at: SampleStatus.now, .init())
    #expect(gone[0].contains("No recorder is running; waiting for one"))
    #expect(
      gone[3] == "  –  no recorder" && !gone.joined().contains("battery") && !gone.joined().contains("session of"))
    #expect(gone.last == "C0:FF:EE:00:00:02  no recorder")
    screen.recorderCame()
    screen.update(SampleStatus.document().status)
    #expect(frame(screen)[2] == "  –  no value came", "what the status says of the value before is not shown")
    screen.measured(Self.strap, .init(beatsPerMinute: 60, rrTicks: [1024], time: 9 * second), at: 9 * second)
    #expect(frame(screen)[2].hasPrefix("  60 beats") && frame(screen)[3].hasSuffix("battery 81 %"))
  }

  @Test("a recorder that runs and lets no programs in is told from none")
  func shut() {
    var screen = WatchScreen()
    screen.update(SampleStatus.document().status)
    let lines = screen.frame(at: SampleStatus.now, .init())
    #expect(lines.count == 1 && lines[0].contains("The recorder is not open to programs: 'sensord doctor'"))
  }

  @Test("values that did not come leave a blank among the beats")
  func hole() {
    var screen = measuring(2)
    screen.measured(
      Self.strap, .init(beatsPerMinute: 72, rrTicks: [1024], isAfterHole: true, time: 3 * second), at: 3 * second)
    #expect(frame(screen)[4] == "  █▁ █")
  }

  @Test("no line is wider than the screen, and no more of them are there than it has", arguments: [20, 40, 80, 200])
  func sizes(columns: Int) {
    let screen = measuring(300)
    let lines = screen.frame(at: SampleStatus.now, .init(columns: columns, rows: 5))
    #expect(lines.count == 5 && lines.allSatisfy { PrintableText.width(of: $0) <= columns })
    #expect(frame(screen, columns: columns)[4].count == min(columns, 302))
  }

  @Test("where sensors do not fit the last line says how many, and none is shown in part but the first")
  func crowded() {
    var screen = measuring()
    for number in 3...9 {
      screen.measured(
        "C0:FF:EE:00:00:0\(number)", .init(beatsPerMinute: 70, rrTicks: [], time: 4 * second), at: 4 * second)
    }
    let all = frame(screen, rows: 100)
    #expect(all.count == 6 + 7 * 5 + 2 && !all.joined().contains("fit"))
    #expect(frame(screen, rows: all.count + 1) == all, "exactly as many lines as there are")
    let fewer = frame(screen, rows: 24)
    #expect(fewer.count <= 23 && fewer.dropLast() == all.prefix(fewer.count - 1))
    #expect(fewer.count == 6 + 3 * 5 + 1 && fewer.last == "5 more sensors do not fit; make the window taller")
    #expect(frame(screen, rows: all.count).last == "1 more sensor does not fit; make the window taller")
    #expect(frame(screen, rows: 4) == all.prefix(2) + ["8 more sensors do not fit; make the window taller"])
  }

  @Test("a terminal without UTF-8 gets ASCII")
  func ascii() {
    var screen = measuring()
    screen.changed(Self.strap, to: "linkLost")
    let lines = frame(screen, isUTF8: false)
    #expect(lines[2] == "  -  link lost" && lines.dropFirst(2).joined().utf8.allSatisfy { $0 < 0x80 })
  }

  @Test("colour is there only where it is wanted")
  func colour() {
    let plain = measuring().frame(at: SampleStatus.now, .init())
    let coloured = measuring().frame(at: SampleStatus.now, .init(isColoured: true))
    #expect(!plain.joined().contains("\u{1B}") && coloured.joined().contains("\u{1B}[1m"))
  }

  @Test("without a sensor the screen says where to ask")
  func nobody() {
    var screen = WatchScreen()
    screen.recorderCame()
    #expect(frame(screen).last == "No sensor is there yet; 'sensord status' says what the recorder does.")
  }

  @Test("as text there is a line for each change of rate or state")
  func lines() {
    var lines = WatchLines(.text)
    var screen = measuring()
    let time = LocalTime.timeOfDay(SampleStatus.now)
    func new(_ measured: String? = nil) -> [String] { lines.lines(screen, measured: measured, at: SampleStatus.now) }
    #expect(
      new(Self.strap) == [
        "\(time)  Strap \u{FFFD}[2J  72 beats a minute\n", "\(time)  C0:FF:EE:00:00:02  -  away\n",
      ])
    #expect(new(Self.strap) == [])
    screen.changed(Self.strap, to: "linkLost")
    #expect(new() == ["\(time)  Strap \u{FFFD}[2J  -  link lost\n"])
  }

  @Test("as JSON there is a line for each value and each change of state, and null in place of a value")
  func json() {
    var lines = WatchLines(.json)
    var screen = measuring()
    func new(_ measured: String? = nil) -> [String] { lines.lines(screen, measured: measured, at: SampleStatus.now) }
    #expect(new(Self.strap).count == 2)
    #expect(
      new(Self.strap) == [
        #"{"time":"2026-11-21T02:08:08.000Z","address":"C0:FF:EE:00:00:01","name":"Strap \u001b[2J","#
          + #""state":"measuring","bpm":72,"rrTicks":[1024],"afterHole":false,"#
          + #""session":"3f2a91bc-0000-4000-8000-000000000000","sessionStart":"2026-11-21T02:07:07.000Z","#
          + #""gaps":3,"battery":81}"# + "\n"
      ])
    #expect(new() == [])
    screen.changed(Self.strap, to: "offSkin")
    #expect(new().map { $0.contains(#""state":"offSkin","bpm":null,"rrTicks":[]"#) } == [true])
    screen.recorderWent()
    let gone = new()
    #expect(
      gone.count == 2 && gone[0].contains(#""state":"noRecorder","bpm":null"#) && gone[0].contains(#""battery":null"#))
  }

  @Test("where there is neither recorder nor sensor, one line says so")
  func nothing() {
    var (text, json) = (WatchLines(.text), WatchLines(.json))
    let screen = WatchScreen()
    #expect(text.lines(screen, at: SampleStatus.now) == ["\(LocalTime.timeOfDay(SampleStatus.now))  no recorder\n"])
    #expect(text.lines(screen, at: SampleStatus.now) == [])
    #expect(json.lines(screen, at: SampleStatus.now)[0].contains(#""address":null,"name":null,"state":"noRecorder""#))
  }
}
