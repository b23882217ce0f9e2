/// What `[clients] bus` can be: on which bus other programs are let in.
enum ClientsBus: String, CaseIterable, Hashable {
  case auto, system, session, off
}
