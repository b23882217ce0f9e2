import RecorderBus
import DBus
import FoundationEssentials
import Glibc
import HealthModel
import Ingestion
import SeriesStore

// Files follow their object: who may read it may read them, and who saved it may add and remove them.

extension Door {
  /// The longest time that the sender of a file may send nothing, in milliseconds.
  private static let patienceForFiles: Int32 = 30_000

  /// `Attachments1`.
  func answerAttachments(_ call: ClientCall) throws(Refusal) {
    // Of an object for `Add` and `List`, else of an attachment.
    let argument = call.member == "Add" || call.member == "List" ? "object" : "id"
    guard let id = UUID(uuidString: call.text(0)) else {
      return respond(to: call, ArgumentError.invalid(argument).reply)
    }
    switch call.member {
    case "Add":
      let uid = try registry.beginAttaching(call.sender)
      Task(executorPreference: loop) { await self.addAttachment(call, to: id, ofUser: uid) }
    case "List": answer(call) { (door) throws(RefusedCall) in try await door.attachments(for: id, call) }
    case "Read":
      let number = try registry.beginQuery(call.sender)
      Task(executorPreference: loop) { await self.answer(.attachment(id), number, to: call) }
    case "Remove": answer(call) { (door) throws(RefusedCall) in try await door.removeAttachment(id, call) }
    default: respond(to: call, .unknownMethod)
    }
  }

  private func addAttachment(_ call: ClientCall, to object: UUID, ofUser uid: UInt32) async {
    do throws(RefusedCall) {
      let added = try await attach(call, to: object)
      respond(to: call, .values([.string(added.id.uuidString.lowercased())]))
    } catch {
      respond(to: call, error.reply)
    }
    registry.endAttaching(ofUser: uid)
    settle()
  }

  private func attach(_ call: ClientCall, to object: UUID) async throws(RefusedCall) -> Attachment {
    let (name, said) = (call.text(1), call.text(2))
    let type = said.isEmpty ? nil : AttachmentContentType(rawValue: said)
    let metadata: Metadata
    do { metadata = try Metadata(call.arguments[4]) } catch { throw RefusedCall(error) }
    do { try ClientDataLimits().check(metadata) } catch { throw RefusedCall(Refusal(error)) }
    guard let number = try? call.arguments[3].descriptor?.duplicate().release() else {
      throw RefusedCall(ArgumentError.invalid("file"))
    }
    defer { Glibc.close(number) }
    let (store, source) = try await storeForWriting(call)
    do {
      // A client finds only samples that it saved itself, so this reveals nothing about others.
      let objectType = try await store.typeForAttachments(of: object, savedBy: source)
      try requireSharing(call, of: objectType)
      // The sender decides how long this takes: on a thread of its own.
      let draft = try await store.openReader().draftAttachment(
        to: object, name: name, contentType: type, from: number, metadata: metadata, savedBy: source,
        patience: Self.patienceForFiles)
      // The owner may have decided otherwise meanwhile.
      try requireSharing(call, of: objectType)
      return try await store.attach(draft, to: object, name: name, metadata: metadata, savedBy: source)
    } catch let error as RefusedCall {
      throw error
    } catch let error as StoreError {
      throw RefusedCall(error)
    } catch {
      throw RefusedCall(Refusal.notStored)
    }
  }

  private func requireSharing(_ call: ClientCall, of type: String) throws(RefusedCall) {
    do { _ = try registry.requireSharing(call.sender, of: [type]) } catch { throw RefusedCall(error) }
  }

  /// The recorder's store, and whose objects the caller may change there; nil: all.
  private func storeForWriting(_ call: ClientCall) async throws(RefusedCall) -> (store: HealthStore, source: String?) {
    guard let store = await recorder.openStore else { throw RefusedCall(Refusal.notRecording) }
    guard let reading = registry.reading(of: call.sender) else { throw RefusedCall(Refusal.notAuthorized) }
    return (store, reading.types == nil ? nil : reading.client.source)
  }

  private func attachments(for object: UUID, _ call: ClientCall) async throws(RefusedCall) -> Reply {
    guard let store = await recorder.openStore else { throw RefusedCall(Refusal.notRecording) }
    while let reading = registry.reading(of: call.sender) {
      let found: Result<[Attachment], StoreError>
      do {
        found = .success(try await store.attachments(for: object, in: reading.scope))
      } catch {
        found = .failure(error)
      }
      // If the owner has decided otherwise meanwhile, the new decision counts, as if it had been made before.
      guard registry.reading(of: call.sender) == reading else { continue }
      switch found {
      case .success(let attachments): return .values([.array(attachments.map(\.value), of: "a{sv}")])
      case .failure(let error): throw RefusedCall(error)
      }
    }
    throw RefusedCall(Refusal.notAuthorized)
  }

  private func removeAttachment(_ id: UUID, _ call: ClientCall) async throws(RefusedCall) -> Reply {
    let (store, source) = try await storeForWriting(call)
    do { try await store.removeAttachment(id, savedBy: source) } catch { throw RefusedCall(error) }
    return .success
  }
}
