internal import HealthModel

/// Names of Apple's export in those of HealthModel.
enum AppleNames {
  /// The meaning of a `type`.
  enum Meaning: Hashable, Sendable {
    case quantity(QuantityType)
    case category(CategoryType)
    case correlation(CorrelationType)
    case unknown
  }

  static func meaning(of type: String) -> Meaning {
    if let name = type.name(after: "HKQuantityTypeIdentifier") {
      return QuantityType(identifier: name).map { .quantity($0) } ?? .unknown
    }
    if let name = type.name(after: "HKCategoryTypeIdentifier") {
      // Apple's own name for it is older than the event's.
      let known = name == "audioExposureEvent" ? "environmentalAudioExposureEvent" : name
      return categories.contains(known) ? .category(CategoryType(identifier: known)) : .unknown
    }
    if let name = type.name(after: "HKCorrelationTypeIdentifier") {
      return CorrelationType(identifier: name).map { .correlation($0) } ?? .unknown
    }
    return .unknown
  }

  /// The name of a type for people: as ours are, known or not.
  static func short(_ type: String) -> String {
    for prefix in typePrefixes {
      if let name = type.name(after: prefix) { return name }
    }
    return type
  }

  private static let typePrefixes = [
    "HKQuantityTypeIdentifier", "HKCategoryTypeIdentifier", "HKCorrelationTypeIdentifier", "HKDataType",
  ]

  private static let categories: Set<String> = [
    "sleepAnalysis", "lowHeartRateEvent", "highHeartRateEvent", "irregularHeartRhythmEvent",
    "environmentalAudioExposureEvent", "headphoneAudioExposureEvent",
  ]

  /// The value of a category, by name or as a number. Sleep has had three names before it had stages.
  static func value(_ text: String) -> CategoryValue? {
    if let number = Int64(text) { return CategoryValue(rawValue: number) }
    return text.name(after: "HKCategoryValue", isLowercased: false).flatMap { values[$0] }
  }

  private static let values: [String: CategoryValue] = [
    "NotApplicable": .notApplicable, "SleepAnalysisInBed": .inBed, "SleepAnalysisAsleep": .asleepUnspecified,
    "SleepAnalysisAsleepUnspecified": .asleepUnspecified, "SleepAnalysisAwake": .awake,
    "SleepAnalysisAsleepCore": .asleepCore, "SleepAnalysisAsleepDeep": .asleepDeep,
    "SleepAnalysisAsleepREM": .asleepREM,
    "EnvironmentalAudioExposureEventMomentaryLimit": .momentaryLimit,
    "AudioExposureEventLoudEnvironment": .momentaryLimit,
    "HeadphoneAudioExposureEventSevenDayLimit": .sevenDayLimit,
  ]

  static func activity(_ text: String) -> WorkoutActivityType? {
    if let number = Int64(text) { return WorkoutActivityType(rawValue: number) }
    return text.name(after: "HKWorkoutActivityType").flatMap { WorkoutActivityType($0) }
  }

  static func event(_ text: String) -> WorkoutEventType? {
    guard let name = text.name(after: "HKWorkoutEventType"), Int64(name) == nil else { return nil }
    return WorkoutEventType(name)
  }

  /// A unit; of Apple's, `%` is a share of one, and `·` joins what stands below the stroke.
  static func unit(_ text: String) -> Unit? {
    text == "%" ? .count : Unit(text.replacing("\u{B7}", with: "*"))
  }

  /// Keys of a single record, which a series of many cannot have.
  static let singular: Set<String> = [
    "HKMetadataKeySyncIdentifier", "HKMetadataKeySyncVersion", "HKExternalUUID", "HKMetadataKeyExternalUUID",
  ]

  static func key(_ key: String) -> String {
    key.name(after: "HKMetadataKey") ?? key.name(after: "HK") ?? key
  }

