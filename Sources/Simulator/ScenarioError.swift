/// What is wrong with a scenario.
struct ScenarioError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One line: the place, and what is allowed there.
  let description: String
}
