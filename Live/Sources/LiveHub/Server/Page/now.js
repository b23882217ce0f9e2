// Now: one sensor large, several as tiles. What was before this page was opened comes from the hub's memory; each value is then added here.
import { words, whole, length, clock, clockSeconds } from "/words.js";
import { ask, make, write, card, hint, facts, zone, zoneBars } from "/parts.js";
import { rateChart, beatChart, spark } from "/chart.js";
import { follow } from "/follow.js";

/** Values after which the hub is asked again for its thinned curve: so no page grows, however long it is open. */
const MOST_ADDED = 400;
const MINUTE = 60_000;
/** The longest time for which a rate counts in a zone, as in 'sensord show'. */
const LONGEST_HOLD = 10_000;
/** Milliseconds behind a due beat after which there is a gap, as for the hub. */
const PATIENCE = 2900;
const LOW_BATTERY = 15;
/** A page asks for names, batteries and sessions anew, in milliseconds. */
const REFRESH = 30_000;

/** The hub's clock less this browser's: a wrong clock here moves no curve. */
let offset = 0;
const now = () => Date.now() + offset;
const sensors = new Map();
let room = { state: "connecting", undecided: null };
let main, state, view = null, added = 0, isAsking = false, isLoaded = false;

function sensor(address) {
  if (!sensors.has(address)) {
    sensors.set(address, { address, state: "linkLost", bpm: null, since: null, last: null, zoneSince: null, curve: null, beats: [], gapOpen: null });
  }
  return sensors.get(address);
}

const name = (sensor) => sensor.name ?? sensor.address;
const start = (sensor) => sensor.sessionStart ?? sensor.curve?.start ?? null;

/** Asks the hub for everything that it knows. */
async function refresh() {
  if (isAsking) return;
  isAsking = true;
  try {
    const isRoom = shownSensors().length > 1 && location.hash === "";
    const answer = await ask(`/api/now?columns=${isRoom ? 60 : 2000}`);
    offset = answer.now - Date.now();
    [added, isLoaded] = [0, true];
    room.undecided = answer.undecided ?? null;
    const known = new Set(answer.sensors.map((each) => each.address));
    // Without a recorder nothing is known, and what was measured stays.
    if (answer.recorder) for (const address of sensors.keys()) if (!known.has(address)) sensors.delete(address);
    for (const each of answer.sensors) {
      const own = sensor(each.address);
      Object.assign(own, { name: each.name ?? own.name, battery: each.battery ?? own.battery, sessionStart: answer.recorder ? each.session_start ?? null : own.sessionStart, curve: each.curve ?? null });
      own.beats = (each.beats ?? []).map(([time, interval]) => ({ time, interval }));
      if (own.curve && own.last === null) {
        const column = own.curve.stretches.at(-1)?.at(-1);
        if (column && column[1] === column[2]) own.last = { bpm: column[1], time: own.curve.end };
      }
      if (own.bpm === null) {
        own.gapOpen = own.curve?.end ?? null;
        own.since ??= own.curve?.end ?? null;
      }
    }
    show(true);
  } catch {
    // The stream says whether the hub is there.
  } finally {
    isAsking = false;
  }
}

