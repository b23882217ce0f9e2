import Documents
import Foundation
import HealthModel
import RecordingSamples
import SeriesStore
import TestSupport
import Testing

#if canImport(FoundationXML)
  import FoundationXML
#endif

@testable import sensord

/// The page of `sensord report`, without a file.
@Suite("Report as a page")
struct ReportPageTests {
  private let start = Timestamp(microseconds: 1_795_226_888_000_000)

  private func time(_ seconds: Double) -> Timestamp { start.advanced(byMicroseconds: Int64(seconds * 1e6)) }

  /// A page of a session, which begins 2026-11-21T02:08:08Z.
  private func page(_ recorded: RecordedSession, zones: HeartRateZones? = nil) throws -> String {
    let report = SessionReport(
      session: SessionSummary(recorded), heartbeats: recorded.heartbeats, gaps: recorded.gaps,
      markers: recorded.markers, zones: zones.map { ZoneTimes($0, of: recorded.rates, until: recorded.end) })
    let curves = RecordedCurves(
      in: try #require(TimeSpan(start: recorded.start, end: recorded.end)), rates: recorded.rates,
      heartbeats: [recorded.heartbeats], gaps: recorded.gaps)
    return ReportPage(report, curves, in: .utc, version: "9.9").text
  }

  /// Elements and texts of a page, by an XML parser that somebody else wrote.
  private final class Reader: NSObject, XMLParserDelegate {
    var elements: [(name: String, attributes: [String: String])] = []
    var text = ""
    func parser(
      _ parser: XMLParser, didStartElement name: String, namespaceURI: String?, qualifiedName: String?,
      attributes: [String: String]
    ) {
      elements.append((name, attributes))
    }
    func parser(_ parser: XMLParser, foundCharacters string: String) { text += string }
  }

  private func read(_ page: String) throws -> Reader {
    let reader = Reader()
    let parser = XMLParser(data: Data(page.utf8))
    parser.delegate = reader
    try #require(parser.parse(), "\(String(describing: parser.parserError)), line \(parser.lineNumber)")
    return reader
  }

  /// The first path of a class.
  private func line(_ kind: String, _ reader: Reader) -> String? {
    reader.elements.first { $0.name == "path" && $0.attributes["class"] == kind }?.attributes["d"]
  }

  /// Rates of 60 and 80 in turn, one a second, over 100 s, of which 40 to 60 s are a gap.
  private func rates(gaps: [RecordingGap]? = nil) throws -> RecordedSession {
    var recorded = try SampleSession.recorded()
    recorded.end = time(100)
    recorded.heartbeats = HeartbeatSeries()
    let seconds = Array(0...40) + Array(60...100)
    recorded.rates = seconds.map { second -> HeartRateValue in
      HeartRateValue(time: time(Double(second)), beatsPerMinute: second % 2 == 0 ? 60 : 80)
    }
    recorded.gaps = gaps ?? [RecordingGap(reason: "link", start: time(40), end: time(60), estimatedLostBeats: 20)]
    return recorded
  }

