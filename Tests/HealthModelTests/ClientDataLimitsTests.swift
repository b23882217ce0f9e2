import HealthModel
import Testing

@Suite("What other programs are, and may hand over")
struct ClientDataLimitsTests {
  private let limits = ClientDataLimits()

  private func problem(_ metadata: Metadata) -> ClientDataProblem? {
    do {
      try limits.check(metadata)
      return nil
    } catch {
      return error
    }
  }

  @Test("a source says which user's application it is, so that no other user's can pass as it, nor as the daemon")
  func source() {
    let game = ClientIdentity(uid: 1000, application: "org.example.Game")
    #expect(game.source == "org.example.Game@1000")
    #expect(ClientIdentity(uid: 1001, application: "org.example.Game").source != game.source)
    #expect(ClientIdentity(uid: 0, application: "sensord").source != "sensord")
    #expect(ClientIdentity(source: game.source) == game)
    for source in ["sensord", "sensord@", "a@-1", "a@4294967296", "@"] {
      #expect(ClientIdentity(source: source) == nil, "\(source)")
    }
  }

  @Test("metadata are measured in keys, in each key and text, and all in all")
  func metadata() {
    func text(_ count: Int) -> String { String(repeating: "x", count: count) }
    #expect(problem([:]) == nil)
    #expect(problem(Metadata(uniqueKeysWithValues: (0..<64).map { ("\($0)", true) })) == nil)
    #expect(problem(Metadata(uniqueKeysWithValues: (0..<65).map { ("\($0)", true) })) == .tooLarge(.keys))
    #expect(problem([text(256): 1]) == nil)
    #expect(problem([text(257): 1]) == .tooLarge(.key))
    #expect(problem(["a": .text(text(4_096))]) == nil)
    #expect(problem(["a": .text(text(4_097))]) == .tooLarge(.text))
    let whole = (0..<16).map { ("\($0 + 10)", MetadataValue.text(text(4_094))) }
    #expect(problem(Metadata(uniqueKeysWithValues: whole)) == nil)
    #expect(problem(Metadata(uniqueKeysWithValues: whole + [("a", true)])) == .tooLarge(.metadata))
    for key in ReservedMetadata.all { #expect(problem([key: 1]) == .reservedKey) }
    #expect(problem(["": 1]) == .invalidMetadata && problem(["a": .real(.nan)]) == .invalidMetadata)
    #expect(problem(["a": .quantity(Quantity(1, .percent))]) == nil)
    #expect(problem(["a": .quantity(Quantity(.infinity, .percent))]) == .invalidMetadata)
    #expect(problem(["a": .time(Timestamp(microseconds: .max))]) == .invalidMetadata)
  }

  @Test("a device comes back from its texts, and is not named at length")
  func device() throws {
    let device = Device(name: "a", manufacturer: "b", softwareVersion: "c", uniqueDeviceIdentifier: "d")
    #expect(Device(texts: device.texts) == device)
    #expect(Device(texts: []) == nil)
    #expect(throws: ClientDataProblem.tooLarge(.device)) {
      try limits.check(Device(model: String(repeating: "x", count: 257)))
    }
  }
}
