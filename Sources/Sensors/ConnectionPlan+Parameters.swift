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
    /// How long a look takes.
    public var look = Duration.seconds(10)
    /// The time between looks where they are the only discovery: a sensor that advertises does so at least every second or
    /// so, and each of 40 neighbours wakes bluetoothd, bus and recorder ten times a second while a look lasts.
    public var lookPause = Duration.seconds(50)

    public init() {}

    /// The parameters that sensord runs with.
    public static let standard = Parameters()
  }
}
