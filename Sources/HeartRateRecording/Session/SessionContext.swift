import Sensors

/// What is known of a sensor, with or without an open session. A session opens with it.
struct SessionContext: Sendable {
  var boot: BootIdentifier?
  /// Wall clock minus boot clock; nil until it is known for the present boot.
  var clockOffset: Int64?
  var isLinked = false
  var information: [DeviceInformationField: String] = [:]
  var batteryPercent: UInt8?
  var location: UInt8?
  /// dBm, of the present link.
  var signal: Int16?

  mutating func update(with event: SensorEvent) {
    switch event.kind {
    case .boot(let identifier):
      if identifier != boot { clockOffset = nil }
      boot = identifier
      isLinked = false
      signal = nil
    case .clock(let offset): clockOffset = offset
    case .connected, .measurement: isLinked = true
    case .disconnected:
      isLinked = false
      signal = nil
    case .battery(let percent): batteryPercent = percent
    case .location(let value): location = value
    case .information(let field, let text): information[field] = text
    case .signal(let decibels): signal = decibels
    case .lost, .stalled, .marker, .paused, .continued, .ended: break
    }
  }

  /// The events that say the same as this context, in a fixed order.
  func events(at instant: BootInstant) -> [SensorEvent] {
    var events: [SensorEvent] = []
    if let boot { events.append(SensorEvent(.boot(boot), at: instant)) }
    if let clockOffset { events.append(SensorEvent(.clock(wallMinusBootMicroseconds: clockOffset), at: instant)) }
    if isLinked { events.append(SensorEvent(.connected, at: instant)) }
    for field in DeviceInformationField.allCases {
      if let text = information[field] { events.append(SensorEvent(.information(field, text), at: instant)) }
    }
    if let location { events.append(SensorEvent(.location(location), at: instant)) }
    if let batteryPercent { events.append(SensorEvent(.battery(percent: batteryPercent), at: instant)) }
    if let signal { events.append(SensorEvent(.signal(dBm: signal), at: instant)) }
    return events
  }
}
