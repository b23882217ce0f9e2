import FoundationEssentials
import HealthModel
import Timeline

@testable import Ingestion

/// What the tests of pure values are made of: instants in seconds, one strap, sessions that are numbered.
enum Invented {
  static let strap = SensorAddress("C0:FF:EE:00:00:01")!
  static let other = SensorAddress("C0:FF:EE:00:00:02")!
  static let boot = BootIdentifier(high: 1, low: 2)
  static let wallMinusBoot: Int64 = 1_790_000_000_000_000 - start
  /// In years: no timer that a recorder sets by an invented clock is ever due.
  private static let start: Int64 = 4_000_000_000_000_000
  static let game = ClientIdentity(uid: 1000, application: "org.example.Game")
  static let hci0 = AdapterIndex(name: "hci0")!
  static let hci1 = AdapterIndex(name: "hci1")!

  static func at(_ seconds: Double) -> BootInstant {
    BootInstant(microseconds: start + Int64(seconds * 1_000_000))
  }

  static func session(_ number: UInt8) -> UUID {
    UUID(uuid: (number, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0))
  }

  /// The boot and the clock, with which each session begins.
  static func present(_ seconds: Double) -> [SensorEvent] {
    [
      SensorEvent(.boot(boot), at: at(seconds)),
      SensorEvent(.clock(wallMinusBootMicroseconds: wallMinusBoot), at: at(seconds)),
    ]
  }

  /// A recording of the strap that knows of nothing but the boot, at 0 s.
  static func recording(
    _ address: SensorAddress = strap, limits: SessionLimits = .standard
  ) -> SensorRecording {
    SensorRecording(
      address: address, name: nil, limits: limits, boot: boot, wallMinusBoot: wallMinusBoot, at: at(0))
  }
}

extension SensorRecording {
  /// Handles an event in second `seconds`, which may begin the session with this number.
  mutating func handle(_ kind: SensorEvent.Kind, _ seconds: Double, session number: UInt8 = 1) -> Step {
    handle(kind, at: Invented.at(seconds), session: Invented.session(number))
  }
}
