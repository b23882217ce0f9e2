extension SessionTimeline {
  /// The points in time that somebody marked during the session, in order.
  public var markers: [SessionMarker] { sensor.markers }
}
