import HealthModel
import Testing

@testable import HealthInterchange

@Suite("TCX read")
struct TCXReaderTests {
  @Test("rates of TCX that are none are told, each by its reason; fractions go to the nearest beat")
  func tcxRates() throws {
    let points = ["102.6", "0", "-5", "256", "255.4", "1e9", "x", "", "nan", "0.4"].enumerated().map { index, value in
      "<Trackpoint><Time>2026-11-21T02:08:0\(index)Z</Time><HeartRateBpm><Value>\(value)</Value></HeartRateBpm></Trackpoint>"
    }
    func read(_ points: String) throws -> Reading {
      let text =
        "<TrainingCenterDatabase><Activities><Activity Sport='Running'><Lap><Track>\(points)</Track></Lap>"
        + "</Activity></Activities></TrainingCenterDatabase>"
      return try Reading(Array(text.utf8), .tcx)
    }
    let reading = try read(points.joined())
    #expect(reading.damage == nil)
    #expect(reading.sessions.first?.rates.map(\.beatsPerMinute) == [103, 255])
    #expect(
      reading.account.leftOut == [
        "heart rate of 0": 2, "heart rate below 0": 1, "heart rate above 255": 2, "heart rate that is no number": 3,
      ])
    #expect(reading.account.notes == ["heart rates have fractions: they are rounded to whole beats a minute"])
    let local = try read(points[0].replacing("Z<", with: "<"))
    #expect(local.account.leftOut["Time without a zone"] == 1 && local.account.leftOut["Time that is none"] == nil)
    #expect(local.account.notes.first?.hasPrefix("its times have no zone") == true && local.sessions.isEmpty)
  }
}
