package import Captures
import SeriesStore

/// What a recorder writes to, from its start to its end.
package struct OpenFiles {
  let store: HealthStore
  package let journal: Journal
  let syncer: JournalSyncer
  let committer: SessionCommitter
}
