internal import HealthModel

/// Names, times and values as Apple's export has them.
extension AppleNames {
  static let rate = "HKQuantityTypeIdentifierHeartRate"
  static let deviation = "HKQuantityTypeIdentifierHeartRateVariabilitySDNN"

  /// A name of ours with one of Apple's prefixes.
  static func text(_ prefix: String, _ name: String) -> String {
    "\(prefix)\(name.prefix(1).uppercased())\(name.dropFirst())"
  }

  /// `2026-11-21 02:08:08 +0000`
  static func text(_ time: Timestamp) -> String {
    time.iso8601(fractionDigits: 0).replacing("T", with: " ").replacing("Z", with: " +0000")
  }

  /// The whole second of a hundredth.
  static func second(_ tick: Int64) -> String {
    let second = (tick * (1_000_000 / AppleWriter.ticksPerSecond)).flooredSeconds
    return text(Timestamp(microseconds: second * 1_000_000))
  }

  /// The time of day of a hundredth: `2:08:08.40 AM`, in UTC as all times.
  static func timeOfDay(_ tick: Int64) -> String {
    let day = 86_400 * AppleWriter.ticksPerSecond
    let rest = tick % day
    let inDay = rest < 0 ? rest + day : rest
    func pair(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
    let seconds = inDay / AppleWriter.ticksPerSecond
    let hour = seconds / 3600
    return "\((hour + 11) % 12 + 1):\(pair(seconds / 60 % 60)):\(pair(seconds % 60))."
      + "\(pair(inDay % AppleWriter.ticksPerSecond)) \(hour < 12 ? "AM" : "PM")"
  }

  static func text(_ value: MetadataValue) -> String {
    switch value {
    case .text(let text): text
    case .integer(let number): "\(number)"
    case .real(let number): "\(number)"
    case .flag(let isSet): isSet ? "1" : "0"
    case .time(let time): text(time)
    case .quantity(let quantity): "\(quantity)"
    }
  }

  /// The attributes that say who measured, and with what.
  static func origin(_ source: SourceRevision, _ device: Device) -> String {
    var text = " sourceName=\"\(XMLText.escaped(source.name))\""
    if let version = source.version { text += " sourceVersion=\"\(XMLText.escaped(version))\"" }
    if let device = self.text(device) { text += " device=\"\(XMLText.escaped(device))\"" }
    return text
  }

  /// `<<HKDevice: 0x0>, name:Strap, manufacturer:Maker>`, without address and serial number; nil where nothing else is known.
  static func text(_ device: Device) -> String? {
    var device = device
    (device.localIdentifier, device.uniqueDeviceIdentifier) = (nil, nil)
    guard device != Device() else { return nil }
    let text = text(device) { $0 }
    // Some names read like another field.
    return self.device(text) == device ? text : self.text(device) { $0.replacing(", ", with: ",") }
  }

  private static func text(_ device: Device, _ value: (String) -> String) -> String {
    let fields = [
      ("name", device.name), ("manufacturer", device.manufacturer), ("model", device.model),
      ("hardware", device.hardwareVersion), ("firmware", device.firmwareVersion), ("software", device.softwareVersion),
    ]
    return "<<HKDevice: 0x0>\(fields.compactMap { key, text in text.map { ", \(key):\(value($0))" } }.joined())>"
  }
}
