import Testing

@testable import BlueZ

@Suite("EmissionCounter")
struct EmissionCounterTests {
  /// bluetoothd as seen from one subscriber's side: numbers its messages, emits a copy for each subscribed program, and
  /// answers fences and others.
  private struct Bluetoothd {
    var counter = EmissionCounter()
    var trace = SerialTrace()
    var serial: UInt32 = 100
    var told: [UInt8] = []
    var subscribers = 1

    /// Emits values that arrive together, and answers the fence after them.
    mutating func notify(_ values: UInt8...) {
      for value in values {
        for _ in 0..<subscribers {
          serial += 1
          trace.note(serial)
          let emission = Emission(bytes: [value], serial: serial, gaps: trace.gaps, microseconds: Int64(serial))
          told += counter.handle(emission).map { $0.bytes[0] }
        }
      }
      if counter.needsFence { fence() }
    }

    mutating func fence() {
      serial += 1
      trace.note(serial)
      told += counter.handleFence().map { $0.bytes[0] }
    }

    mutating func join() {
      subscribers += 1
      serial += 1
    }

    mutating func unsubscribe() {
      subscribers -= 1
      serial += 1
    }

    /// Its connection to the bus ends, which bluetoothd answers to nobody.
    mutating func leave() {
      subscribers -= 1
    }
  }

  @Test("with one subscriber every signal is a notification, equal ones in a row too")
  func one() {
    var daemon = Bluetoothd()
    for value: UInt8 in [1, 1, 1, 2, 2, 1] { daemon.notify(value) }
    #expect(daemon.told == [1, 1, 1, 2, 2, 1])
  }

  @Test("equal payloads that arrive at once are all counted")
  func burst() {
    var daemon = Bluetoothd()
    daemon.notify(1)
    daemon.notify(2, 2, 2, 3, 4, 4)
    daemon.notify(5)
    #expect(daemon.told == [1, 2, 2, 2, 3, 4, 4, 5])
  }

  @Test("a second subscriber that comes and goes doubles nothing")
  func comesAndGoes() {
    var daemon = Bluetoothd()
    daemon.notify(1)
    daemon.join()
    for value: UInt8 in [2, 2, 3] { daemon.notify(value) }
    #expect(daemon.counter.subscribers == 2)
    daemon.unsubscribe()
    for value: UInt8 in [4, 4, 5] { daemon.notify(value) }
    daemon.join()
    daemon.notify(6)
    daemon.notify(7)
    daemon.leave()
    daemon.notify(8)
    daemon.notify(8)
    #expect(daemon.told == [1, 2, 2, 3, 4, 4, 5, 6, 7, 8, 8])
  }

  @Test("subscribers that were there before us are recognised with the second value")
  func three() {
    var daemon = Bluetoothd()
    daemon.subscribers = 3
    for value: UInt8 in [1, 1, 2, 2, 2] { daemon.notify(value) }
    daemon.notify(3, 3, 4)
    #expect(daemon.told == [1, 1, 2, 2, 2, 3, 3, 4])
    #expect(daemon.counter.subscribers == 3)
  }

  @Test("a subscriber that stays for one value only doubles nothing")
  func shortVisit() {
    var daemon = Bluetoothd()
    daemon.notify(1)
    daemon.join()
    daemon.notify(2)
    daemon.unsubscribe()
    daemon.notify(3)
    #expect(daemon.told == [1, 2, 3])
  }

  @Test("equal payloads at once are counted although bluetoothd answered somebody before them")
  func burstAfterUnseen() {
    var daemon = Bluetoothd()
    daemon.notify(1)
    daemon.serial += 1
    daemon.notify(2, 2)
    #expect(daemon.told == [1, 2])
    daemon.notify(3)
    #expect(daemon.told == [1, 2, 2, 3])
  }

  @Test("a value is told when its first copy comes, with the time of it")
  func atOnce() {
    var counter = EmissionCounter()
    let first = Emission(bytes: [1], serial: 7, gaps: 0, microseconds: 70)
    let copy = Emission(bytes: [1], serial: 8, gaps: 0, microseconds: 80)
    #expect(counter.handle(first) == [Notification(bytes: [1], microseconds: 70)])
    #expect(counter.needsFence)
    #expect(counter.handle(copy) == [])
  }

  @Test("serial numbers go on after the largest")
  func wrap() {
    var trace = SerialTrace()
    trace.note(.max)
    trace.note(0)
    #expect(trace.gaps == 0)
    var counter = EmissionCounter()
    _ = counter.handle(Emission(bytes: [1], serial: .max, gaps: 0, microseconds: 0))
    #expect(counter.handle(Emission(bytes: [1], serial: 0, gaps: 0, microseconds: 0)) == [])
  }

  @Test("whoever comes and goes, every value is told once and in order", arguments: UInt64(1)...200)
  func random(seed: UInt64) {
    var state = seed
    func next(_ bound: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % bound
    }
    var daemon = Bluetoothd()
    var sent: [UInt8] = []
    for _ in 0..<200 {
      // At least two single values between changes, so that no doubt is left: see the type's documentation.
      switch next(4) {
      case 0 where daemon.subscribers < 4: daemon.join()
      case 1 where daemon.subscribers > 1: daemon.unsubscribe()
      case 2: daemon.serial += 1
      default: break
      }
      for _ in 0..<2 + next(3) {
        let value = UInt8(next(2))
        daemon.notify(value)
        sent.append(value)
      }
      if next(4) == 0 {
        daemon.notify(8, 8, 9)
        sent += [8, 8, 9]
      }
    }
    daemon.notify(10)
    sent.append(10)
    #expect(daemon.told == sent)
  }
}
