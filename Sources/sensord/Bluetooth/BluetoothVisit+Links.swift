internal import BlueZ
internal import DBus

extension BluetoothVisit {
  /// A device as BlueZ knows it, looked for on the air where it does not.
  ///
  /// - Throws: 66 where it is not heard within `limit`.
  func find(_ address: DeviceAddress, within limit: Duration) async throws -> Device {
    let adapters = try await adapters()
    if let known = try await objects(of: address).first(where: { adapters.contains($0.path.adapter) }) { return known }
    Progress.show("looking for \(address)")
    let seen = await wait(limit) { client in
      for adapter in adapters { client.startDiscovery(.everything, on: adapter) }
    } for: { event in
      switch event {
      case .deviceSeen(let device), .deviceChanged(let device): device.address == address
      default: false
      }
    }
    let client = try client()
    for adapter in adapters { await client.stopDiscovery(on: adapter) }
    Progress.clear()
    guard let device = try await objects(of: address).first(where: { adapters.contains($0.path.adapter) }) else {
      throw seen == nil ? BluetoothFailure.unheard(address) : BluetoothFailure.unreachable(address, .unknownDevice)
    }
    return device
  }

  /// Connects the device where it has no link. A link that another program makes meanwhile is used, and not ended here.
  ///
  /// - Throws: 69 where it cannot be connected.
  func link(_ device: Device) async throws {
    guard try await !objects(of: device.address).contains(where: { $0.path == device.path && $0.hasLink }) else {
      return
    }
    let (address, adapter) = (device.address, device.path.adapter)
    Progress.show("connecting \(address)")
    defer { Progress.clear() }
    // BlueZ gives up after 40 s by itself.
    let answer = await wait(.seconds(60)) {
      $0.connect(address, on: adapter)
    } for: { event in
      switch event {
      case .linkUp(address, adapter, _), .serviceDisappeared, .busLost: true
      // Another program is connecting: its success or failure is reported too.
      case .connectFailed(address, adapter, let failure): failure != .inProgress
      default: false
      }
    }
    switch answer {
    case .linkUp: return
    case .connectFailed(_, _, let failure): throw BluetoothFailure.unreachable(address, failure)
    case nil: throw BluetoothFailure.unreachable(address, .inProgress)
    default: throw BluetoothFailure.noService
    }
  }
}
