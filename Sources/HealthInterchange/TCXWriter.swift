internal import HealthModel

/// TCX: a Lap for each part, a Track for each stretch without a gap of rates or a pause, a Trackpoint for each second. Of a pause there is nothing.
package enum TCXWriter: CollectionWriter {
  package static let format = InterchangeFormat.tcx

  package static func begin(_ first: InterchangeRecording, _ buffer: inout PieceBuffer) {
    buffer.append(
      """
      <?xml version="1.0" encoding="UTF-8"?>
      <TrainingCenterDatabase xmlns="\(TCXNames.space)" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance">
       <Activities>

      """)
  }

  package static func append<Failure: Error>(
    _ recording: InterchangeRecording, isFirst: Bool, _ buffer: inout PieceBuffer,
    to receive: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    // In front of everything that a damaged file may have lost; the schema's places for notes and extensions are at the end.
    buffer.append(
      """
        \(RecordingAnnouncement.text(of: recording))
        <Activity Sport="\(TCXNames.sport(recording.activity))">
         <Id>\(recording.span.start.iso8601())</Id>

      """)
    for lap in recording.laps { try append(lap, of: recording, &buffer, to: receive) }
    if let name = recording.device.model ?? recording.device.name {
      // UnitId and ProductID have to be there; what is not known is 0.
      buffer.append(
        """
           <Creator xsi:type="Device_t">
            <Name>\(XMLText.escaped(name))</Name><UnitId>0</UnitId><ProductID>0</ProductID>
            <Version><VersionMajor>0</VersionMajor><VersionMinor>0</VersionMinor></Version>
           </Creator>

        """)
    }
    buffer.append("  </Activity>\n")
    try buffer.hand(to: receive)
  }

  package static func end(_ buffer: inout PieceBuffer) {
    buffer.append(" </Activities>\n</TrainingCenterDatabase>\n")
  }

  private static func append<Failure: Error>(
    _ lap: InterchangeRecording.Lap, of recording: InterchangeRecording, _ buffer: inout PieceBuffer,
    to receive: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    let first = lap.span.start.microseconds.flooredSeconds
    let last = lap.span.end.microseconds.flooredSeconds
    // The next lap has the second in which it begins.
    let isLast = lap.span == recording.laps.last?.span
    func isInside(_ second: Int64) -> Bool { second >= first && (isLast ? second <= last : second < last) }
    var count: Int64 = 0
    var sum: Int64 = 0
    var greatest: UInt16 = 0
    for rate in RateSeconds(recording, withoutPauses: true) where isInside(rate.second) {
      count += 1
      sum += Int64(rate.beatsPerMinute)
      greatest = max(greatest, rate.beatsPerMinute)
    }
    let milliseconds = recording.pauses.microsecondsLeft(of: lap.span) / 1000
    let fraction = "\(1000 + milliseconds % 1000)".dropFirst()
    buffer.append(
      """
         <Lap StartTime="\(lap.span.start.iso8601())">
          <TotalTimeSeconds>\(milliseconds / 1000).\(fraction)</TotalTimeSeconds>
          <DistanceMeters>0</DistanceMeters>
          <Calories>0</Calories>

      """)
    // A rate of more than 255 does not fit into the schema.
    if count > 0 {
      let average = min(max((sum + count / 2) / count, 1), 255)
      buffer.append("    <AverageHeartRateBpm><Value>\(average)</Value></AverageHeartRateBpm>\n")
      buffer.append("    <MaximumHeartRateBpm><Value>\(min(greatest, 255))</Value></MaximumHeartRateBpm>\n")
    }
    buffer.append("    <Intensity>Active</Intensity>\n    <TriggerMethod>Manual</TriggerMethod>\n")
    var isOpen = false
    for rate in RateSeconds(recording, withoutPauses: true) where isInside(rate.second) {
      let isPrecededByGap = rate.isPrecededByGap || rate.isPrecededByPause
      if isPrecededByGap, isOpen {
        buffer.append("    </Track>\n")
        isOpen = false
      }
      // Else a track may end for a lap alone.
      if isPrecededByGap {
        buffer.append("    <?\(RecordingAnnouncement.target) \(RecordingAnnouncement.gap)?>\n")
      }
      if !isOpen { buffer.append("    <Track>\n") }
      isOpen = true
      buffer.append("     <Trackpoint><Time>")
      buffer.append(Timestamp(microseconds: rate.second * 1_000_000).iso8601(fractionDigits: 0))
      buffer.append("</Time><HeartRateBpm><Value>")
      buffer.append(Int64(min(rate.beatsPerMinute, 255)))
      buffer.append("</Value></HeartRateBpm></Trackpoint>\n")
      try buffer.hand(to: receive)
    }
    if isOpen { buffer.append("    </Track>\n") }
    buffer.append("   </Lap>\n")
  }
}

/// Names of TCX (Garmin's schema TrainingCenterDatabase, version 2).
enum TCXNames {
  static let space = "http://www.garmin.com/xmlschemas/TrainingCenterDatabase/v2"

  /// The schema has three sports.
  static func sport(_ activity: WorkoutActivityType?) -> String {
    switch activity?.description {
    case "running": "Running"
    case "cycling": "Biking"
    default: "Other"
    }
  }

  /// The activity of a sport; nil for `Other`, and for unknown sports.
  static func activity(_ sport: String) -> WorkoutActivityType? {
    // Programs write more sports than the schema has.
    sport == "Other" ? nil : FITSports.activity(named: sport)
  }
}
