// The page and the overlay: what the hub sends, as a number, in words, and as a tachogram with its gaps.
"use strict";

const WORDS = {
  measuring: "Measuring",
  silent: "The sensor sends no heart rate",
  offSkin: "The sensor is not on the skin",
  linkLost: "No link to a sensor",
  noRecorder: "The recorder is not running",
  noHub: "No connection to the hub",
};
const SPAN = 300_000; // milliseconds that are drawn
const LOWEST = 300, HIGHEST = 1500; // milliseconds of the scale
const MOST = 2000; // beats; no heart has more in that span

const query = new URLSearchParams(location.search);
const rate = document.getElementById("rate");
const state = document.getElementById("state");
const chart = document.getElementById("tachogram");
const beatsText = document.getElementById("beats-text");

/** Beats as { time, interval, gap }: `gap` where no line may come from the beat before. */
let beats = [];
/** Ends of the last values before something is missing, so that the time until the next can be shaded. */
let gaps = [];
let openGap = null;
/** Whether the next frame draws. */
let isDue = false;
/** Moves the chart on where nothing comes. */
let ticker;
/** The hub's time less this browser's, so that a wrong clock does not move the chart. */
let offset = 0;

function show(word, number) {
  const text = number === null ? "–" : String(number);
  if (rate.textContent !== text) rate.textContent = text;
  // Set only when it changes: a screen reader tells each change.
  if (state.textContent !== WORDS[word]) state.textContent = WORDS[word];
  document.body.dataset.state = word;
}

function now() { return Date.now() + offset; }

function receive(event) {
  show(event.state, event.bpm);
  clearInterval(ticker);
  if (event.bpm === null) {
    if (openGap === null && beats.length > 0) openGap = beats[beats.length - 1].time;
    if (openGap !== null) ticker = setInterval(draw, 1000);
    draw();
    return;
  }
  offset = event.time_ms - Date.now();
  const first = event.time_ms - event.rr_ms.slice(1).reduce((sum, interval) => sum + interval, 0);
  const isGap = event.gap || openGap !== null;
  if (isGap && beats.length > 0) gaps.push({ start: openGap ?? beats[beats.length - 1].time, end: first });
  openGap = null;
  let time = first;
  event.rr_ms.forEach((interval, index) => {
    if (index > 0) time += interval;
    beats.push({ time, interval, gap: index === 0 && isGap });
  });
  draw();
}

/** Forgets what is no longer drawn: also while nobody looks, and nothing is. */
function forget() {
  const start = now() - SPAN;
  beats = beats.filter((beat) => beat.time >= start).slice(-MOST);
  gaps = gaps.filter((gap) => gap.end >= start).slice(-MOST);
}

function element(name, attributes) {
  const result = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) result.setAttribute(key, value);
  return result;
}

function draw() {
  if (!chart) return;
  forget();
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(paint);
}

function paint() {
  isDue = false;
  const end = now(), start = end - SPAN;
  const x = (time) => Math.max(0, Math.min(1000, ((time - start) / SPAN) * 1000));
  const y = (interval) => 300 - Math.max(0, Math.min(1, (interval - LOWEST) / (HIGHEST - LOWEST))) * 300;
  const shaded = openGap === null ? gaps : gaps.concat({ start: openGap, end });
  let path = "";
  for (const [index, beat] of beats.entries()) {
    const starts = index === 0 || beat.gap;
    // A beat alone is a dot.
    path += `${starts ? "M" : "L"}${x(beat.time).toFixed(1)} ${y(beat.interval).toFixed(1)}${starts ? "h0" : ""}`;
  }
  chart.replaceChildren(
    ...shaded.map((gap) =>
      element("rect", { class: "gap", x: x(gap.start), y: 0, width: Math.max(0, x(gap.end) - x(gap.start)), height: 300 })),
    element("path", { class: "trace", d: path }));
  beatsText.textContent = beats.length === 0 ? "No beats."
    : `${beats.length} ${beats.length === 1 ? "beat" : "beats"}, ${shaded.length} ${shaded.length === 1 ? "gap" : "gaps"}; `
      + `the last interval is ${Math.round(beats[beats.length - 1].interval)} ms.`;
}

if (query.has("size")) document.body.style.setProperty("--size", query.get("size"));
if (query.has("colour")) document.body.style.setProperty("--colour", query.get("colour"));

const address = new URL("/events", location.href);
if (query.has("token")) address.searchParams.set("token", query.get("token"));
const recordings = document.getElementById("sessions-link");
if (recordings && query.has("token")) recordings.href = "/sessions?token=" + encodeURIComponent(query.get("token"));
let last = 0;
let retry;
function connect() {
  const source = new EventSource(address);
  source.onmessage = (message) => {
    const event = JSON.parse(message.data);
    // A hole: this browser did not read everything.
    if (last !== 0 && event.sequence > last + 1) event.gap = true;
    last = event.sequence;
    receive(event);
  };
  source.onerror = () => {
    last = 0;
    receive({ state: "noHub", bpm: null });
    // A browser gives up where the hub answers with an error; the hub may be back later.
    if (source.readyState === EventSource.CLOSED) {
      clearTimeout(retry);
      retry = setTimeout(connect, 5000);
    }
  };
}
connect();