  /// A number, with a unit or without, or else the text. A number is written as a program writes one: "007" and "1.50" are texts.
  static func metadata(_ text: String) -> MetadataValue {
    if let number = Int64(text), "\(number)" == text { return .integer(number) }
    let parts = text.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    guard let first = parts.first, first.utf8.count < 40, isNumber(first), let number = Double(first), number.isFinite
    else { return .text(text) }
    guard parts.count == 2 else { return "\(number)" == text ? .real(number) : .text(text) }
    return Unit(String(parts[1]).replacing("\u{B7}", with: "*")).map { .quantity(Quantity(number, $0)) } ?? .text(text)
  }

  /// `-12.5`, `6300`, `5.0`, `1.2e-05`: no sign or zero in front, no zero behind the point's other digits.
  private static func isNumber(_ text: Substring) -> Bool {
    var rest = text.utf8[...]
    func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    if rest.first == UInt8(ascii: "-") { rest.removeFirst() }
    let whole = rest.prefix(while: isDigit)
    guard let first = whole.first, first != 0x30 || whole.count == 1 else { return false }
    rest = rest.dropFirst(whole.count)
    if rest.first == UInt8(ascii: ".") {
      let decimals = rest.dropFirst().prefix(while: isDigit)
      guard let last = decimals.last, last != 0x30 || decimals.count == 1 else { return false }
      rest = rest.dropFirst(1 + decimals.count)
    }
    guard rest.first == UInt8(ascii: "e") else { return rest.isEmpty }
    rest.removeFirst()
    guard let sign = rest.first, sign == UInt8(ascii: "-") || sign == UInt8(ascii: "+") else { return false }
    return rest.count >= 3 && rest.dropFirst().allSatisfy(isDigit)
  }

  /// Reads `<<HKDevice: 0x283b3c1e0>, name:Apple Watch, manufacturer:Apple Inc., …>`, without the address in memory; nil for an address alone.
  static func device(_ text: String) -> Device? {
    guard let colon = text.firstRange(of: ">, ") ?? text.firstRange(of: "HKDevice: ") else { return nil }
    var device = Device()
    var key: String?
    var value = ""
    func keep(_ device: inout Device) {
      guard !value.isEmpty else { return }
      switch key {
      case "name": device.name = value
      case "manufacturer": device.manufacturer = value
      case "model": device.model = value
      case "hardware": device.hardwareVersion = value
      case "firmware": device.firmwareVersion = value
      case "software": device.softwareVersion = value
      case "localIdentifier": device.localIdentifier = value
      case "UDIDeviceIdentifier", "UDI": device.uniqueDeviceIdentifier = value
      default: break
      }
    }
    var rest = text[colon.upperBound...]
    if rest.last == ">" { rest.removeLast() }
    for part in rest.split(separator: ", ", omittingEmptySubsequences: false) {
      // Values have commas, too.
      if let end = part.firstIndex(of: ":"), deviceKeys.contains(String(part[..<end])) {
        keep(&device)
        (key, value) = (String(part[..<end]), String(part[part.index(after: end)...]))
      } else {
        value += ", " + part
      }
    }
    keep(&device)
    return device == Device() ? nil : device
  }

  private static let deviceKeys: Set<String> = [
    "name", "manufacturer", "model", "hardware", "firmware", "software", "localIdentifier", "UDIDeviceIdentifier",
    "UDI",
    "creation date",
  ]
}

extension String {
  /// The rest behind a prefix, the first letter small unless it begins an abbreviation.
  func name(after prefix: String, isLowercased: Bool = true) -> String? {
    guard hasPrefix(prefix), utf8.count > prefix.utf8.count else { return nil }
    let name = dropFirst(prefix.count)
    guard isLowercased, name.dropFirst().first?.isLowercase ?? true else { return String(name) }
    return name.prefix(1).lowercased() + name.dropFirst()
  }
}

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

  /// The attributes of the source and the device.
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
