internal import ClientInterfaces
internal import DBus
internal import Documents
internal import FoundationEssentials
internal import HealthModel
internal import StoreCommands

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
  @concurrent func decide(_ question: AccessQuestion, allow: Bool, objects: Set<Int>) async throws(CommandFailure) {
    if let wish = question.objects {
      func ids(_ areChosen: Bool) -> Set<UUID> {
        Set(wish.objects.indices.filter { objects.contains($0) == areChosen }.map { wish.objects[$0].id })
      }
      let choice = ObjectChoice(
        client: question.client, type: wish.type, allowed: ids(true), denied: ids(false),
        decided: Timestamp(microseconds: 0))
      _ = try await call("DecideObjects", GrantAccess.arguments(of: choice))
    }
    guard !question.share.isEmpty || !question.read.isEmpty else { return }
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
