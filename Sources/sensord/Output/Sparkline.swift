/// The latest values as a row of blocks, the newest at the right; a blank is a gap.
struct Sparkline: Hashable {
  private static let blocks: [Character] = ["▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"]

  let text: String
  /// The smallest value that is shown.
  let low: UInt16
  /// The greatest.
  let high: UInt16
  /// How many values are shown.
  let count: Int

  /// Nil where there is no value to be shown.
  init?(_ values: [UInt16?], columns: Int) {
    let shown = values.suffix(max(0, columns))
    let present = shown.compactMap { $0 }
    guard let low = present.min(), let high = present.max() else { return nil }
    (self.low, self.high, count) = (low, high, present.count)
    let range = Int(high) - Int(low)
    text = String(
      shown.map { value -> Character in
        guard let value else { return " " }
        // Equal values are in the middle: they are neither high nor low.
        return Self.blocks[range == 0 ? 3 : (Int(value) - Int(low)) * 7 / range]
      })
  }
}
