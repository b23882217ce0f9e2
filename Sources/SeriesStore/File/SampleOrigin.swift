/// Whose sample it is: the rows of its session, source and device.
struct SampleOrigin: Hashable {
  var session: Int64?
  var source: Int64
  var device: Int64?
}
