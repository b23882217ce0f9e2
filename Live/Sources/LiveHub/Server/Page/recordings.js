// Lists of recordings, workouts and nights, and one of them.
import { words, whole, figure, smallShare, length, clock, day, shortDay, moment, spoken } from "/words.js";
import { ask, make, write, card, hint, facts, zoneBars, zoneTimes } from "/parts.js";
import { rateChart, beatChart, spark, stageBand } from "/chart.js";

/** Rows that are drawn at once; a button draws more. */
const PAGE = 60;
const HOUR = 3_600_000;
/** Beats a minute, on average, up to which a recording over three in the morning is a night. */
const RESTING = 80;
/** Columns of a small curve. */
const SMALL = 60;

let main;

/* Curves of a list, one after another: the recorder answers few questions of one reader at a time. */
const wanted = [];
let isFetching = false;
async function fetchNext() {
  if (isFetching) return;
  isFetching = true;
  while (wanted.length > 0) {
    const { place, path } = wanted.shift();
    try {
      place.replaceChildren(spark(await ask(path)));
    } catch (error) {
      // Too many questions: later again. Without a curve the row is as good.
      if (error.status === 429) await new Promise((done) => setTimeout(done, 1000));
    }
  }
  isFetching = false;
}
const seen = new IntersectionObserver((entries) => {
  for (const entry of entries) {
    if (!entry.isIntersecting) continue;
    seen.unobserve(entry.target);
    wanted.push({ place: entry.target, path: entry.target.dataset.path });
  }
  fetchNext();
});

/** The name of a recording: what was done in it, or that it was a night. */
function titled(entry, workouts) {
  const own = workouts.find((workout) => Math.min(workout.end, entry.end) - Math.max(workout.start, entry.start) > (entry.end - entry.start) / 2);
  if (own) return words.activity(own.activity);
  const three = new Date(entry.end).setHours(3, 0, 0, 0);
  const isNight = entry.end - entry.start > 4 * HOUR && entry.start < three && three < entry.end && entry.heartRate?.average < RESTING;
  return isNight ? words.night : words.recording;
}

function row(entry) {
  const curve = make("span", { class: "sparkplace", "data-path": `${entry.path}/rates?columns=${SMALL}` });
  const rates = entry.heartRate?.average === undefined ? ["", ""] : [whole(entry.heartRate.average), whole(entry.heartRate.maximum)];
  const number = (text, unit) => make("span", { class: "number" }, text, text === "" ? null : make("small", { text: ` ${unit}` }));
  const item = make("li", {}, make("a", { href: `#${entry.id}` }, make("span", { class: "when", text: clock(entry.start) }), make("b", { text: entry.title }), curve,
    make("span", { class: "number", text: length(entry.end - entry.start) }), number(rates[0], words.averageShort), number(rates[1], words.maxShort)));
  seen.observe(curve);
  return item;
}

const heading = (path) => make("h1", { class: "hidden", text: words.titles[path] });

function list(entries, isWorkouts) {
  if (entries.length === 0) return main.replaceChildren(hint(isWorkouts ? words.empty.workouts : words.empty.recordings));
  const kinds = [...new Set(entries.map((entry) => entry.title))];
  const rows = make("div", { class: "days" });
  const more = make("button", { type: "button", text: words.older });
  let [kind, count] = [null, PAGE];
  function fill() {
    const chosen = entries.filter((entry) => kind === null || entry.title === kind);
    const parts = [];
    let last = null;
    for (const entry of chosen.slice(0, count)) {
      if (day(entry.start) !== last) {
        last = day(entry.start);
        parts.push(make("h2", { text: last }), make("ul", { class: "rows" }));
      }
      parts.at(-1).append(row(entry));
    }
    rows.replaceChildren(...parts);
    more.hidden = chosen.length <= count;
  }
  more.addEventListener("click", () => { count += PAGE; fill(); });
  const filters = make("div", { class: "filters" }, ...[null, ...kinds].map((each) => {
    const button = make("button", { type: "button", "aria-pressed": String(each === null), text: each ?? words.all });
    button.addEventListener("click", () => {
      [kind, count] = [each, PAGE];
      for (const other of filters.children) other.setAttribute("aria-pressed", String(other === button));
      fill();
    });
    return button;
  }));
  filters.hidden = kinds.length < 2;
  fill();
  main.className = "list";
  main.replaceChildren(heading(isWorkouts ? "/workouts" : "/recordings"), filters, rows, more);
}

