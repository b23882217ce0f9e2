internal import ClientInterfaces
internal import DBus
internal import Documents
internal import HealthModel

/// The recorder as the agent sees it: what waits there.
struct AgentDoor {
  let recorder: RecorderPresence

  /// Who asks, where a signal says that somebody does.
  static func request(_ message: Message) -> ClientIdentity? {
    guard message.isSignal(ClientInterfaces.grants.name, "Requested"), let details = message.body.first?.properties,
      let uid = details["uid"]?.uint32, let application = details["application"]?.string
    else { return nil }
    return ClientIdentity(uid: uid, application: application)
  }

  /// What waits; nil where no recorder is there. From then on the recorder tells of requests.
  ///
  /// - Throws: ``CommandFailure`` where this user is no owner.
  @concurrent func questions() async throws(CommandFailure) -> [AccessQuestion]? {
    guard let answer = try await call("List", []) else { return nil }
    return AccessQuestion.all(
      in: (answer.first?.array ?? []).compactMap { $0.properties.flatMap { GrantEntry(reading: $0) } })
  }

  /// Decides; nothing where the recorder has gone meanwhile, with the program's request.
  @concurrent func decide(_ question: AccessQuestion, allow: Bool) async throws(CommandFailure) {
    _ = try await call(
      "Decide",
      [
        .uint32(question.client.uid), .string(question.client.application), .strings(question.share),
        .strings(question.read), .boolean(allow), .properties([:]),
      ])
  }

  @concurrent private func call(_ member: String, _ body: [Value]) async throws(CommandFailure) -> [Value]? {
    do throws(DBusError) {
      return try await recorder.call(ClientInterfaces.grants, member, body)
    } catch {
      if GrantAccess.refusesAll(error) { throw GrantAccess.notOwner }
      return nil
    }
  }
}
