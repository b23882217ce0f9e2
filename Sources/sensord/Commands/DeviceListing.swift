internal import Documents
internal import HealthModel
internal import SeriesStore
internal import StoreCommands

/// How the commands of `sensord devices` show what they did.
enum DeviceListing {
  /// One row for each sensor.
  static func table(_ sensors: [AllowedSensor], columns: Int) -> String {
    var table = TextTable([.init("Address"), .init("Name", shrinks: true), .init("Added")])
    for sensor in sensors {
      table.add([sensor.address, sensor.name ?? "", LocalTime.minute(sensor.added.microseconds)])
    }
    return table.rendered(columns: columns)
  }

  /// `Polar H10 (C0:FF:EE:00:00:01)`, or the address alone.
  static func title(_ sensor: AllowedSensor) -> String {
    sensor.name.map { "\(PrintableText.line($0)) (\(sensor.address))" } ?? sensor.address
  }

  /// The sensor that a person means by `text`: its address, or its name where only one has it.
  static func sensor(_ text: String, in sensors: [AllowedSensor]) throws(CommandFailure) -> AllowedSensor {
    let matches = sensors.filter { $0.address == text.uppercased() || $0.name == text }
    if let address = matches.first(where: { $0.address == text.uppercased() }) { return address }
    guard let match = matches.first else {
      throw CommandFailure(.noInput, "no sensor \(text) in the list", remedy: "'sensord devices' shows it")
    }
    guard matches.count == 1 else {
      throw CommandFailure(.usage, "\(matches.count) sensors are named \(text)", remedy: "give the address")
    }
    return match
  }
}
