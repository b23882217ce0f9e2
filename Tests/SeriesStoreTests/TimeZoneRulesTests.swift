import HealthModel
import SeriesStore
import TestSupport
import Testing

@Suite("TimeZoneRules")
struct TimeZoneRulesTests {
  /// Zone, second since 1970, offset in seconds: by Python's zoneinfo from tzdata 2024a.
  static let golden: [(String, Int64, Int32)] = [
    ("Europe/Berlin", -2500000000, 3208), ("Europe/Berlin", -1000000000, 3600),
    ("Europe/Berlin", 0, 3600), ("Europe/Berlin", 700000000, 3600),
    ("Europe/Berlin", 1325239199, 3600), ("Europe/Berlin", 1325239200, 3600),
    ("Europe/Berlin", 1711846799, 3600), ("Europe/Berlin", 1711846800, 7200),
    ("Europe/Berlin", 1729987199, 7200), ("Europe/Berlin", 1729987200, 7200),
    ("Europe/Berlin", 2000000000, 7200), ("Europe/Berlin", 4090000000, 7200),
    ("Europe/Berlin", 4100000000, 3600), ("America/New_York", -2500000000, -18000),
    ("America/New_York", -1000000000, -14400), ("America/New_York", 0, -18000),
    ("America/New_York", 700000000, -18000), ("America/New_York", 1325239199, -18000),
    ("America/New_York", 1325239200, -18000), ("America/New_York", 1711846799, -14400),
    ("America/New_York", 1711846800, -14400), ("America/New_York", 1729987199, -14400),
    ("America/New_York", 1729987200, -14400), ("America/New_York", 2000000000, -14400),
    ("America/New_York", 4090000000, -14400), ("America/New_York", 4100000000, -18000),
    ("Asia/Kolkata", -2500000000, 19270), ("Asia/Kolkata", -1000000000, 19800),
    ("Asia/Kolkata", 0, 19800), ("Asia/Kolkata", 700000000, 19800),
    ("Asia/Kolkata", 1325239199, 19800), ("Asia/Kolkata", 1325239200, 19800),
    ("Asia/Kolkata", 1711846799, 19800), ("Asia/Kolkata", 1711846800, 19800),
    ("Asia/Kolkata", 1729987199, 19800), ("Asia/Kolkata", 1729987200, 19800),
    ("Asia/Kolkata", 2000000000, 19800), ("Asia/Kolkata", 4090000000, 19800),
    ("Asia/Kolkata", 4100000000, 19800), ("Asia/Kathmandu", -2500000000, 20476),
    ("Asia/Kathmandu", -1000000000, 19800), ("Asia/Kathmandu", 0, 19800),
    ("Asia/Kathmandu", 700000000, 20700), ("Asia/Kathmandu", 1325239199, 20700),
    ("Asia/Kathmandu", 1325239200, 20700), ("Asia/Kathmandu", 1711846799, 20700),
    ("Asia/Kathmandu", 1711846800, 20700), ("Asia/Kathmandu", 1729987199, 20700),
    ("Asia/Kathmandu", 1729987200, 20700), ("Asia/Kathmandu", 2000000000, 20700),
    ("Asia/Kathmandu", 4090000000, 20700), ("Asia/Kathmandu", 4100000000, 20700),
    ("Australia/Lord_Howe", -2500000000, 38180), ("Australia/Lord_Howe", -1000000000, 36000),
    ("Australia/Lord_Howe", 0, 36000), ("Australia/Lord_Howe", 700000000, 37800),
    ("Australia/Lord_Howe", 1325239199, 39600), ("Australia/Lord_Howe", 1325239200, 39600),
    ("Australia/Lord_Howe", 1711846799, 39600), ("Australia/Lord_Howe", 1711846800, 39600),
    ("Australia/Lord_Howe", 1729987199, 39600), ("Australia/Lord_Howe", 1729987200, 39600),
    ("Australia/Lord_Howe", 2000000000, 37800), ("Australia/Lord_Howe", 4090000000, 37800),
    ("Australia/Lord_Howe", 4100000000, 39600), ("Africa/Casablanca", -2500000000, -1820),
    ("Africa/Casablanca", -1000000000, 0), ("Africa/Casablanca", 0, 0),
    ("Africa/Casablanca", 700000000, 0), ("Africa/Casablanca", 1325239199, 0),
    ("Africa/Casablanca", 1325239200, 0), ("Africa/Casablanca", 1711846799, 0),
    ("Africa/Casablanca", 1711846800, 0), ("Africa/Casablanca", 1729987199, 3600),
    ("Africa/Casablanca", 1729987200, 3600), ("Africa/Casablanca", 2000000000, 3600),
    ("Africa/Casablanca", 4090000000, 3600), ("Africa/Casablanca", 4100000000, 3600),
    ("America/Sao_Paulo", -2500000000, -11188), ("America/Sao_Paulo", -1000000000, -10800),
    ("America/Sao_Paulo", 0, -10800), ("America/Sao_Paulo", 700000000, -10800),
    ("America/Sao_Paulo", 1325239199, -7200), ("America/Sao_Paulo", 1325239200, -7200),
    ("America/Sao_Paulo", 1711846799, -10800), ("America/Sao_Paulo", 1711846800, -10800),
    ("America/Sao_Paulo", 1729987199, -10800), ("America/Sao_Paulo", 1729987200, -10800),
    ("America/Sao_Paulo", 2000000000, -10800), ("America/Sao_Paulo", 4090000000, -10800),
    ("America/Sao_Paulo", 4100000000, -10800), ("Pacific/Apia", -2500000000, 45184),
    ("Pacific/Apia", -1000000000, -41400), ("Pacific/Apia", 0, -39600),
    ("Pacific/Apia", 700000000, -39600), ("Pacific/Apia", 1325239199, -36000),
    ("Pacific/Apia", 1325239200, 50400), ("Pacific/Apia", 1711846799, 46800),
    ("Pacific/Apia", 1711846800, 46800), ("Pacific/Apia", 1729987199, 46800),
    ("Pacific/Apia", 1729987200, 46800), ("Pacific/Apia", 2000000000, 46800),
    ("Pacific/Apia", 4090000000, 46800), ("Pacific/Apia", 4100000000, 46800),
    ("Antarctica/Troll", -2500000000, 0), ("Antarctica/Troll", -1000000000, 0),
    ("Antarctica/Troll", 0, 0), ("Antarctica/Troll", 700000000, 0),
    ("Antarctica/Troll", 1325239199, 0), ("Antarctica/Troll", 1325239200, 0),
    ("Antarctica/Troll", 1711846799, 0), ("Antarctica/Troll", 1711846800, 7200),
    ("Antarctica/Troll", 1729987199, 7200), ("Antarctica/Troll", 1729987200, 7200),
    ("Antarctica/Troll", 2000000000, 7200), ("Antarctica/Troll", 4090000000, 7200),
    ("Antarctica/Troll", 4100000000, 0), ("Asia/Tokyo", -2500000000, 32400),
    ("Asia/Tokyo", -1000000000, 32400), ("Asia/Tokyo", 0, 32400),
    ("Asia/Tokyo", 700000000, 32400), ("Asia/Tokyo", 1325239199, 32400),
    ("Asia/Tokyo", 1325239200, 32400), ("Asia/Tokyo", 1711846799, 32400),
    ("Asia/Tokyo", 1711846800, 32400), ("Asia/Tokyo", 1729987199, 32400),
    ("Asia/Tokyo", 1729987200, 32400), ("Asia/Tokyo", 2000000000, 32400),
    ("Asia/Tokyo", 4090000000, 32400), ("Asia/Tokyo", 4100000000, 32400),
    ("Europe/Dublin", -2500000000, -1521), ("Europe/Dublin", -1000000000, 3600),
    ("Europe/Dublin", 0, 3600), ("Europe/Dublin", 700000000, 0),
    ("Europe/Dublin", 1325239199, 0), ("Europe/Dublin", 1325239200, 0),
    ("Europe/Dublin", 1711846799, 0), ("Europe/Dublin", 1711846800, 3600),
    ("Europe/Dublin", 1729987199, 3600), ("Europe/Dublin", 1729987200, 3600),
    ("Europe/Dublin", 2000000000, 3600), ("Europe/Dublin", 4090000000, 3600),
    ("Europe/Dublin", 4100000000, 0), ("America/St_Johns", -2500000000, -12652),
    ("America/St_Johns", -1000000000, -12600), ("America/St_Johns", 0, -12600),
    ("America/St_Johns", 700000000, -12600), ("America/St_Johns", 1325239199, -12600),
    ("America/St_Johns", 1325239200, -12600), ("America/St_Johns", 1711846799, -9000),
    ("America/St_Johns", 1711846800, -9000), ("America/St_Johns", 1729987199, -9000),
    ("America/St_Johns", 1729987200, -9000), ("America/St_Johns", 2000000000, -9000),
    ("America/St_Johns", 4090000000, -9000), ("America/St_Johns", 4100000000, -12600),
  ]

