extension SimulatedHost {
  /// Handles an event that bluetoothd learns of.
  mutating func handle(_ event: DaemonEvent) {
    switch event {
    case .advertisement(let key): hear(key)
    case .linkUp(let key, let link): linkUp(key, link: link)
    case .linkFailed(let key, let failure): linkFailed(key, failure)
    case .linkDown(let key, let link, let reason): linkDown(key, link: link, reason: reason)
    case .connectTimeout(let key): connectTimedOut(key)
    case .resolve(let key, let link): resolve(key, link: link)
    case .exportServices(let key, let link): exportServices(key, link: link)
    case .connectReply(let key, let link): if self[key]?.link == link { answerConnect(key) }
    case .configured(let key, let link, let handle, let accepted):
      configured(key, link: link, handle: handle, accepted: accepted)
    case .startNotifyReply(let token): answer(token)
    case .value(let key, let link, let uuid, let bytes, let number):
      receive(key, link: link, uuid: uuid, bytes, number: number)
    case .emit(let key, let link, let handle, let bytes, let number):
      emit(key, link: link, handle: handle, bytes, number: number)
    case .readReply(let key, let link, let handle, let isDescriptor, let token):
      readReply(key, link: link, handle: handle, isDescriptor: isDescriptor, token)
    case .writeReply(let key, let link, let handle, let bytes, let token):
      writeReply(key, link: link, handle: handle, bytes, token)
    case .batteryLevel(let key, let link, let percent): batteryChanged(key, link: link, percent)
    case .serviceChanged(let key, let link): serviceChanged(key, link: link)
    case .encryptionNeeded(let key, let link): demandPairing(key, link: link)
    case .paired(let key, let link, let accepted): paired(key, link: link, accepted: accepted)
    case .expire(let key): expire(key)
    case .adapterAppears(let adapter): adapterAppears(adapter)
    case .adapterPowered(let adapter): adapterPowered(adapter)
    case .adapterPulled(let adapter): adapterPulled(adapter)
    case .input(let input): handle(input)
    }
  }

  private mutating func handle(_ input: Input) {
    switch input {
    case .call(let call): self.call(call)
    case .clientLeft(let sender): clientLeft(sender)
    case .pipeClosed(let pipe): pipeClosed(pipe)
    case .agentAnswered(let question, let reply): agentAnswered(question, reply)
    case .time, .item: break
    }
  }
}
