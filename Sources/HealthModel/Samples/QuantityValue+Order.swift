extension SampleDraft.QuantityValue {
  /// By start, then by end, then by value, each once.
  package static func inOrder(_ values: [Self]) -> [Self] {
    let sorted = values.sorted(by: precedes)
    var once: [Self] = []
    once.reserveCapacity(sorted.count)
    for value in sorted where once.last != value { once.append(value) }
    return once
  }

  /// Whether one stands before the other in that order.
  package static func precedes(_ one: Self, _ other: Self) -> Bool {
    if one.span.start != other.span.start { return one.span.start < other.span.start }
    if one.span.end != other.span.end { return one.span.end < other.span.end }
    return one.value < other.value
  }
}
