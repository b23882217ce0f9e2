import FoundationEssentials
import HealthModel
import Testing

@testable import HealthInterchange

@Suite("Formats of JSON")
struct JSONFormatTests {
  @Test("Open mHealth has a data point for each rate and interval, none across the gap; intervals are exact")
  func points() throws {
    let recording = try MadeUp.recording(
      seconds: 9, rates: [(0.9, 60)], beats: MadeUp.series([(0.5, [1023]), (8, [])]))
    let id = "3f2a91bc-1111-4222-8333-444444444444"
    let origin = #""acquisition_provenance":{"source_name":"Strap <A&B>","modality":"sensed"}}"#
    #expect(
      InterchangeFormat.omh.text(of: recording) == """
        [
        {"header":{"id":"\(id)-0","creation_date_time":"2026-11-21T02:08:08.900Z","schema_id":{"namespace":"omh",\
        "name":"heart-rate","version":"2.0"},\(origin),"body":{"heart_rate":{"value":60,"unit":"beats/min"},\
        "effective_time_frame":{"date_time":"2026-11-21T02:08:08.900Z"}}},
        {"header":{"id":"\(id)-1","creation_date_time":"2026-11-21T02:08:09.499023Z","schema_id":{"namespace":"omh",\
        "name":"rr-interval","version":"1.0"},\(origin),"body":{"rr_interval":{"value":999.0234375,"unit":"ms"},\
        "effective_time_frame":{"time_interval":{"start_date_time":"2026-11-21T02:08:08.500000Z",\
        "end_date_time":"2026-11-21T02:08:09.499023Z"}}}}
        ]

        """)
  }

  private let identifier =
    #""identifier":[{"use":"secondary","type":{"text":"sensord session"},"system":"urn:ietf:rfc:3986","#
    + #""value":"urn:uuid:3f2a91bc-1111-4222-8333-444444444444"}]"#

  @Test("FHIR has a value for each second, E where there is none, and of a workout the group")
  func bundle() throws {
    var recording = MadeUp.recording(seconds: 90, rates: [(0.9, 60), (1.2, 61), (4, 72)])
    recording.activity = .init("running")
    recording.device.name = "My \"strap\"\n"
    #expect(
      InterchangeFormat.fhir.text(of: recording) == """
        {"resourceType":"Bundle","id":"3f2a91bc-1111-4222-8333-444444444444","type":"collection",\
        "timestamp":"2026-11-21T02:09:38.000Z","entry":[
        {"fullUrl":"\(url("device"))","resource":{"resourceType":"Device",\
        "deviceName":[{"name":"My \\"strap\\"\\u000a","type":"user-friendly-name"}]}},
        {"fullUrl":"\(url("rate"))","resource":{"resourceType":"Observation",\
        \(identifier),"status":"final",\
        "code":\(code("8867-4", "Heart rate")),\
        "effectivePeriod":{"start":"2026-11-21T02:08:08Z","end":"2026-11-21T02:08:12Z"},\
        "device":{"reference":"\(url("device"))"},"valueSampledData":{"origin":{"value":0,"unit":"beats/minute",\
        "system":"http://unitsofmeasure.org","code":"/min"},"period":1000,"dimensions":1,"data":"60 61 E E 72"}}},
        {"fullUrl":"\(url("workout"))","resource":{"resourceType":"Observation",\
        \(identifier),"status":"final",\
        "code":\(code("73985-4", "Exercise activity")),\
        "effectivePeriod":{"start":"2026-11-21T02:08:08.000Z","end":"2026-11-21T02:09:38.000Z"},\
        "device":{"reference":"\(url("device"))"},"valueCodeableConcept":{"text":"running"},\
        "hasMember":[{"reference":"\(url("rate"))"}],"component":[{"code":\(code("55411-3", "Exercise duration")),\
        "valueQuantity":{"value":1.5,"unit":"min","system":"http://unitsofmeasure.org","code":"min"}}]}}
        ]}

        """)
  }

  @Test("SDNN is the store's own figure, and the same recording has the same identities")
  func variability() throws {
    let ticks = (0..<600).map { UInt32(900 + $0 % 7 * 20) }
    let recording = MadeUp.recording(
      seconds: 600, rates: [(1, 60)], beats: try MadeUp.series([(0.5, ticks)]))
    let text = InterchangeFormat.fhir.text(of: recording)
    let sdnn = try VariabilityReport(NNIntervals(recording.heartbeats), in: recording.span).figure(.sdnn).value
    #expect(text.contains(#""valueQuantity":{"value":\#((sdnn * 100).rounded() / 100),"unit":"ms""#), "\(sdnn)")
    #expect(text == InterchangeFormat.fhir.text(of: recording))
  }

  @Test("what a format has nothing of is refused", arguments: [InterchangeFormat.edf, .omh, .fhir, .wfdb])
  func empty(format: InterchangeFormat) {
    #expect(format.refusal(MadeUp.recording(seconds: 5)) != nil)
  }

  private func url(_ part: String) -> String {
    let id = UUID(madeOf: "sensord fhir\n3F2A91BC-1111-4222-8333-444444444444\n\(part)")
    return "urn:uuid:\(id.uuidString.lowercased())"
  }

  private func code(_ number: String, _ name: String) -> String {
    #"{"coding":[{"system":"http://loinc.org","code":"\#(number)","display":"\#(name)"}],"text":"\#(name)"}"#
  }
}