/** Adds a value to the curve, and to the figures of it. */
function add(own, event) {
  const time = event.time_ms, previous = own.curve?.end ?? null;
  const isLate = previous !== null && time - previous > 60_000 / (own.last?.bpm ?? event.bpm) + PATIENCE;
  const isGap = event.gap || own.gapOpen !== null || isLate;
  if (own.curve === null) own.curve = { start: time, end: time, count: 0, average: event.bpm, minimum: event.bpm, maximum: event.bpm, held: [], stretches: [[]], gaps: [], missing_ms: 0 };
  const curve = own.curve;
  if (previous !== null && time > previous) {
    const last = own.last?.bpm ?? event.bpm;
    const row = curve.held.find(([rate]) => rate === last);
    const held = Math.min(time - previous, LONGEST_HOLD);
    if (row) row[1] += held; else curve.held.push([last, held]);
  }
  if (isGap && previous !== null && time > previous) {
    curve.gaps.push([previous, time]);
    curve.stretches.push([]);
  }
  curve.stretches.at(-1).push([time, event.bpm, event.bpm]);
  curve.end = time;
  curve.average = (curve.average * curve.count + event.bpm) / (curve.count + 1);
  curve.count += 1;
  curve.minimum = Math.min(curve.minimum, event.bpm);
  curve.maximum = Math.max(curve.maximum, event.bpm);
  own.gapOpen = null;
  let beat = time - event.rr_ms.slice(1).reduce((sum, interval) => sum + interval, 0);
  event.rr_ms.forEach((interval, index) => {
    if (index > 0) beat += interval;
    own.beats.push({ time: beat, interval });
  });
  own.beats = own.beats.filter((beat) => beat.time >= time - MINUTE).slice(-300);
}

function receive(event, hole) {
  if (event.sensor === undefined) {
    // Of all: there is no recorder, or no hub; or there is one, and its sensors follow.
    const isBack = room.state !== event.state && event.state === "linkLost";
    room.state = event.state;
    for (const own of sensors.values()) end(own, event.state);
    if (isBack) refresh();
    return show(false);
  }
  const own = sensor(event.sensor);
  const isNew = own.curve === null && event.bpm !== null;
  if (event.bpm === null) {
    end(own, event.state);
  } else {
    if (own.state !== "measuring") own.since = now();
    own.state = "measuring";
    offset = event.time_ms - Date.now();
    if (own.zone !== zone(event.bpm)) [own.zone, own.zoneSince] = [zone(event.bpm), event.time_ms];
    // The beginning comes from the hub: a curve from here on would be a wrong one.
    if (isLoaded) add(own, event);
    own.bpm = event.bpm;
    own.last = { bpm: event.bpm, time: event.time_ms };
    added += 1;
  }
  if (hole || isNew || added > MOST_ADDED * Math.max(1, sensors.size)) refresh();
  show(false);
}

function end(own, state) {
  if (own.state !== state) own.since = own.last && own.bpm !== null ? own.last.time : now();
  own.state = state;
  own.bpm = null;
  own.gapOpen ??= own.curve?.end ?? null;
}

/** The sensors that are worth a place: those that measure or did, or else all. */
function shownSensors() {
  const all = [...sensors.values()].sort((one, other) => name(one).localeCompare(name(other), [], { numeric: true }));
  const active = all.filter((own) => own.bpm !== null || own.sessionStart !== null);
  return active.length > 0 ? active : all;
}

function show(isWhole) {
  const all = shownSensors();
  const chosen = all.find((own) => `#${own.address}` === decodeURIComponent(location.hash));
  const kind = all.length === 0 ? `empty ${emptyState()}` : chosen ? `one ${chosen.address} back` : all.length === 1 ? `one ${all[0].address}` : `room ${all.map((own) => own.address)}`;
  if (view?.kind !== kind) {
    view = all.length === 0 ? emptyView() : chosen || all.length === 1 ? oneView(chosen ?? all[0], chosen !== undefined && all.length > 1) : roomView(all);
    view.kind = kind;
    main.className = `now ${kind.split(" ")[0]}`;
    main.replaceChildren(...view.parts);
    isWhole = true;
  }
  schedule(isWhole);
  const measuring = all.filter((own) => own.bpm !== null).length;
  const word = measuring > 0 ? "measuring" : all.length > 0 ? all[0].state : emptyState() === "noSensor" || emptyState() === "undecided" ? "waiting" : room.state;
  document.body.dataset.state = measuring > 0 ? "measuring" : all.length > 0 ? all[0].state : room.state;
  state(all.length > 1 ? words.sensors(all.length, measuring) : words.states[word] ?? "", measuring > 0);
}

