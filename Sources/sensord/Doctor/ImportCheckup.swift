internal import CConfinement

/// How far what reads strangers' files is confined here (SECURITY.md). No reason why nothing is recorded, so never a failure.
enum ImportCheckup {
  static func finding() -> Finding {
    let version = cconfinement_landlock()
    guard version > 0 else { return Finding(title: "imports", result: .skipped(withoutLandlock)) }
    return Finding(title: "imports", result: .passed("confined to what was named (Landlock \(version))"))
  }

  private static let withoutLandlock =
    "only in part: this kernel has no Landlock, so a hostile file could read your others, not change or send them"
}
