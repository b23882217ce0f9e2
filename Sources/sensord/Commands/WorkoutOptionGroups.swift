import ClientInterfaces

internal import ArgumentParser
internal import HealthModel

/// Which workout a command is about.
struct WorkoutChoice: ParsableArguments {
  @Option(help: ArgumentHelp("The first digits of its name; needed where several go on.", valueName: "id"))
  var workout: String?
}

/// Where a workout or an activity takes place.
struct WorkoutPlaceOptions: ParsableArguments {
  enum Location: String, CaseIterable, ExpressibleByArgument {
    case indoor, outdoor
  }

  enum SwimmingLocation: String, CaseIterable, ExpressibleByArgument {
    case pool, openWater
  }

  @Option(help: ArgumentHelp("Where it takes place.", valueName: "where"))
  var location: Location?

  @Option(help: ArgumentHelp("What is swum in.", valueName: "where"))
  var swimmingLocation: SwimmingLocation?

  @Option(help: ArgumentHelp("How long a lap is, such as '50 m' or 25yd.", valueName: "length"))
  var lapLength: String?

  /// Whether nothing was said.
  var isEmpty: Bool { location == nil && swimmingLocation == nil && lapLength == nil }

  /// What was said of a workout or activity of this type.
  ///
  /// - Throws: `ValidationError`.
  func configuration(of type: String) throws -> WorkoutConfiguration {
    let configuration = WorkoutConfiguration(
      try Self.type(type), location: location.flatMap { WorkoutSessionLocation($0.rawValue) } ?? .unknown,
      swimmingLocation: swimmingLocation.flatMap { WorkoutSwimmingLocation($0.rawValue) } ?? .unknown,
      lapLength: try lapLength.map { try Self.length($0) })
    do throws(WorkoutError) {
      _ = try WorkoutSession(configuration)
    } catch {
      throw ValidationError(error.description)
    }
    return configuration
  }

  static func type(_ text: String) throws -> WorkoutActivityType {
    if let type = WorkoutActivityType(text) { return type }
    let nearest = Spelling.nearest(to: text, among: WorkoutActivityType.named.map(\.description))
    guard !nearest.isEmpty else {
      throw ValidationError("there is no activity type '\(text)'; HealthKit's names and numbers are understood")
    }
    let meant = nearest.map { "'\($0)'" }.joined(separator: ", or ")
    throw ValidationError("there is no activity type '\(text)'; did you mean \(meant)?")
  }

  /// A number and a unit, with or without a blank between them.
  static func length(_ text: String) throws -> Quantity {
    let digits = text.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
    let symbol = text.dropFirst(digits.count).drop { $0 == " " }
    guard let value = Double(digits), let unit = Unit(String(symbol)), unit.isCompatible(with: .meter) else {
      throw ValidationError("'\(text)' is no length; it is written as '50 m' or 25yd")
    }
    return Quantity(value, unit)
  }
}
