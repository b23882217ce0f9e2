extension ConnectionPlan {
  /// What is to be done now, in the order of the list.
  public enum Command: Hashable, Sendable {
    /// Begin to look for sensors, or go on looking for these where a discovery runs on this adapter.
    case startDiscovery(on: AdapterIndex, Discovery)
    /// End it.
    case stopDiscovery(on: AdapterIndex)
    /// Call Connect. It is answered exactly once, by ``ConnectionPlan/connectSucceeded(_:on:at:)`` or
    /// ``ConnectionPlan/connectFailed(_:on:_:at:)``, unless its adapter or bluetoothd goes first.
    case connect(SensorAddress, on: AdapterIndex)
    /// Call Disconnect: on a link that this plan made, or to cancel a Connect of its own; never on anybody else's.
    case disconnect(SensorAddress, on: AdapterIndex)
    /// The link is there and its values are wanted: subscribe as soon as the services are resolved.
    case follow(SensorAddress, on: AdapterIndex)
    /// The values are not wanted any more: of this sensor, or over this adapter since another one's link is recorded now. The
    /// link, where there is one, stays as it is.
    case unfollow(SensorAddress, on: AdapterIndex)
    /// A link that is somebody else's has been silent for too long: subscribe anew.
    case resubscribe(SensorAddress, on: AdapterIndex)
    /// The services of its links were not resolved in time, twice in a row: worth a warning, since BlueZ may remember
    /// them wrongly. It is tried again after growing waits.
    case unresolved(SensorAddress, on: AdapterIndex)
    /// A second link of a sensor that is recorded over `recordedOn` already. It is not recorded; worth a warning, since
    /// an address can be cloned.
    case refuse(SensorAddress, on: AdapterIndex, recordedOn: AdapterIndex)
    /// bluetoothd died right after a call of this plan: worth a warning.
    case blame(FatalCalls.Verdict)
  }

  /// What a discovery listens to.
  public enum Discovery: Hashable, Sendable {
    /// Sensors that advertise the Heart Rate Service (180D): what nearly all of them do.
    case heartRateService
    /// Everything, for a short while: finds a sensor that advertises nothing but its name.
    case everything
  }
}