/** The share of beats without a usable interval, and what is given of the variability: whole figures would pretend more than there is. */
function beatFigures(curve, variability, isRest) {
  const given = Object.entries(words.variability).map(([name, title]) => [title, variability.figures.find((each) => each.name === name)]);
  const pairs = given.filter(([, each]) => each?.value !== undefined).map(([title, each]) => [title, `${figure(each.value)} ${words.units[each.unit] ?? each.unit}`]);
  pairs.push([words.artefacts, smallShare(curve.unused / Math.max(1, curve.beats))]);
  const refusals = given.filter(([, each]) => each?.refused !== undefined).map(([title, each]) => words.refused(title, each.refused));
  return [facts(pairs), make("p", { class: "quiet", text: [words.basis(curve.beats - curve.unused, curve.beats), pairs.length > 1 ? words.compare(isRest) : "", ...refusals].join(" ") })];
}

function measured(entry, rates, curve, variability) {
  const rows = [[words.facts.sensor, entry.sensor], [words.facts.start, moment(entry.start)], [words.facts.end, moment(entry.end)],
    [words.facts.rates, rates && whole(rates.count)], [words.facts.beats, curve && whole(curve.beats)], [words.facts.unused, curve && whole(curve.unused)],
    [words.facts.coverage, variability && smallShare(variability.coverage)], [words.facts.filter, variability?.filter], [words.facts.id, entry.id],
    ...(variability?.figures ?? []).map((each) => [words.figures[each.name] ?? each.name,
      each.value === undefined ? words.notGiven(each.refused) : `${figure(each.value)} ${words.units[each.unit] ?? each.unit}`])];
  return make("details", { class: "measured" }, make("summary", { text: words.measured }), make("table", {}, make("tbody", {},
    ...rows.filter(([, value]) => value !== null && value !== undefined).map(([title, value]) => make("tr", {}, make("th", { scope: "row", text: title }), make("td", { text: value }))))));
}

let opened = 0;
async function one(entry, root) {
  const own = ++opened;
  const headline = make("p", { class: "headline", role: "status", text: words.empty.asking.text });
  const place = make("div", { class: "parts" });
  main.className = "one recording";
  main.replaceChildren(make("p", { class: "back" }, make("a", { href: "#", text: `‹ ${words.titles[root]}` })), make("h1", { text: `${day(entry.start)}: ${words.title(entry.title, entry.start, entry.end)}` }), headline, place);
  const optional = (path) => ask(path).catch((error) => (error.status === 404 ? null : Promise.reject(error)));
  let rates, curve = null, variability = null;
  try {
    rates = await optional(`${entry.path}/rates`);
    if (own !== opened) return;
    const bars = zoneBars(() => { tell(); bars.show(rates.held); chart.redraw(); });
    const chart = rateChart({ canZoom: true });
    function tell() {
      if (rates === null) return write(headline, words.noRates);
      const times = zoneTimes(rates.held);
      const hard = times[4] + times[5];
      write(headline, `${words.headline(entry.end - entry.start, rates.average, rates.maximum)}${hard > 30_000 ? words.hardPart(hard) : ""}.${words.gapsTold(rates.gap_count, rates.missing_ms)}`);
    }
    tell();
    if (rates !== null) {
      place.append(card("curve", words.heartRate, words.bpm, chart.element), bars.element);
      chart.show({ curve: rates, start: Math.min(entry.start, rates.start), end: Math.max(entry.end, rates.end), isLive: false });
      bars.show(rates.held);
    }
    if (entry.beats > 0) {
      curve = await optional(`${entry.path}/beats`);
      variability = curve && await optional(`${entry.path}/variability`);
    }
    if (own !== opened) return;
    if (curve) {
      const beats = beatChart();
      place.append(card("beatcard", words.beats, words.intervalsOf, beats.element, ...(variability ? beatFigures(curve, variability, entry.title === words.night) : [])));
      beats.show({ ...curve, start: Math.min(entry.start, curve.start), end: Math.max(entry.end, curve.end), isLive: false });
    } else if (entry.beats === 0) {
      place.append(card("beatcard", words.beats, null, make("p", { class: "quiet", text: words.noBeats })));
    }
    place.append(measured(entry, rates, curve, variability));
  } catch (error) {
    if (own === opened) write(headline, error.message);
  }
}

