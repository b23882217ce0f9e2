// Reads the hub's stream as long as the page is open. A value that is not followed by another in time ends here, too: so no number stays where the hub hangs.
import { address } from "/parts.js";

/** Milliseconds behind a due beat after which there is no value; the hub itself says so after 2.9 s. A second later it is the hub that says nothing. */
const PATIENCE = 3000, SILENCE = 4000;
const RETRY = 5000;

/**
 * Calls `receive` with each event of a stream. `hole`: this browser did not get everything before. A state of the page's own is `noHub`: of one sensor, or of all.
 */
export function follow(path, receive) {
  let last = 0, retry;
  // A stream of one sensor may go over to another: there the last value counts, whoever sent it.
  const key = (event) => (path.includes("sensors=all") ? event.sensor : undefined);
  /** When the next beat of a sensor is due, and whether its silence was told. */
  const due = new Map();
  let timer;
  function look() {
    clearTimeout(timer);
    let next = Infinity;
    for (const [sensor, own] of due) {
      const late = performance.now() - own.time;
      if (late >= SILENCE) {
        due.delete(sensor);
        receive({ state: "noHub", bpm: null, sensor }, false);
        continue;
      }
      if (late >= PATIENCE && !own.isTold) {
        own.isTold = true;
        receive({ state: "silent", bpm: null, sensor }, false);
      }
      next = Math.min(next, (own.isTold ? SILENCE : PATIENCE) - late);
    }
    if (next < Infinity) timer = setTimeout(look, next + 1);
  }
  // A page in the background is hardly woken: before it is seen again, it looks.
  document.addEventListener("visibilitychange", look);
  addEventListener("pageshow", look);

  function connect() {
    const source = new EventSource(address(path));
    source.onmessage = (message) => {
      const event = JSON.parse(message.data);
      const hole = last !== 0 && event.sequence > last + 1;
      last = event.sequence;
      if (event.bpm === null) {
        if (key(event) === undefined) due.clear(); else due.delete(key(event));
      } else {
        due.set(key(event), { time: performance.now() + (event.rr_ms.at(-1) ?? 60_000 / event.bpm), isTold: false });
      }
      receive(event, hole);
      look();
    };
    source.onerror = () => {
      last = 0;
      due.clear();
      receive({ state: "noHub", bpm: null }, false);
      // A browser gives up where the hub answers with an error; the hub may be back later.
      if (source.readyState !== EventSource.CLOSED) return;
      clearTimeout(retry);
      retry = setTimeout(connect, RETRY);
    };
  }
  connect();
}