/* Values are written at once: a number that no longer holds must not stay. Curves are drawn once a frame, and not at all while nobody looks. */
let isDue = false, isWholeDue = false;
function schedule(isWhole) {
  view.values?.();
  isWholeDue ||= isWhole;
  if (isDue) return;
  isDue = true;
  requestAnimationFrame(() => {
    isDue = false;
    view.curves?.(isWholeDue);
    isWholeDue = false;
  });
}

function emptyState() {
  if (room.state !== "linkLost") return room.state;
  return room.undecided ? "undecided" : "noSensor";
}

function emptyView() {
  const kind = emptyState();
  const text = words.empty[kind] ?? words.empty.connecting;
  const parts = [hint(kind === "undecided" ? { ...text, lines: [room.undecided] } : text)];
  if (kind === "noSensor") parts.push(make("section", { class: "card" }, make("h2", { text: words.empty.watch.title }), make("p", { text: words.empty.watch.text })));
  return { parts };
}

function oneView(own, hasBack) {
  const [rate, zoneText, lostText, lastText, hintText, battery] = ["span", "span", "span", "span", "p", "span"].map((name) => make(name));
  rate.id = "rate";
  hintText.className = "told";
  const figures = facts([[words.elapsed, ""], [words.average, ""], [words.max, ""], [words.min, ""]]);
  const values = [...figures.querySelectorAll("dd")];
  const chip = make("i", { class: "chip" });
  const zoneLine = make("p", { class: "zoneline" }, chip, make("b", {}, zoneText, lostText), " ", lastText);
  lastText.className = "quiet";
  const title = make("b");
  const big = make("section", { class: "card big" }, make("h1", { class: "sensor" }, title, " ", battery),
    make("p", { class: "rate" }, rate, make("small", { text: words.bpm })), zoneLine, hintText, figures);
  battery.className = "quiet";
  const [rates, beats] = [rateChart(), beatChart()];
  const sinceText = make("span");
  const rateCard = make("section", { class: "card curve" }, make("h2", {}, `${words.heartRate} `, sinceText), rates.element);
  const noBeats = make("p", { class: "quiet" });
  const beatCard = card("beatcard", words.betweenBeats, words.lastMinute, beats.element, noBeats);
  const bars = zoneBars(() => show(true));
  const back = hasBack ? make("p", { class: "back" }, make("a", { href: "#", text: `‹ ${words.allSensors}` })) : null;
  return {
    parts: [back, big, make("div", { class: "curves" }, rateCard, beatCard), bars.element].filter((part) => part !== null),
    values() {
      const isThere = own.bpm !== null;
      write(title, name(own));
      write(rate, isThere ? whole(own.bpm) : words.none);
      big.classList.toggle("lost", !isThere);
      big.dataset.zone = isThere ? zone(own.bpm) : "none";
      chip.className = isThere ? `chip z${zone(own.bpm)}` : "chip none";
      write(zoneText, isThere ? words.zone(zone(own.bpm)) : "");
      const silence = own.since === null ? null : length(now() - own.since);
      const neverSeen = own.last === null && !isThere;
      write(lostText, isThere || neverSeen || silence === null ? "" : (words.lost[own.state] ?? words.lost.linkLost)(silence));
      write(lastText, isThere ? words.forTime(length(now() - own.zoneSince)) : own.last ? words.last(own.last.bpm, clockSeconds(own.last.time)) : "");
      zoneLine.hidden = neverSeen;
      write(hintText, isThere ? "" : neverSeen && own.state === "linkLost" ? words.hints.ready : words.hints[own.state] ?? "");
      hintText.hidden = isThere;
      write(battery, own.battery === undefined ? "" : words.battery(own.battery, own.battery <= LOW_BATTERY));
      const curve = own.curve;
      const isOpen = isThere || own.sessionStart !== null;
      figures.hidden = curve === null;
      if (curve === null) return;
      write(values[0], length((isOpen ? now() : curve.end) - start(own)));
      [curve.average, curve.maximum, curve.minimum].forEach((value, index) => write(values[index + 1], whole(value)));
      bars.show(curve.held);
    },
    curves() {
      const hasCurve = own.curve !== null;
      rateCard.hidden = bars.element.hidden = !hasCurve;
      beatCard.hidden = !hasCurve;
      if (!hasCurve) return;
      write(sinceText, words.since(clock(start(own))));
      const isOpen = own.bpm !== null || own.sessionStart !== null;
      const gaps = own.curve.gaps.map((gap) => [...gap]);
      const from = start(own);
      if (own.curve.start - from > 5000) gaps.unshift([from, own.curve.start, words.notSeen]);
      const to = isOpen ? Math.max(now(), own.curve.end) : own.curve.end;
      if (own.bpm === null && isOpen && to > own.curve.end) gaps.push([own.curve.end, to]);
      rates.show({ curve: own.curve, gaps, start: from, end: to, isLive: own.bpm !== null });
      const minute = own.beats.filter((beat) => beat.time >= now() - MINUTE);
      const isWithout = own.beats.length === 0 && own.curve.count > 5 && own.bpm !== null;
      beats.element.hidden = minute.length === 0;
      write(noBeats, minute.length > 0 ? "" : isWithout ? words.noIntervals : words.noBeatsYet);
      noBeats.hidden = minute.length > 0;
      if (minute.length === 0) return;
      const holes = own.curve.gaps.filter(([, end]) => end > now() - MINUTE).map(([begin, end]) => [Math.max(begin, now() - MINUTE), end]);
      if (own.bpm === null) holes.push([own.curve.end, now()]);
      beats.show({ stretches: minute.map((beat) => [[beat.time, beat.interval, beat.interval]]), gaps: holes, start: now() - MINUTE, end: now(), isLive: true });
    },
  };
}

