public import HealthModel

/// The figures of the quantities of one chunk in a quarter of an hour, as the column `cells` of `summaries` has them packed.
///
/// Documentation/store-format.md, "Summary cells", says what each is. Two chunks may share a quarter.
public struct QuarterCell: Hashable, Sendable {
  /// The beginning of the quarter, a multiple of it since 1970.
  public var start: Timestamp
  /// The number of quantities.
  public var count: Int
  /// The sum of their values.
  public var sum: Double
  /// The least value.
  public var minimum: Double
  /// The greatest value.
  public var maximum: Double
  /// Microseconds in a quantity, or between two that are at most ten seconds apart.
  public var covered: Int64
  /// Values held until the next, times microseconds, over neighbours at most ten seconds apart.
  public var held: Double

  /// The cells in packed bytes; ``StoreError/Code/corrupt(object:)`` where they are damaged.
  public static func unpack(_ bytes: [UInt8]) throws(StoreError) -> [QuarterCell] {
    do {
      return try SummaryCells.decode(bytes).map { cell in
        QuarterCell(
          start: Timestamp(microseconds: cell.start), count: cell.count, sum: cell.sum, minimum: cell.minimum,
          maximum: cell.maximum, covered: cell.covered, held: cell.held)
      }
    } catch {
      throw StoreError(.corrupt(object: "cells"), "packed cells are damaged; 'sensord check' says which")
    }
  }
}
