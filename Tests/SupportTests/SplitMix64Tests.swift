import Support
import Testing

@Suite("SplitMix64")
struct SplitMix64Tests {
  @Test("a seed gives the published sequence")
  func repeatsSequence() {
    var random = SplitMix64(seed: 1_234_567)
    let sequence = (0..<5).map { _ in random.next() }
    #expect(
      sequence == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423, 4_593_380_528_125_082_431,
        16_408_922_859_458_223_821,
      ])
  }
}