const STAGES = [0, 2, 5, 3, 1, 4];
function nights(all) {
  if (all.length === 0) return main.replaceChildren(hint(words.empty.sleep));
  // Each night on the same clock: from the earliest begin to the latest end, in milliseconds since its day's midnight.
  const midnight = (night) => new Date(`${night.day}T00:00`).getTime();
  const begin = Math.floor(Math.min(...all.map((night) => night.stretches[0][0] - midnight(night))) / HOUR) * HOUR;
  const last = Math.max(...all.map((night) => night.stretches.at(-1)[1] - midnight(night)));
  // Four parts of whole hours.
  const end = begin + 4 * HOUR * Math.ceil((last - begin) / (4 * HOUR));
  const used = STAGES.filter((stage) => all.some((night) => night.stretches.some((stretch) => stretch[2] === stage)));
  const time = (offset) => clock(midnight(all[0]) + offset);
  main.className = "nights";
  main.replaceChildren(heading("/sleep"), make("section", { class: "card" }, make("p", { class: "legend" }, ...used.map((stage) => make("span", {}, make("i", { class: `key s${stage}` }), words.stages[stage]))),
    make("p", { class: "axis", "aria-hidden": "true" }, ...[0, 0.25, 0.5, 0.75, 1].map((part) => make("span", { text: time(begin + part * (end - begin)) }))),
    make("ol", { class: "nightlist" }, ...all.map((night) => {
      const told = [words.asleep(spoken(night.asleep)), ...(night.efficiency === undefined ? [] : [words.efficiency(night.efficiency)])].join(", ");
      return make("li", {}, make("b", { text: shortDay(midnight(night)) }), stageBand(night.stretches, midnight(night) + begin, midnight(night) + end), make("span", { class: "quiet", text: told }));
    }))));
}

/** Shows a list of a path in `place`, and one of its entries where the address names it. */
export async function open(place, path) {
  main = place;
  main.replaceChildren(hint(words.empty.asking));
  try {
    if (path === "/sleep") return nights(await ask(`/api/nights?utc_offset_minutes=${-new Date().getTimezoneOffset()}`));
    const workouts = await ask("/api/workouts");
    const isWorkouts = path === "/workouts";
    const entries = isWorkouts ? workouts.map((workout) => ({ ...workout, title: words.activity(workout.activity), path: `/api/workouts/${workout.id}` }))
      : (await ask("/api/sessions")).map((entry) => ({ ...entry, title: titled(entry, workouts), path: `/api/sessions/${entry.id}` }));
    const go = () => {
      const entry = entries.find((entry) => `#${entry.id}` === location.hash);
      if (entry) one(entry, path); else { opened += 1; list(entries, isWorkouts); }
      scrollTo(0, 0);
    };
    addEventListener("hashchange", go);
    go();
  } catch (error) {
    main.replaceChildren(hint({ ...words.empty.failed, text: error.message }));
    const again = make("button", { type: "button", text: words.tryAgain });
    again.addEventListener("click", () => open(place, path));
    main.firstChild.append(again);
  }
}
