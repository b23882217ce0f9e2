import Bits

extension ConnectionPlan {
  /// The instant at which ``timeReached(_:)`` is to be called next; nil where nothing waits for the time. The instant
  /// may turn out to be early, never late: a timer that was set stays right.
  public var deadline: BootInstant? {
    var earliest: BootInstant?
    func consider(_ instant: BootInstant?) {
      guard let instant else { return }
      earliest = earliest.map { min($0, instant) } ?? instant
    }
    for sensor in sensors {
      for presence in sensor.presences { consider(presence.call?.until) }
      switch sensor.phase {
      case .searching(let notBefore):
        if bestAdapter(for: sensor) != nil { consider(notBefore) }
      case .connecting(let attempt):
        if attempt.isAttentive { consider(sensor.since.advanced(by: parameters.attentiveTime)) }
      case .linked(let link):
        consider(link.watch?.checkAt ?? resolveLimit(link, sensor))
        if sensor.followedOn == nil { consider(link.followAt) }
      case .leaving(_, let until):
        consider(until)
      }
    }
    guard isSensorMissing || isOpenToStrangers else { return earliest }
    for adapter in adapters where adapter.isPowered {
      consider(adapter.fullUntil)
      if case .failed(let until) = adapter.discovery { consider(until) }
    }
    consider(looks.deadline)
    return earliest
  }

  /// Does everything that is due by now. An early call does no harm.
  public mutating func timeReached(_ now: BootInstant) -> [Command] {
    var commands: [Command] = []
    for position in adapters.indices {
      if let until = adapters[position].fullUntil, until <= now { adapters[position].fullUntil = nil }
      if case .failed(let until) = adapters[position].discovery, until <= now { adapters[position].discovery = .off }
    }
    advanceLooks(to: now)
    for sensor in sensors.indices.reversed() {
      giveUpAnswers(of: sensor, at: now, &commands)
      switch sensors[sensor].phase {
      case .searching(let notBefore):
        if let notBefore, notBefore <= now {
          sensors[sensor].notBefore = nil
          endWaitForPairing(sensor, at: now, &commands)
        }
      case .connecting(var attempt):
        if sensors[sensor].since.advanced(by: parameters.attentiveTime) <= now { attempt.isAttentive = false }
        sensors[sensor].phase = .connecting(attempt)
      case .linked(let link):
        if let followAt = link.followAt, followAt <= now, sensors[sensor].followedOn == nil {
          follow(sensor, on: link.adapter, &commands)
        }
        watch(link, sensor, at: now, &commands)
      case .leaving(let adapter, let until) where until <= now:
        leave(adapter, sensor, at: now, &commands)
      case .leaving: break
      }
      removeIfDone(sensor)
    }
    return reconcile(at: now, commands)
  }

  private func resolveLimit(_ link: Link, _ sensor: Sensor) -> BootInstant? {
    link.isOurs && !sensor.isShared ? sensor.since.advanced(by: parameters.resolving) : nil
  }

  /// The watchdog of a link: services that do not resolve, values that do not come.
  private mutating func watch(_ link: Link, _ sensor: Int, at now: BootInstant, _ commands: inout [Command]) {
    guard var watch = link.watch else {
      guard let limit = resolveLimit(link, sensors[sensor]), limit <= now else { return }
      sensors[sensor].unresolved += 1
      if sensors[sensor].unresolved == 2 {
        commands.append(.unresolved(sensors[sensor].address, on: link.adapter))
      }
      return leave(link.adapter, sensor, at: now, &commands)
    }
    guard watch.checkAt <= now else { return }
    let limit = watch.quietSince.advanced(by: silenceLimit(sensor))
    if limit <= now {
      sensors[sensor].silences += 1
      if mayDisconnect(link, sensor) { return leave(link.adapter, sensor, at: now, &commands) }
      commands.append(.resubscribe(sensors[sensor].address, on: link.adapter))
      watch.quietSince = now
    }
    // The shortest limit, since a value brings it back without moving the timer.
    watch.checkAt =
      limit <= now ? now.advanced(by: parameters.silence) : min(limit, now.advanced(by: parameters.silence))
    var link = link
    link.watch = watch
    sensors[sensor].phase = .linked(link)
  }
}

