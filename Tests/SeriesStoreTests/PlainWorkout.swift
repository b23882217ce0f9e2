import FoundationEssentials
import HealthModel
import TestSupport

@testable import SeriesStore

/// A workout as a list of calls at whole seconds, and what has to become of it, second by second: without the types that are tested.
struct PlainWorkout {
  struct Part {
    var type: WorkoutActivityType
    var start: Int
    var end: Int
  }

  /// The figures of one type over one part.
  struct Figures: Equatable {
    var count = 0
    var sum = 0.0
    var minimum = Double.infinity
    var maximum = -Double.infinity
    var latest = Int.min
  }

  let type: WorkoutActivityType
  private(set) var state = WorkoutSession.State.notStarted
  private(set) var start: Int?
  private(set) var end: Int?
  private(set) var activities: [Part] = []
  private(set) var current: Part?
  /// Each pause from its second to that of its end; the last may be open.
  private(set) var pauses: [(from: Int, to: Int?)] = []
  private(set) var laps: [(start: Int, end: Int)] = []
  private var latest = Int.min

  init(_ type: WorkoutActivityType) {
    self.type = type
  }

  enum Call {
    case prepare, start, pause, resume, endActivity, stop, end
    case begin(WorkoutActivityType)
    case lap(Int)
  }

  private static let sports: Set<WorkoutActivityType> = [.swimming, .cycling, .running, .transition]
  private static let states: [(WorkoutSession.State, String)] = [
    (.notStarted, "prepare start end"), (.prepared, "start end"), (.running, "pause begin endActivity lap stop end"),
    (.paused, "resume begin endActivity lap stop end"), (.stopped, "end"), (.ended, ""),
  ]

  private static func name(_ call: Call) -> String {
    switch call {
    case .prepare: "prepare"
    case .start: "start"
    case .pause: "pause"
    case .resume: "resume"
    case .endActivity: "endActivity"
    case .stop: "stop"
    case .end: "end"
    case .begin: "begin"
    case .lap: "lap"
    }
  }

  /// Carries the call out; or says why it cannot.
  mutating func play(_ call: Call, at second: Int) -> WorkoutError? {
    // What is wrong with the thing itself is told before what is wrong with the moment.
    switch call {
    case .begin(let sport):
      let fits = type == .swimBikeRun ? Self.sports.contains(sport) : sport == type
      if !fits { return .activityType(sport, in: type) }
    case .endActivity where current == nil && (state == .running || state == .paused): return .noActivity
    case .lap(let begin):
      guard let start else { return .notPossible(in: state) }
      if begin < start { return .eventOutside(.lap) }
      if laps.contains(where: { $0.end > begin && second > $0.start }) { return .lapsOverlap }
    default: break
    }
    let allowed = Self.states.first { $0.0 == state }?.1.split(separator: " ") ?? []
    guard allowed.contains(Substring(Self.name(call))) else { return .notPossible(in: state) }
    guard second >= latest else { return .timeGoesBack }
    latest = second
    switch call {
    case .prepare: state = .prepared
    case .start: (state, start) = (.running, second)
    case .pause:
      state = .paused
      pauses.append((second, nil))
    case .resume:
      state = .running
      pauses[pauses.count - 1].to = second
    case .begin(let sport):
      close(at: second)
      current = Part(type: sport, start: second, end: second)
    case .endActivity: close(at: second)
    case .lap(let begin): laps.append((begin, second))
    case .stop: (state, end) = (.stopped, second)
    case .end:
      state = .ended
      if start != nil { end = end ?? second }
    }
    if state == .stopped || state == .ended { close(at: end ?? second) }
    return nil
  }

  private mutating func close(at second: Int) {
    if var part = current {
      part.end = second
      activities.append(part)
    }
    current = nil
  }

  /// Whether the time from one second to the next is in no pause.
  private func isRunning(_ second: Int) -> Bool {
    !pauses.contains { $0.from <= second && second < $0.to ?? end ?? .max }
  }

  func duration(from: Int, to: Int) -> Int { (from..<max(from, to)).count(where: isRunning) }

  /// Of values at seconds; those at both ends of a pause are in it.
  func figures(of rates: [(second: Int, value: Double)], from: Int, to: Int) -> Figures {
    var figures = Figures()
    for (second, value) in rates where second >= from && second < to {
      guard !pauses.contains(where: { $0.from <= second && second <= $0.to ?? end ?? .max }) else { continue }
      figures.count += 1
      figures.sum += value
      figures.minimum = min(figures.minimum, value)
      figures.maximum = max(figures.maximum, value)
      figures.latest = max(figures.latest, second)
    }
    return figures
  }

  /// The sum of amounts over times: of each second its share.
  func amount(of rows: [(start: Int, end: Int, value: Double)], from: Int, to: Int) -> Double? {
    var sum: Double?
    for row in rows {
      for second in row.start..<row.end where second >= from && second < to && isRunning(second) {
        sum = (sum ?? 0) + row.value / Double(row.end - row.start)
      }
    }
    return sum
  }
}
