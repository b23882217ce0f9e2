internal import LivePulse

/// Something that shows the pulse somewhere: one file each. Confined to the hub's loop.
protocol Output: AnyObject {
  /// Something else is to be shown. Without a value, the output goes to its own form of "none" at once.
  func show(_ shown: Shown)
}
