import HealthModel
import SeriesStore
import Support
import Testing

@testable import Documents

@Suite("The document of a sensor")
struct SensorDocumentTests {
  @Test("a sensor of the list has its address, its name and since when it is there")
  func json() {
    let sensor = AllowedSensor(address: "C0:FF:EE:00:00:03", name: "Band", added: Timestamp(microseconds: 0))
    #expect(sensor.json.text == #"{"address":"C0:FF:EE:00:00:03","name":"Band","added":"1970-01-01T00:00:00.000Z"}"#)
  }
}
