import FoundationEssentials

/// The top level of a scenario file, as written.
struct ScenarioFile: Decodable {
  var straps: [StrapFile]?
  var timeline: [ItemFile]?
  var adapter: String?
  var connections: Int?
  var resolve: String?
  var filter_duplicates: Bool?
  var busy_while_scanning: Bool?
  var reasons: Bool?
  var bluez: String?
  var dies_of_uuids: Bool?

  /// Decodes JSON; an error names its place in one line.
  static func decode<Form: Decodable>(_ json: [UInt8]) throws(ScenarioError) -> Form {
    do {
      return try JSONDecoder().decode(Form.self, from: Data(json))
    } catch let error as DecodingError {
      throw ScenarioError(description: Self.sentence(error))
    } catch {
      throw ScenarioError(description: "not JSON")
    }
  }

  private static func sentence(_ error: DecodingError) -> String {
    let context: DecodingError.Context =
      switch error {
      case .typeMismatch(_, let context), .valueNotFound(_, let context), .keyNotFound(_, let context),
        .dataCorrupted(let context):
        context
      @unknown default: DecodingError.Context(codingPath: [], debugDescription: "unreadable")
      }
    if case .dataCorrupted = error, context.codingPath.isEmpty { return "not JSON" }
    let place = context.codingPath.map { $0.intValue.map { "[\($0)]" } ?? "." + $0.stringValue }.joined()
    return place.isEmpty ? context.debugDescription : "\(place): \(context.debugDescription)"
  }
}

/// `true` or `false`, as in the lab, or the name of a pairing method.
enum PairingForm: Decodable {
  case flag(Bool)
  case name(String)

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    self =
      if let flag = try? container.decode(Bool.self) { .flag(flag) } else { .name(try container.decode(String.self)) }
  }
}

/// A strap, as written; the names are the file's.
struct StrapFile: Decodable {
  var name: String?
  var address: String?
  var address_type: String?
  var battery: Int?
  var location: Int?
  var rssi: Int?
  var adv_ms: Double?
  var manufacturer: String?
  var uuids: [String]?
  var clock: String?
  var advertise: Bool?
  var pairing: PairingForm?
  var service_changed: Bool?
  var shift: Int?
  var eager: Int?
  var stale: Int?
  var bonded: Bool?
  var hid: Bool?
  var flood: FloodFile?
  var control_point: Bool?
  var timeline: [ItemFile]?
}

/// A flood of values, as written.
struct FloodFile: Decodable {
  var per_second: Int
  var values: Int
  var trailing: Int?
}

/// An item of a timeline, as written.
struct ItemFile: Decodable {
  var t: Double?
  var bpm: Int?
  var rr_ms: [Double]?
  var contact: Bool?
  var energy: Int?
  var wide: Bool?
  var raw: String?
  var event: String?
  var value: Int?
  var shift: Int?
  var tell: Bool?
  var on: Bool?
  var adapter: String?
  var `do`: String?
  var strap: String?
  var uuid: String?
}

/// A fault in a scenario.
struct ScenarioError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One line: the place, and the values that are allowed there.
  let description: String
}
