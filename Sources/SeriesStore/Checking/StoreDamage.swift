/// Something in a store that cannot be what was written.
public struct StoreDamage: Hashable, Sendable, CustomStringConvertible, Codable {
  /// The object, `sample 1b4e28ba…` for instance, or `database`.
  public var object: String
  /// What is wrong with it; never a measured value.
  public var problem: String

  /// Takes every part as it is.
  public init(object: String, problem: String) {
    self.object = object
    self.problem = problem
  }

  /// One line for a person.
  public var description: String { "\(object): \(problem)" }
}