extension ConnectionPlan {
  /// The times and limits of a plan. The figures stand beside the observation that they follow from (BlueZ 5.66).
  public struct Parameters: Hashable, Sendable {
    /// Connects that may be under way on one adapter. The kernel makes one link at a time (0.3-1.6 s), but resolving
    /// services overlaps with the next one.
    public var concurrentAttempts = 4
    /// An attempt that is older than this waits for a silent sensor: it holds up neither others nor the discovery that
    /// was paused for it. An adapter that is full answers after 4.1 s.
    public var attentiveTime = Duration.seconds(5)
    /// An abort before this was a link lost in the making (seen: 0.3 s), one after it a link that could not be made.
    public var lostInTheMaking = Duration.milliseconds(1500)
    /// A link that was reported and lost before this, its services still unknown, was lost in the making as well: the link
    /// layer gives up (0x3E) after six connection events, 0.3 s.
    public var lostAtOnce = Duration.milliseconds(500)
    /// An abort after this was a silent sensor (seen: 40.2 s).
    public var silentAbort = Duration.seconds(20)
    /// The waiting time after the first failure; it doubles with each.
    public var firstRetry = Duration.seconds(1)
    /// The waiting time after a link was lost in the making for the first time; it doubles with each failure. Three such
    /// links in a row cost two seconds, so that recording goes on within five.
    public var soonRetry = Duration.milliseconds(100)
    /// The longest waiting time, for a sensor that is heard and cannot be connected. Short, since each of its beats
    /// counts: an attempt at a link that breaks in the making costs a third of a second of the radio.
    public var longestRetry = Duration.seconds(4)
    /// The longest waiting time after links whose services were not resolved in ``resolving``: what BlueZ remembers wrongly
    /// is mended by a person, or when the sensor itself drops a link.
    public var longestUnresolvedRetry = Duration.seconds(60)
    /// The waiting time before a silent sensor that no discovery hears is tried again unheard; it doubles with each.
    public var unheardRetry = Duration.seconds(30)
    /// The longest waiting time where the sensor refuses for want of pairing, which no retry mends.
    public var firstAuthenticationRetry = Duration.seconds(60)
    public var longestAuthenticationRetry = Duration.seconds(600)
    /// A sensor that was not heard for this long while the adapter listened has come back: its failures are forgotten.
    public var absence = Duration.seconds(10)
    /// After a link that gave a value the next try comes at once, but not sooner than this after the last try began.
    public var betweenTries = Duration.seconds(1)
    /// A Connect that has no answer after this (the longest seen: 40.2 s) never gets one, and is cancelled.
    public var answer = Duration.seconds(90)
    /// Time for the services of a link that this plan made.
    public var resolving = Duration.seconds(20)
    /// A link without a value for this long is silent; doubles with each silence in a row, up to ``longestSilence``.
    public var silence = Duration.seconds(30)
    public var longestSilence = Duration.seconds(900)
    /// The head start that another recorder has which goes first: what it asks for once the services are known comes sooner.
    public var headStart = Duration.seconds(1)
    /// Time for a Disconnect to take effect (seen: 2 s) before it is called again.
    public var leaving = Duration.seconds(30)
    /// A full adapter is tried again after this although no link has ended; doubles up to ``longestFull``.
    public var full = Duration.seconds(60)
    public var longestFull = Duration.seconds(600)
    /// A discovery that did not start, or ended by itself, is tried again after this; doubles up to
    /// ``longestDiscoveryRetry``.
    public var discoveryRetry = Duration.seconds(2)
    public var longestDiscoveryRetry = Duration.seconds(120)
    /// While a sensor is missing, the first look at everything that advertises; the time between looks doubles up to
    /// ``longestLookInterval``, or ``longestUnheardLookInterval`` while a sensor is missing that may need a look: one
    /// that has not been heard to advertise the service.
    public var firstLook = Duration.seconds(30)
    public var longestLookInterval = Duration.seconds(1800)
    public var longestUnheardLookInterval = Duration.seconds(300)
    /// The length of a look.
    public var look = Duration.seconds(10)
    /// The time between looks where they are the only discovery: a sensor that advertises does so at least every second or
    /// so, and each of 40 neighbours wakes bluetoothd, bus and recorder ten times a second while a look lasts.
    public var lookPause = Duration.seconds(50)

    public init() {}

    /// The parameters that sensord runs with.
    public static let standard = Parameters()
  }
}

/// Waiting times that double with each failure, with jitter, so that many sensors that failed together do not all come
/// back together.
struct Backoff: Hashable, Sendable {
  private(set) var failures = 0

  /// Counts one more failure and returns the waiting time: `first`, doubled by each failure before, at most `longest`;
  /// plus or minus a quarter.
  mutating func next(first: Duration, longest: Duration, using random: inout SplitMix64) -> Duration {
    let doubled = first * (1 << min(failures, 20))
    failures += 1
    return min(doubled, longest) * Double.random(in: 0.75...1.25, using: &random)
  }

  /// Forgets all failures.
  mutating func reset() {
    failures = 0
  }
}
