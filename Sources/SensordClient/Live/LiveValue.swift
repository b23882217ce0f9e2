public import HealthModel

/// What a live stream says. A later version may say more.
@nonexhaustive
public enum LiveValue: Hashable, Sendable {
  /// From here on values are sent; their numbers begin with 1. The first element, and one after each interruption.
  case subscribed
  /// A sensor sent a value.
  case measurement(LiveMeasurement)
  /// A sensor does something else now; `recorderStopping` of no sensor is said once, before an interruption.
  case state(LiveState, sensor: String?)
  /// A heart event was found in a session that is open. Provisional: what is stored is found at the session's end.
  case event(HeartEvent, sensor: String)
  /// Bus or recorder have ended: what was measured since the last value is not known. The stream goes on when they are back.
  case interrupted
}

/// What a sensor does. A later version may have more.
@nonexhaustive
public enum LiveState: String, Hashable, Sendable {
  /// It sends values.
  case measuring
  /// No value came for 3 s after the beat that was due.
  case stale
  /// It is linked, and sends nothing.
  case silent
  /// It says that it is not on the skin.
  case offSkin
  /// There is no link to it.
  case linkLost
  /// The recorder ends.
  case recorderStopping
}

/// A value as a sensor sent it: provisional, because what is stored is computed from all values of a session at its end.
public struct LiveMeasurement: Hashable, Sendable {
  /// The sensor's address.
  public var sensor: String
  /// Which value of this subscription it is, from 1.
  public var sequence: UInt64
  /// How many values before this one the program did not get, because it was slow or too many were sent.
  public var missed: UInt64
  /// When it arrived at the recorder.
  public var time: Timestamp
  /// Beats per minute; nil if the sensor sent no rate, or none for this program.
  public var beatsPerMinute: UInt16?
  /// The intervals between beats in 1/1024 s, oldest first.
  public var rrTicks: [UInt16]
  /// Whether the sensor is on the skin; nil if it does not know.
  public var isOnSkin: Bool?

  /// A beat whose time is not final.
  public struct Beat: Hashable, Sendable {
    /// When it was, if the last beat came with its packet. The final time may be up to a second earlier.
    public var time: Timestamp
    /// The interval that ended with it, in 1/1024 s.
    public var rrTicks: UInt16
    /// Whether beats before it are missing: no interval may be formed with the beat before.
    public var precededByGap: Bool
  }

  /// The beats of the intervals: the last at the time of arrival, each other one interval before the next.
  public var beats: [Beat] {
    var time = time
    var beats: [Beat] = []
    for (index, ticks) in rrTicks.enumerated().reversed() {
      beats.append(Beat(time: time, rrTicks: ticks, precededByGap: index == 0 && missed > 0))
      time = time.advanced(byMicroseconds: -Int64(ticks) * 1_000_000 / 1024)
    }
    return beats.reversed()
  }
}
