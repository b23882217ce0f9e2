import Glibc
import HealthModel
import Reports
import TestSupport
import Testing

@testable import sensord

@Suite("Configuration")
struct ConfigurationTests {
  @Test("an empty file and one with comments alone leave the defaults")
  func defaults() throws {
    #expect(try Configuration(reading: []) == Configuration())
    #expect(try Configuration(reading: Array("\n# one\n  ; two\n\n[sessions]\n".utf8)) == Configuration())
  }

  @Test("every setting is read")
  func everything() throws {
    let text = """
      [sessions]
      away-limit = 2min
      off-skin-limit=90
      maximum-length = 1h 30min
      [journal]
      sync-interval = 10s
      [captures]
      keep = no
      size = 1G
      [sensors]
      record = any
      minimum-signal = -55
      adapters = hci0 hci12
      [events]
      low = 45
      high = 110
      irregular = yes
      [zones]
      resting = 52
      maximum = 188
      [clients]
      bus = session
      allow-share = none
      allow-read = org.example.Game@1000:heartRate,heartbeatSeries  org.example.Kiosk@0:stepCount
      [log]
      level = debug
      """
    let configuration = try Configuration(reading: Array(text.utf8))
    #expect(configuration.awayLimit == .seconds(120))
    #expect(configuration.offSkinLimit == .seconds(90))
    #expect(configuration.maximumLength == .seconds(5_400))
    #expect(configuration.syncInterval == .seconds(10))
    #expect(configuration.capturesKept == nil)
    #expect(configuration.capturesSize == 1 << 30)
    #expect(configuration.recordsAny)
    #expect(configuration.minimumSignal == -55)
    #expect(configuration.adapters == ["hci0", "hci12"])
    #expect(configuration.eventRules == HeartEventRules(low: 45, high: 110, irregular: true))
    #expect(configuration.zones?.basis == .reserve(resting: 52, maximum: 188))
    #expect(configuration.clientsBus == .session)
    #expect(
      configuration.grants.map {
        "\($0.client.application) \($0.client.uid) \($0.permission) \($0.type) \($0.decision)"
      }
        == [
          "org.example.Game 1000 read heartRate allowed",
          "org.example.Game 1000 read heartRateVariabilitySDNN allowed", "org.example.Kiosk 0 read stepCount allowed",
        ])
    #expect(configuration.logLevel == .debug)
  }

  @Test("the example shows every setting with its default")
  func example() throws {
    let bytes = try FileAccess.read(TestPlaces.root + "/systemd/sensord.conf.example")
    #expect(try Configuration(reading: bytes) == Configuration())
    let active = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
      line.hasPrefix("#") && !line.hasPrefix("# ") ? line.dropFirst() : line
    }
    let text = active.joined(separator: "\n")
    #expect(try Configuration(reading: Array(text.utf8)) == Configuration())
    #expect(try ConfigurationSyntax.entries(of: Array(text.utf8)).count == 18)
  }

  @Test("blanks, tabs and carriage returns around keys and values do not count")
  func blanks() throws {
    let text = "\t[log]\r\n  level\t =  error \r\n"
    #expect(try Configuration(reading: Array(text.utf8)).logLevel == .error)
  }

  @Test(
    "a mistake is told with its line and what is allowed",
    arguments: [
      ("[nonsense]\nx = 1", 2, "[sessions], [journal]"),
      ("[log]\nlevle = info", 2, "only level"),
      ("[log]\n\nlevel = loud", 3, "debug, info, notice, warning, error"),
      ("level = info", 1, "before the first [section]"),
      ("[log]\nlevel", 2, "key = value"),
      ("[log", 1, "[name]"),
      ("[log]\n= info", 2, "no key"),
      ("[log]\nlevel = info\nlevel = debug", 3, "line 2"),
      ("[sessions]\naway-limit = 5", 2, "10s"),
      ("[sessions]\naway-limit = 5 minutes", 2, "5min"),
      ("[sessions]\naway-limit = -5min", 2, "5min"),
      ("[sessions]\naway-limit =", 2, "5min"),
      ("[sessions]\naway-limit = 99999999999999999999h", 2, "5min"),
      ("[sessions]\naway-limit = 9223372036854775807w", 2, "5min"),
      ("[journal]\nsync-interval = 2min", 2, "1min"),
      ("[captures]\nsize = 12Q", 2, "256M"),
      ("[captures]\nsize = 9223372036854775807T", 2, "256M"),
      ("[captures]\nsize = 1", 2, "256M"),
      ("[sensors]\nrecord = all", 2, "allowed is allowed, any"),
      ("[sensors]\nminimum-signal = 70", 2, "from -100 to -20"),
      ("[sensors]\nminimum-signal = -101", 2, "from -100 to -20"),
      ("[sensors]\nminimum-signal = -99999", 2, "from -100 to -20"),
      ("[sensors]\nadapters = eth0", 2, "hci0"),
      ("[sensors]\nadapters = hci", 2, "hci0"),
      ("[sensors]\nadapters =", 2, "hci0"),
      ("[events]\nlow = 19", 2, "no, or a rate from 20 to 100"),
      ("[events]\nhigh = 120.5", 2, "no, or a rate from 60 to 250"),
      ("[events]\n\nirregular = perhaps", 3, "allowed is no, yes"),
      ("[events]\nmedium = 80", 2, "only low, high, irregular"),
      ("[zones]\nmaximum = 300", 2, "no, or a rate from 60 to 250"),
      ("[zones]\nmaximum = 100\nresting = 100", 3, "\"resting\" needs a \"maximum\""),
      ("[zones]\n# none\nresting = 60", 3, "\"resting\" needs a \"maximum\""),
      ("[clients]\nbus = home", 2, "auto, system, session, off"),
      ("[clients]\nallow-read =", 2, "org.example.Game@1000:heartRate"),
      ("[clients]\nallow-read = org.example.Game", 2, "org.example.Game@1000:heartRate"),
      ("[clients]\nallow-read = org.example.Game:heartRate", 2, "org.example.Game@1000:heartRate"),
      ("[clients]\nallow-read = org.example.Game@1000:", 2, "org.example.Game@1000:heartRate"),
      ("[clients]\nallow-share = org.example.Game@1000:heartRate,nonsense", 2, "org.example.Game@1000:heartRate"),
      ("[clients]\nallow-share = org.example.Game@99999999999:heartRate", 2, "org.example.Game@1000:heartRate"),
      ("[clients]\nallow-share = 1x@1000:heartRate", 2, "org.example.Game@1000:heartRate"),
    ])
  func mistakes(text: String, line: Int, expected: String) {
    let error = #expect(throws: ConfigurationError.self) { try Configuration(reading: Array(text.utf8)) }
    #expect(error?.line == line)
    #expect(error?.message.contains(expected) == true, "\(error?.message ?? "")")
  }

  @Test("any bytes are read or refused, and never trap")
  func anyBytes() {
    var generator = SeededGenerator(seed: 20_261_121)
    let pieces = [
      "[", "]", "=", "\n", "sessions", "away-limit", "5min", "#", " ", "é", "\u{0}", "99999999999", "h", "\t",
    ]
    for _ in 0..<5_000 {
      var bytes: [UInt8] = []
      for _ in 0..<Int.random(in: 0..<12, using: &generator) {
        if Bool.random(using: &generator) {
          bytes += Array(pieces.randomElement(using: &generator)!.utf8)
        } else {
          bytes.append(UInt8.random(in: 0...255, using: &generator))
        }
      }
      _ = try? Configuration(reading: bytes)
    }
  }

  @Test("a file that is no text is refused with its line")
  func notText() {
    let error = #expect(throws: ConfigurationError.self) { try Configuration(reading: [0x23, 0x0A, 0xFF, 0xFE, 0x0A]) }
    #expect(error?.line == 2)
  }

  @Test("a named file that is missing is an error, a wrong one ends with 78 and its line")
  func loading() throws {
    let folder = TemporaryFolder()
    let missing = #expect(throws: FileError.self) {
      try Configuration.load(named: folder.path + "/none", environment: ProcessEnvironment([:]))
    }
    #expect(missing?.code == .missing)
    let path = try folder.write("bad.conf", "[log]\nlevel = loud\n")
    let wrong = #expect(throws: CommandFailure.self) {
      try Configuration.load(named: path, environment: ProcessEnvironment([:]))
    }
    #expect(wrong?.status == .configuration)
    #expect(wrong?.message.contains("line 2") == true)
  }

  @Test("the service takes its own file and no other, the person theirs")
  func finding() throws {
    let folder = TemporaryFolder()
    try folder.write("service/sensord.conf", "[log]\nlevel = error\n")
    try folder.write("person/sensord/sensord.conf", "[log]\nlevel = debug\n")
    let person = ProcessEnvironment(["XDG_CONFIG_HOME": folder.path + "/person"])
    #expect(try Configuration.load(named: nil, environment: person).logLevel == .debug)
    let service = ProcessEnvironment([
      "XDG_CONFIG_HOME": folder.path + "/person", "CONFIGURATION_DIRECTORY": folder.path + "/service",
    ])
    #expect(try Configuration.load(named: nil, environment: service).logLevel == .error)
    #expect(unsafe unlink(folder.path + "/service/sensord.conf") == 0)
    #expect(try Configuration.load(named: nil, environment: service) == Configuration())
  }

  @Test("no switches a kind of event off; without a maximum there are no zones, without a resting rate they are of it")
  func eventsAndZones() throws {
    let off = try Configuration(reading: Array("[events]\nlow = no\nhigh = no\nirregular = no".utf8))
    #expect(off.eventRules.kinds.isEmpty)
    #expect(Configuration().eventRules == HeartEventRules(low: 40) && Configuration().zones == nil)
    #expect(try Configuration(reading: Array("[zones]\nmaximum = 190".utf8)).zones?.basis == .maximum(190))
  }
}
