import Ingestion
import Synchronization

/// What a recorder has told: its log, and its status as it is now; tests wait for it instead of sleeping.
final class RecorderWitness: Sendable {
  private struct State {
    var lines: [String] = []
    var status: RecorderStatus?
    var waiting:
      [(condition: @Sendable (RecorderWitness.View) -> Bool, continuation: CheckedContinuation<Void, Never>)] = []
  }

  /// What a condition looks at.
  struct View {
    let lines: [String]
    let status: RecorderStatus?
  }

  private let state = Mutex(State())

  var lines: [String] { state.withLock { $0.lines } }

  func note(line: String) {
    change { $0.lines.append(line) }
  }

  func note(_ status: RecorderStatus) {
    change { $0.status = status }
  }

  func count(_ text: String) -> Int { lines.count { $0.contains(text) } }

  /// Waits for one more line with this text than the `before` that were there.
  func line(_ text: String, after before: Int = 0) async {
    await wait { $0.lines.count { $0.contains(text) } > before }
  }

  func wait(for condition: @escaping @Sendable (View) -> Bool) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if condition(View(lines: state.lines, status: state.status)) { return true }
        state.waiting.append((condition, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  private func change(_ body: (inout State) -> Void) {
    let met = state.withLock { state in
      body(&state)
      let view = View(lines: state.lines, status: state.status)
      let met = state.waiting.filter { $0.condition(view) }
      state.waiting.removeAll { $0.condition(view) }
      return met
    }
    for waiter in met { waiter.continuation.resume() }
  }
}
