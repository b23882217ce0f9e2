/// The object of `hearing --json`. Keys are stable.
package struct HearingDocument {
  private let audiograms: [AudiogramEntry]
  private let exposures: [ExposureEventEntry]
  private let dose: Double?

  /// - Parameters:
  ///   - audiograms: What was heard how well.
  ///   - exposures: When it was too loud.
  ///   - dose: Of the last seven days; nil where nothing is known of them.
  package init(_ audiograms: [AudiogramEntry], _ exposures: [ExposureEventEntry], dose: Double?) {
    self.audiograms = audiograms
    self.exposures = exposures
    self.dose = dose
  }

  package var json: JSONValue {
    [
      "audiograms": .array(audiograms.map(\.json)), "exposureEvents": .array(exposures.map(\.json)),
      "headphoneDoseSevenDays": .number(dose),
    ]
  }
}