function roomView(all) {
  const tiles = all.map((own) => {
    const [title, rate, aside, below] = [make("b", { text: name(own) }), make("span", { class: "tilerate" }), make("span", { class: "tilecurve" }), make("span", { class: "quiet" })];
    const item = make("li", {}, make("a", { class: "tile", href: `#${own.address}` }, title, rate, aside, below));
    return { own, item, tile: item.firstChild, title, rate, aside, below, drawn: 0 };
  });
  const list = make("ul", { class: "tiles" }, ...tiles.map((each) => each.item));
  // As many columns as let all tiles be seen at once, each a little wider than it is high.
  const arrange = () => list.style.setProperty("--columns", Math.max(2, Math.min(all.length, Math.floor(innerWidth / 170), Math.round(Math.sqrt((all.length * innerWidth) / (innerHeight * 1.4))))));
  arrange();
  return {
    arrange,
    parts: [make("h1", { class: "hidden", text: words.titles["/"] }), list],
    values() {
      for (const { own, tile, title, rate, below } of tiles) {
        const isThere = own.bpm !== null;
        write(title, name(own));
        write(rate, isThere ? whole(own.bpm) : words.none);
        tile.dataset.zone = isThere ? zone(own.bpm) : "none";
        const low = own.battery !== undefined && own.battery <= LOW_BATTERY ? ` · ${words.batteryShort(own.battery)}` : "";
        const lost = own.since === null ? words.states[own.state] : (words.lost[own.state] ?? words.lost.linkLost)(length(now() - own.since));
        write(below, (isThere ? words.zoneShort(zone(own.bpm)) : lost) + low);
      }
    },
    curves(isWhole) {
      for (const each of tiles) {
        if (!each.own.curve || (!isWhole && performance.now() - each.drawn < 2000)) continue;
        each.drawn = performance.now();
        each.aside.replaceChildren(spark(each.own.curve));
      }
    },
  };
}

/** Shows what is now in `main`; `tell` writes the state in one word at the top. */
export function open(place, tell) {
  [main, state] = [place, tell];
  show(true);
  follow("/events?sensors=all", receive);
  refresh();
  addEventListener("resize", () => view?.arrange?.());
  addEventListener("hashchange", () => { show(true); refresh(); });
  setInterval(() => show(false), 1000);
  setInterval(refresh, REFRESH);
}
