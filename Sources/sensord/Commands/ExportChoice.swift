internal import Documents
internal import ArgumentParser

/// What `export` can write: tables of this program's own, and the formats of others, which `sensord-interchange` writes.
enum ExportChoice: Hashable, CaseIterable, ExpressibleByArgument {
  case own(ExportFormat)
  case foreign(ForeignFormat)

  /// The formats that `sensord-interchange` has, by the same names.
  enum ForeignFormat: String, CaseIterable {
    case fit
    case tcx
    case rr
    case hrvlogger
    case wfdb
    case edf
    case omh
    case fhir
    case apple
  }

  static let allCases = ExportFormat.allCases.map(Self.own) + ForeignFormat.allCases.map(Self.foreign)

  static var allValueStrings: [String] { allCases.map(\.name) }

  var name: String {
    switch self {
    case .own(let format): format.rawValue
    case .foreign(let format): format.rawValue
    }
  }

  init?(argument: String) {
    guard let choice = Self.allCases.first(where: { $0.name == argument }) else { return nil }
    self = choice
  }

  /// Says what there is where there is no such format: who looks for CSV finds it under other names.
  static func named(_ argument: String) throws -> Self {
    if let choice = Self(argument: argument) { return choice }
    let others = ForeignFormat.allCases.map(\.rawValue).joined(separator: ", ")
    throw ValidationError("there is no such format: beats and rates are the CSV tables, the others \(others)")
  }
}
