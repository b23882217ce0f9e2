/// What a person has to do while a device is paired.
public enum PairingStep: Hashable, Sendable {
  /// The device shows a number of up to six digits that has to be entered here.
  case enterPasskey
  /// An old device wants a code of up to 16 characters: that of its manual.
  case enterPinCode
  /// This number of six digits has to be entered on the device. Nothing is asked here.
  case showPasskey(UInt32)
  /// This code has to be entered on the device. Nothing is asked here.
  case showPinCode(String)
  /// Does the device show the same number of six digits?
  case confirm(UInt32)
}

/// A person's answer to a ``PairingStep``.
public enum PairingAnswer: Hashable, Sendable {
  case accepted
  /// 0…999999.
  case passkey(UInt32)
  /// 1 to 16 characters.
  case pinCode(String)
  case refused
}