  @Test("offsets are those of Python's zoneinfo, before the first transition and after the last one too")
  func offsets() throws {
    for (name, second, offset) in Self.golden {
      let zone = try TimeZoneRules.named(name)
      #expect(zone.offset(at: Timestamp(microseconds: second * 1_000_000)) == offset, "\(name) \(second)")
    }
  }

  @Test("a wall clock time that is shown twice is its first moment, one that is skipped goes on after the jump")
  func wallClock() throws {
    let berlin = try TimeZoneRules.named("Europe/Berlin")
    func moment(_ text: String) throws -> String {
      berlin.moment(ofWallClock: try #require(Timestamp(iso8601: text + "Z")).microseconds).iso8601(fractionDigits: 0)
    }
    #expect(try moment("2024-03-31T01:59:59") == "2024-03-31T00:59:59Z")
    #expect(try moment("2024-03-31T02:30:00") == "2024-03-31T01:30:00Z")
    #expect(try moment("2024-03-31T03:00:00") == "2024-03-31T01:00:00Z")
    #expect(try moment("2024-10-27T02:30:00") == "2024-10-27T00:30:00Z")
    #expect(try moment("2024-10-27T03:00:00") == "2024-10-27T02:00:00Z")
    #expect(try moment("2050-07-01T12:00:00") == "2050-07-01T10:00:00Z")
  }

  @Test(
    "a name that is none is refused, whatever it leads to",
    arguments: ["", "Nowhere/Land", "../../etc/passwd", "/etc/passwd", "Europe", "Europe/Berlin ", "zone.tab"])
  func unknown(name: String) {
    #expect(throws: TimeZoneError.self) { try TimeZoneRules.named(name) }
  }

  @Test("without a zone database the error says so, and UTC works all the same")
  func missing() throws {
    #expect(throws: TimeZoneError.databaseMissing("/nowhere")) {
      try TimeZoneRules.named("Europe/Berlin", in: "/nowhere")
    }
    #expect(try TimeZoneRules.named("UTC", in: "/nowhere") == .utc)
  }

