import TestSupport

/// What became of every value that the straps sent, as the simulator's log and the preloaded library show it.
///
/// No two values of the recording may be equal. A value that was handed to a recorder and that is not in its journal is no
/// loss only where that recorder ended right after: ``lostInMidlife`` has the others.
struct ValueAccount: CustomStringConvertible {
  /// What became of one value.
  enum Fate: String, CaseIterable {
    /// write(2) returned.
    case acknowledged = "acknowledged"
    /// bluetoothd had no recorder to hand it to, or had not given it the descriptor yet.
    case unsubscribed = "sent while no recorder had subscribed"
    /// Dropped: the recorder, or the machine, was too slow.
    case overflowed = "dropped while the socket was full"
    case unfetched = "left in the socket of a recorder that ended"
    case unwritten = "fetched by a recorder that was killed before its write"
    case stopping = "fetched by a recorder that had ended its sessions"
    /// bluetoothd kept it back for another reason.
    case unexplained = "unexplained"
  }

  private(set) var counts: [Fate: Int] = [:]
  /// Values that were lost while their recorder went on.
  private(set) var lostInMidlife: [String] = []
  /// Values that bluetoothd kept back and that were received all the same.
  private(set) var contradictions: [String] = []

  /// - Parameters:
  ///   - sent: The payloads of each strap in the order of their sending, in hexadecimal digits.
  ///   - swallowed: Payloads that bluetoothd handed to nobody, and why.
  ///   - operations: The calls of all recorders.
  init(sent: [[String]], swallowed: [String: String], operations: [DiskOperation]) {
    let traces = Self.traces(of: operations)
    for values in sent {
      var fates: [(value: String, fate: Fate, life: Int)] = []
      for value in values {
        let trace = traces[value]
        let reason = swallowed[value]
        let fate: Fate =
          switch trace {
          case let trace? where trace.isWritten: .acknowledged
          case let trace?: trace.isStopping ? .stopping : .unwritten
          case nil:
            switch reason {
            case "nobody", "early": .unsubscribed
            case "full": .overflowed
            // The descriptor of a recorder that is gone takes nothing.
            case nil, "gone": .unfetched
            default: .unexplained
            }
          }
        if reason != nil, trace != nil { contradictions.append(value) }
        counts[fate, default: 0] += 1
        fates.append((value, fate, trace?.life ?? 0))
      }
      // From the end: in which life the next value was written.
      var next = Int.max
      var doubtful: [String] = []
      for (value, fate, life) in fates.reversed() {
        if fate == .acknowledged {
          if life == next { lostInMidlife += doubtful }
          next = life
          doubtful = []
        } else if fate != .overflowed {
          doubtful.append(value)
        }
      }
    }
  }

  /// A value on its way through a recorder.
  private struct Trace {
    /// Counts the recorders.
    var life: Int
    var isWritten = false
    /// Whether a session had ended in this life before the value was fetched.
    var isStopping = false
  }

  private static func traces(of operations: [DiskOperation]) -> [String: Trace] {
    var traces: [String: Trace] = [:]
    var life = 0
    var isStopping = false
    for operation in operations {
      switch operation.kind {
      case .start:
        life += 1
        isStopping = false
      case .receive:
        traces[operation.data.hex] = Trace(life: life, isStopping: isStopping)
      case .write where operation.path.hasSuffix(".journal"):
        for line in String(decoding: operation.data, as: UTF8.self).split(separator: "\n") {
          let fields = line.split(separator: " ")
          guard fields.count > 3 else { continue }
          if fields[2] == "ended" { isStopping = true }
          // One that came as a signal was fetched from no socket.
          if fields[2] == "m" { traces[String(fields[3]), default: Trace(life: life)].isWritten = true }
        }
      default: break
      }
    }
    return traces
  }

  subscript(_ fate: Fate) -> Int { counts[fate, default: 0] }

  var description: String {
    "\(counts.values.reduce(0, +)) sent = "
      + Fate.allCases.filter { self[$0] > 0 }.map { "\(self[$0]) \($0.rawValue)" }.joined(separator: " + ")
  }
}

extension [UInt8] {
  fileprivate var hex: String {
    map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
  }
}
