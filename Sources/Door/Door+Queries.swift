import ClientInterfaces
import Clients
import DBus
import FoundationEssentials
import HealthModel
import Ingestion
import SeriesStore

// Answers of queries go through pipes, so that their length does not matter: what is not read yet waits in the file.

extension Door {
  func query(_ call: ClientCall) {
    let query: ClientQuery
    do throws(ArgumentError) {
      query = try ClientQuery(kind: call.text(0), call.arguments[1]) { Self.zone($0) }
    } catch {
      return respond(to: call, error.reply)
    }
    do throws(Refusal) {
      let number = try registry.beginQuery(call.sender)
      Task(executorPreference: loop) { await self.answer(.query(query), number, to: call) }
    } catch {
      refuse(call, error)
    }
  }

  /// The zone of that name, or of that rule.
  private static func zone(_ name: String) -> TimeZoneRules? {
    (try? TimeZoneRules.named(name)) ?? (try? TimeZoneRules(rule: name))
  }

  func answer(_ question: QueryAnswer.Question, _ number: UInt64, to call: ClientCall) async {
    // A reader who has gone is answered nothing.
    while let reading = registry.reading(of: call.sender) {
      do throws(StoreError) {
        guard let shared = await recorder.openStore else { throw StoreError(.closed, "the recorder is not ready") }
        // One that is closing says so, which another connection to its file would not.
        _ = try await shared.grants(of: reading.client)
        // An anchor is a row of the store. Everything else is read on a connection and a thread of its own.
        let store = if case .query(.changes) = question { shared } else { try shared.openReader() }
        var answer = QueryAnswer(question, for: reading, in: store, mostBuckets: settings.limits.buckets)
        // What cannot be answered is an error of the call, and not a pipe that ends.
        let first = try await answer.next() ?? []
        // Where the owner has decided otherwise meanwhile, the new decision is answered by, as if it had been made before.
        guard registry.reading(of: call.sender) == reading else { continue }
        await send(first, of: &answer, number, for: reading, to: call)
      } catch {
        respond(to: call, error.reply)
      }
      break
    }
    registry.endQuery(number, of: call.sender)
  }

  private func send(
    _ first: [UInt8], of answer: inout QueryAnswer, _ number: UInt64, for reading: Reading, to call: ClientCall
  ) async {
    let pipe: AnswerPipe
    do throws(DBusError) {
      let opened = try AnswerPipe.open(to: call.sender, on: loop)
      pipe = opened.pipe
      respond(to: call, .values([.descriptor(opened.end)]))
    } catch {
      return refuse(call, .limitsExceeded(.queries))
    }
    answers[number] = (pipe, reading)
    defer { answers[number] = nil }
    var part: [UInt8]? = first
    while let bytes = part {
      guard await pipe.write(bytes) else { return }
      // Where the file cannot be read any further, the answer ends without its last line.
      part = try? await answer.next()
    }
  }

  /// Cuts off answers whose reader has gone, or may not read any more what it asked for.
  func cutAnswers() {
    for (pipe, reading) in answers.values where registry.reading(of: pipe.reader) != reading { pipe.cut() }
  }
}