  /// A zone of version 2 with one type and the given footer.
  private func zone(footer: String) -> [UInt8] {
    let header = Array("TZif2".utf8) + [UInt8](repeating: 0, count: 15)
    let counts: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4]
    let block: [UInt8] = [0, 0, 0, 0, 0, 0] + Array("UTC\0".utf8)
    return (header + counts + block) + (header + counts + block) + Array("\n\(footer)\n".utf8)
  }

  @Test(
    "footers give the offset of years to come",
    arguments: [
      ("CET-1CEST,M3.5.0,M10.5.0/3", "2040-07-01T00:00Z", 7200),
      ("CET-1CEST,M3.5.0,M10.5.0/3", "2040-12-01T00:00Z", 3600),
      ("<+0330>-3:30", "2040-01-01T00:00Z", 12_600), ("EST5EDT,J60/0,300/-1", "2040-03-01T05:00Z", -14_400),
      ("EST5EDT,J60/0,300/-1", "2040-03-01T04:59Z", -18_000), ("EST5EDT,J60/0,300/-1", "2041-10-28T02:59Z", -14_400),
      ("EST5EDT,J60/0,300/-1", "2041-10-28T03:00Z", -18_000),
      ("AEST-10AEDT,M10.1.0,M4.1.0/3", "2040-01-01T00:00Z", 39_600),
      ("XXX3YYY1,M3.2.0,M11.1.0", "2040-06-01T00:00Z", -3600),
      ("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2040-06-01T00:00Z", -3600),
    ])
  func footers(footer: String, moment: String, offset: Int32) throws {
    let rules = try TimeZoneRules(name: "x", parsing: zone(footer: footer))
    #expect(rules.offset(at: try #require(Timestamp(iso8601: moment))) == offset)
  }

  @Test(
    "a footer that is none is refused",
    arguments: [
      "X", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CET-1CEST,M3.6.0,M10.5.0",
      "CET-1CEST,M3.5.7,M10.5.0", "CET-1CEST,J0,J9", "CET-1CEST,366,9", "CET-99", "<CET-1", "CET-1x",
      "CET-1CEST,M3.5.0,M10.5.0/200",
    ])
  func badFooters(footer: String) {
    #expect(throws: TimeZoneError.self) { try TimeZoneRules(name: "x", parsing: zone(footer: footer)) }
  }

  @Test("a rule of TZ is a zone of its own, and no rule is an error")
  func rule() throws {
    let rules = try TimeZoneRules(rule: "CET-1CEST,M3.5.0,M10.5.0/3")
    #expect(rules.name == "CET-1CEST,M3.5.0,M10.5.0/3")
    #expect(rules.offset(at: try #require(Timestamp(iso8601: "1990-07-01T00:00Z"))) == 7200)
    #expect(rules.offset(at: try #require(Timestamp(iso8601: "2040-01-01T00:00Z"))) == 3600)
    for text in ["", "Europe/Berlin", "CET"] {
      #expect(throws: TimeZoneError.self) { try TimeZoneRules(rule: text) }
    }
  }

  @Test("every truncation of a zone is refused, and random damage never traps")
  func damage() throws {
    let bytes = zone(footer: "CET-1CEST,M3.5.0,M10.5.0/3")
    for length in 0..<bytes.count {
      #expect(throws: TimeZoneError.self) { try TimeZoneRules(name: "x", parsing: Array(bytes[..<length])) }
    }
    var random = SeededGenerator(seed: 5)
    for _ in 0..<20_000 {
      var damaged = bytes
      for _ in 0..<Int.random(in: 1...3, using: &random) {
        damaged[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0 ... .max, using: &random)
      }
      let rules = try? TimeZoneRules(name: "x", parsing: damaged)
      _ = rules?.offset(at: Timestamp(microseconds: Int64.random(in: .min ... .max, using: &random)))
    }
  }
}
