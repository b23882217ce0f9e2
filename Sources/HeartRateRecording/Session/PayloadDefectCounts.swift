/// How many measurements had each defect.
public struct PayloadDefectCounts: Hashable, Sendable {
  private var empty = 0
  private var truncatedRate = 0
  private var truncatedEnergy = 0
  private var reservedFlags = 0
  private var trailingBytes = 0

  public init() {}

  public internal(set) subscript(defect: PayloadDefect) -> Int {
    get {
      switch defect {
      case .empty: empty
      case .truncatedRate: truncatedRate
      case .truncatedEnergy: truncatedEnergy
      case .reservedFlags: reservedFlags
      case .trailingBytes: trailingBytes
      }
    }
    set {
      switch defect {
      case .empty: empty = newValue
      case .truncatedRate: truncatedRate = newValue
      case .truncatedEnergy: truncatedEnergy = newValue
      case .reservedFlags: reservedFlags = newValue
      case .trailingBytes: trailingBytes = newValue
      }
    }
  }

  /// Measurements of which nothing could be used.
  public var unusable: Int { empty + truncatedRate + truncatedEnergy }
  /// All defects; a value can have more than one.
  public var total: Int { unusable + reservedFlags + trailingBytes }
}
