extension SimulatedHost {
  mutating func agentCall(_ call: Call) {
    guard case .objectPath(let path)? = call.arguments.first else {
      return answer(call.token, .failure(.invalidArguments))
    }
    let known = agents.firstIndex { $0.sender == call.sender && $0.path == path }
    switch call.member {
    case "RegisterAgent":
      let capabilities = ["", "DisplayOnly", "DisplayYesNo", "KeyboardOnly", "NoInputNoOutput", "KeyboardDisplay"]
      guard call.arguments.count == 2, case .string(let capability) = call.arguments[1],
        capabilities.contains(capability)
      else { return answer(call.token, .failure(.invalidArguments)) }
      guard !agents.contains(where: { $0.sender == call.sender }) else {
        return answer(call.token, .failure(.alreadyExists))
      }
      agents.append(Agent(sender: call.sender, path: path))
      answer(call.token)
      if agents.count == 1 { changePairable() }
    case "RequestDefaultAgent":
      guard let known else { return answer(call.token, .failure(.doesNotExist)) }
      agents.insert(agents.remove(at: known), at: 0)
      answer(call.token)
    case "UnregisterAgent":
      guard known != nil else { return answer(call.token, .failure(.doesNotExist)) }
      answer(call.token)
      removeAgents(of: call.sender, path: path)
    default: refuse(call)
    }
  }

  mutating func removeAgents(of sender: String, path: String?) {
    let before = agents.count
    agents.removeAll { $0.sender == sender && (path == nil || $0.path == path) }
    if agents.isEmpty, before > 0 { changePairable() }
  }

  private mutating func changePairable() {
    for adapter in adapters.indices where adapters[adapter].isVisible {
      change(adapter: adapter, ["Pairable": .bool(!agents.isEmpty)])
    }
  }

  mutating func pair(_ call: Call, _ key: DeviceKey) {
    guard let device = self[key] else { return }
    if device.isPaired { return answer(call.token, .failure(.alreadyExists)) }
    if device.pairing != nil { return answer(call.token, .failure(.inProgress)) }
    // The caller's own agent goes before the default one.
    guard let link = device.link, let agent = agents.first(where: { $0.sender == call.sender }) ?? agents.first else {
      return answer(call.token, .failure(.authenticationFailed))
    }
    self[key]?.pairing = call.token
    ask(agent, key, link: link)
  }

  /// CancelPairing.
  mutating func cancelPairing(_ call: Call, _ key: DeviceKey) {
    guard let pairing = self[key]?.pairing else { return answer(call.token, .failure(.doesNotExist)) }
    self[key]?.pairing = nil
    questions = questions.filter { $0.value.device != key }
    answer(pairing, .failure(.authenticationCanceled))
    answer(call.token)
  }

  /// The strap allows subscriptions on an encrypted link only: an agent is asked. Without an agent nothing is ever
  /// answered, and the device is removed after 30 s.
  mutating func demandPairing(_ key: DeviceKey, link: Int) {
    guard self[key]?.link == link else { return }
    if let agent = agents.first { return ask(agent, key, link: link) }
    guard self[key]?.expiry == nil else { return }
    let expiry = enter(.expire(key), in: Delay.expiry)
    self[key]?.expiry = expiry
  }

  private mutating func ask(_ agent: Agent, _ key: DeviceKey, link: Int) {
    if agent.sender == Self.otherClient {
      log("agent", nil, ["asked": .string("RequestAuthorization")])
      enter(DaemonEvent.paired(key, link: link, accepted: true), in: Delay.pairing)
      return
    }
    let device = Property.objectPath(path(key))
    let code = Property.uint32(StrapProfile.Pairing.code)
    let (member, arguments): (String, [Property]) =
      switch straps[key.strap].profile.pairing {
      case .passkey: ("RequestPasskey", [device])
      case .display: ("DisplayPasskey", [device, code, .uint16(0)])
      case .confirm: ("RequestConfirmation", [device, code])
      case .justWorks, .refuse, .silent, nil: ("RequestAuthorization", [device])
      }
    let question = nextNumber()
    questions[question] = (key, link)
    log("agent", key.strap, ["asked": .string(member)])
    effects.append(
      .askAgent(sender: agent.sender, path: agent.path, member: member, arguments, question: question))
  }

  mutating func agentAnswered(_ question: UInt64, _ reply: [Property]?) {
    guard let (key, link) = questions.removeValue(forKey: question) else { return }
    switch straps[key.strap].profile.pairing {
    case .silent: break
    case .passkey where reply != nil:
      let isRight = reply == [.uint32(StrapProfile.Pairing.code)]
      enter(DaemonEvent.paired(key, link: link, accepted: isRight), in: Delay.pairing)
    default: enter(DaemonEvent.paired(key, link: link, accepted: reply != nil), in: Delay.pairing)
    }
  }

  mutating func paired(_ key: DeviceKey, link: Int, accepted: Bool) {
    guard let device = self[key], device.link == link else { return }
    self[key]?.pairing = nil
    let refuses = straps[key.strap].profile.pairing == .refuse
    guard accepted, !refuses else {
      log("pairing_failure", key.strap)
      if let token = device.pairing {
        answer(token, .failure(refuses ? .authenticationRejected : .authenticationFailed))
      }
      for handle in device.subscriptions.keys.sorted() where device.subscriptions[handle]?.configuration == .writing {
        configured(key, link: link, handle: handle, accepted: false)
      }
      return
    }
    straps[key.strap].isEncrypted = true
    straps[key.strap].isBonded = true
    log("encryption", key.strap, ["on": .bool(true)])
    self[key]?.isPaired = true
    self[key]?.isTemporary = false
    change(key, ["Paired": .bool(true), "Bonded": .bool(true)])
    if let token = device.pairing { answer(token) }
    for (handle, subscription) in device.subscriptions.sorted(by: { $0.key < $1.key })
    where subscription.configuration == .writing {
      writeConfiguration(key, link: link, handle: handle, uuid: subscription.uuid, on: true)
    }
  }

  /// Removes the device while its link is up: the disconnect is not signalled, and calls are never answered.
  mutating func abandon(_ key: DeviceKey) {
    removeObjects(key)
    enter(AirEvent.endLink(key.strap, link: straps[key.strap].linkNumber, reason: 0x13), in: .zero)
  }
}
