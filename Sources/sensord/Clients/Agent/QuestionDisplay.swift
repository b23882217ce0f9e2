internal import HealthModel

/// Where a person sees questions and answers them. Calls `answered` on the loop's thread.
protocol QuestionDisplay: Sendable {
  /// Shows a question in place of an earlier one of the same program.
  func show(_ question: AccessQuestion) async
  /// The question of that program waits no more.
  func withdraw(_ client: ClientIdentity) async
}
