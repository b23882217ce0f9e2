/// Collected damages: the first hundred are kept, the rest only counted, so that junk takes no memory.
struct DamageList {
  static let limit = 100

  private(set) var first: [CaptureDamage] = []
  private(set) var count = 0

  mutating func append(_ damage: CaptureDamage) {
    count += 1
    if first.count < Self.limit { first.append(damage) }
  }
}
