// What the hub sends, as long as the page is open. A value that is not followed by another in time ends here, too: so no number stays where the hub hangs.
import { address } from "/parts.js";

/** Milliseconds behind a due beat; the hub itself says after 2.9 s that there is no value. */
const PATIENCE = 3400;
const RETRY = 5000;

/**
 * Calls `receive` with each event of a stream. `hole`: this browser did not get everything before. A state of the page's own is `noHub`: of one sensor, or of all.
 */
export function follow(path, receive) {
  let last = 0, retry;
  const deadlines = new Map();
  function look() {
    const now = performance.now();
    for (const [sensor, deadline] of deadlines) {
      if (deadline > now) continue;
      deadlines.delete(sensor);
      receive({ state: "noHub", bpm: null, sensor }, false);
    }
  }
  setInterval(look, 250);
  // A page in the background is hardly woken: before it is seen again, it looks.
  document.addEventListener("visibilitychange", look);

  function connect() {
    const source = new EventSource(address(path));
    source.onmessage = (message) => {
      const event = JSON.parse(message.data);
      const hole = last !== 0 && event.sequence > last + 1;
      last = event.sequence;
      if (event.bpm === null) {
        if (event.sensor === undefined) deadlines.clear(); else deadlines.delete(event.sensor);
      } else {
        deadlines.set(event.sensor, performance.now() + (event.rr_ms.at(-1) ?? 60_000 / event.bpm) + PATIENCE);
      }
      receive(event, hole);
    };
    source.onerror = () => {
      last = 0;
      deadlines.clear();
      receive({ state: "noHub", bpm: null }, false);
      // A browser gives up where the hub answers with an error; the hub may be back later.
      if (source.readyState !== EventSource.CLOSED) return;
      clearTimeout(retry);
      retry = setTimeout(connect, RETRY);
    };
  }
  connect();
}