  @Test("values stand where their time and their size put them, and a gap is a break in the line, and shaded")
  func coordinates() throws {
    let reader = try read(page(try rates()))
    let path = try #require(line("curve", reader))
    // 892 units are 100 s; 60 stands at the lower edge, 80 at the upper one.
    #expect(path.hasPrefix("M56 268L64.9 14 73.8 268 "))
    let parts = path.split(separator: "M")
    #expect(parts.count == 2 && parts[0].hasSuffix(" 412.8 268") && parts[1].hasPrefix("591.2 268L600.1 14 "))
    #expect(parts[1].hasSuffix(" 948 268"))
    let gap = try #require(reader.elements.first { $0.attributes["class"] == "gap" })
    #expect(gap.attributes["x"] == "412.8" && gap.attributes["width"] == "178.4")
    #expect(
      reader.text.contains("1 gap, shaded; no line crosses them.") && reader.text.contains("All 82 values are drawn."))
  }

  @Test("a value between two gaps is a dot")
  func dot() throws {
    var recorded = try rates(gaps: [])
    recorded.rates = [0, 50, 100].map { HeartRateValue(time: time($0), beatsPerMinute: 60) }
    #expect(line("curve", try read(page(recorded)))?.hasSuffix("M502 268h0M948 268h0") == true)
  }

  @Test("of many values each column has its first, smallest, greatest and last, and the page says so")
  func thinned() throws {
    var recorded = try rates(gaps: [])
    // 200 values in each column of a picture of 892; one of them is a peak that must not be lost.
    recorded.end = time(892)
    recorded.rates = (0..<178_400).map { (index: Int) -> HeartRateValue in
      HeartRateValue(time: time(Double(index) / 200), beatsPerMinute: index == 90_050 ? 200 : 60 + UInt16(index % 2))
    }
    let page = try self.page(recorded)
    let path = try #require(line("curve", try read(page)))
    #expect(path.contains(" 14 ") && path.split(separator: " ").count < 892 * 4 * 2)
    #expect(page.contains("of 178400 values: of each 1.0 s, which is a column of the picture, the first,"))
    #expect(page.utf8.count < 120_000)
  }

  @Test("intervals are a line, those that do not count are ticks, pairs are fields of the Poincaré plot")
  func intervals() throws {
    var recorded = try SampleSession.withArtefacts()
    recorded.gaps = []
    recorded.end = time(40)
    let reader = try read(page(recorded))
    // Three flagged beats, each of which takes its own interval and the next one.
    let doubts = try #require(line("doubt", reader))
    #expect(doubts.split(separator: "M").count == 7 && reader.text.contains("with flags are not drawn: 7"))
    #expect(line("pairs many", reader) != nil)
    #expect(reader.text.contains("29 pairs of successive intervals of 977 to 977 ms"))
  }

  @Test("what is not given is named with its reason, with the filter of what is")
  func variability() throws {
    let text = try read(page(try SampleSession.withArtefacts())).text
    #expect(text.contains("Filter normalToNormal: ") && text.contains("Figures that are not given"))
    #expect(text.contains("60 s are needed, there are 21"))
    var invented = try rates()
    (invented.quality.leftOutIntervals, invented.quality.intervalHabit) = (12, .invented)
    #expect(try page(invented).contains("<p>Not given: "))
    #expect(try page(try rates()).contains("<p>No intervals between normal beats were recorded.</p>"))
  }

  @Test("zones are lines of the picture and a table, markers are lines and a list")
  func zones() throws {
    var recorded = try rates()
    recorded.markers = [SessionMarker(time: time(50), text: "second round")]
    let reader = try read(page(recorded, zones: HeartRateZones(.maximum(140))))
    let words = reader.text
    #expect(reader.elements.contains { $0.attributes["class"] == "moment" && $0.attributes["d"] == "M502 14L502 268" })
    #expect(words.contains("zone 1") && words.contains("Time in zones") && words.contains("second round"))
  }

  @Test("a name that is markup is text, in every place where it stands")
  func escapes() throws {
    let name = "<script>alert(\"1\")&'</script>\u{1B}[2J\u{202E}"
    var recorded = try rates()
    recorded.device.name = name
    recorded.device.manufacturer = name
    recorded.metadata = ["title": .text(name), name: .text(name)]
    recorded.markers = [SessionMarker(time: time(50), text: name)]
    recorded.gaps[0].detail = name
    let page = try self.page(recorded)
    #expect(!page.contains("<script") && !page.contains("\u{1B}") && !page.contains("\u{202E}"))
    let reader = try read(page)
    #expect(reader.text.components(separatedBy: "<script>alert(\"1\")&'</script>").count >= 7)
    #expect(!reader.elements.contains { $0.name == "script" })
  }

  @Test("nothing is loaded from elsewhere, nothing runs, and every picture has a name and a description")
  func selfContained() throws {
    let page = try self.page(try SampleSession.withArtefacts())
    let reader = try read(page)
    let allowed = ["http-equiv", "xmlns", "fill"]
    #expect(!page.contains("url(h") && !page.contains("@import") && !page.contains("src="))
    for (name, attributes) in reader.elements {
      #expect(!["script", "img", "link", "iframe", "object", "use", "image", "a"].contains(name))
      #expect(attributes.keys.allSatisfy { !$0.hasPrefix("on") && !$0.hasSuffix("href") })
      for (key, value) in attributes where value.contains("://") { #expect(allowed.contains(key)) }
    }
    let pictures = reader.elements.filter { $0.name == "svg" && $0.attributes["aria-hidden"] == nil }
    #expect(pictures.count == 3)
    for picture in pictures {
      let names = try #require(picture.attributes["aria-labelledby"]).split(separator: " ").map(String.init)
      #expect(picture.attributes["role"] == "img" && names.count == 2)
      for name in names { #expect(reader.elements.contains { $0.attributes["id"] == name }) }
    }
    let identifiers = reader.elements.compactMap { $0.attributes["id"] }
    #expect(Set(identifiers).count == identifiers.count, "identifiers are unique")
    #expect(page.contains(#"content="default-src 'none'; style-src 'unsafe-inline'"#))
    #expect(page.contains("Made by sensord 9.9."))
  }

  @Test("behind a picture of a curve there is a table of its values by time")
  func slices() throws {
    let page = try self.page(try rates())
    // A part is 5 s: 20 of them.
    #expect(page.contains("<tr><td>02:08:08</td><td class=\"n\">5</td><td class=\"n\">68</td><td class=\"n\">60</td>"))
    #expect(page.contains("<tr><td>02:08:53</td><td class=\"n\">0</td><td class=\"n\"></td>"), "a gap has no figures")
  }

  @Test("times stand by the clocks of the zone")
  func zone() throws {
    let span = try #require(TimeSpan(start: start, end: time(3_600)))
    let zone = TimeZoneRules(name: "Asia/Kolkata", fixedOffset: 19_800)
    let scale = TimeScale(span, in: zone, from: 0, to: 360)
    #expect(scale.marks.map(\.label) == ["07:40", "07:50", "08:00", "08:10", "08:20", "08:30"])
    #expect(scale.position(scale.marks[0].time) == 11.2)
    #expect(ReportPage.zoneFact(zone, at: start).map(\.value) == ["Asia/Kolkata, +05:30 at the start"])
  }

  @Test("a time of any length and place has some marks, in it and in order")
  func ends() throws {
    for (start, end) in [
      (Int64.min, Int64.min), (.min, .max), (.min, 0), (0, .max), (.max - 3_600_000_000, .max), (-3_600_000_000, 0),
    ] {
      let span = try #require(
        TimeSpan(start: Timestamp(microseconds: start), end: Timestamp(microseconds: end)))
      for offset: Int32 in [0, 19_800, -19_800] {
        let marks = TimeScale(span, in: TimeZoneRules(name: "x", fixedOffset: offset), from: 0, to: 360).marks.map(
          \.time)
        #expect(marks.count <= 17 && (marks.count >= 6 || start == end))
        #expect(
          marks.allSatisfy { span.start <= $0 && $0 <= span.end }
            && zip(marks, marks.dropFirst()).allSatisfy { $0 < $1 })
      }
    }
    // Before 1970 as after it.
    let span = try #require(
      TimeSpan(start: Timestamp(microseconds: -3_590_000_000), end: Timestamp(microseconds: 10_000_000)))
    let scale = TimeScale(span, in: .utc, from: 0, to: 360)
    #expect(scale.marks.map(\.label) == ["23:10", "23:20", "23:30", "23:40", "23:50", "00:00"])
  }

  @Test("marks of a scale are round, and the range is little wider than the values")
  func scale() {
    #expect(PlotScale(61, 79, from: 100, to: 0).marks == [65, 70, 75])
    #expect(PlotScale(480, 1_520, from: 0, to: 1).marks == [600, 800, 1_000, 1_200, 1_400])
    let equal = PlotScale(60, 60, from: 0, to: 1)
    #expect(equal.low == 60 && equal.high > 60 && equal.marks.count >= 2)
    #expect(PlotScale(0, 100, from: 200, to: 0).position(25) == 150)
  }
}
