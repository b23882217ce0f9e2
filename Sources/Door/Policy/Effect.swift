package import FoundationEssentials
package import HealthModel
package import Timeline

/// An effect of a change of the clients; effects are done in order. The driver carries them out and decides nothing.
package enum Effect: Hashable, Sendable {
  /// The `Request` with this number is answered: whether everything that it asks for is decided.
  case answer(UInt64, isDecided: Bool)
  /// A request that was answered before is decided now.
  case decided(to: String, share: [String], objects: String? = nil)
  /// Reports a new request to an owner.
  case requested(to: String, AccessRequest)
  case measurement(to: String, SentMeasurement)
  case state(to: String, SensorAddress?, SentState)
  /// A heart event of an open session.
  case event(to: String, SensorAddress, HeartEvent)
  /// A session, series or workout ends, since its client is gone or may not have it any more.
  case end(ClientObject.Kind, UUID, isClientGone: Bool)
  /// Reports to a connection that a workout of its program is stored.
  case stored(to: String, UUID)
  /// Reports to the same connections that somebody discarded the workout.
  case discarded(to: String, UUID)
  /// Reports a change to a connection that observes it, for the `count`th time.
  case changed(to: String, count: UInt64)
  /// The subscriber has to show that it still reads.
  case ping(String)
}

/// The permissions for which a client asks the owner.
package struct AccessRequest: Hashable, Sendable {
  package var client: ClientIdentity
  /// Identifiers of types, in order and without doubles.
  package var share: [String]
  package var read: [String]
  /// Single samples that it asks for.
  package var objects: RequestedObjects?
}

/// A value of a sensor, as one subscriber gets it.
package struct SentMeasurement: Hashable, Sendable {
  package var sensor: SensorAddress
  /// Counts the values for this subscriber, from 1; one that it did not get is a hole.
  package var sequence: UInt64
  /// When it arrived, in microseconds since 1970 (UTC).
  package var time: Int64
  /// 0 where the sensor gives none, or the subscriber may not read it.
  package var beatsPerMinute: UInt16
  /// In 1/1024 s, oldest first; empty if there were no intervals, or the subscriber may not read them.
  package var rrTicks: [UInt16]
  /// Whether the sensor is on the skin; nil if the sensor does not report it.
  package var contact: Bool?
  /// Values before this one that the subscriber did not get.
  package var missed: UInt64

  /// The size of a signal in the bus, without intervals: 430 bytes were measured.
  static let bytes = 430

  /// The estimated size in the bus until the signal is read.
  var bytes: Int { Self.bytes + 2 * rrTicks.count }
}

/// The state of a sensor as reported to subscribers. The raw values are those of the bus.
package enum SentState: String, Hashable, Sendable, CaseIterable {
  case measuring, silent, offSkin, linkLost
  /// No value has come for three seconds after the beat that was due.
  case stale
  /// The recorder ends; about no sensor.
  case recorderStopping
}
