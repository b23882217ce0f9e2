// Charts, drawn in the pixels that they have: so letters and lines have one size everywhere. Up is more; time begins at the session's beginning; a gap is a block with its
// length in it, and no line crosses it.
import { words, length, spoken, clockSeconds, whole } from "/words.js";
import { make, write, borders, zone } from "/parts.js";

const STEPS = [10, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200].map((seconds) => seconds * 1000);
/** The least span of a rate's scale, in beats a minute: noise at rest is no mountain. */
const LEAST_RATES = 40;

function svg(name, attributes = {}, text) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, typeof value === "number" ? Math.round(value * 10) / 10 : value);
  if (text !== undefined) element.textContent = text;
  return element;
}

/** Round values from `low` to `high`, about `most` of them. */
function levels(low, high, most) {
  const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000].find((step) => (high - low) / step <= most) ?? 2000;
  const result = [];
  for (let level = Math.ceil(low / step) * step; level <= high; level += step) result.push(level);
  return result;
}

/** The range that holds all but the outermost values: one artefact does not flatten the rest. */
function range(values, least, part = 0.002) {
  const sorted = Float64Array.from(values).sort();
  const cut = Math.floor(sorted.length * part);
  let low = sorted[cut] ?? 0, high = sorted[sorted.length - 1 - cut] ?? least;
  const missing = least - (high - low);
  if (missing > 0) [low, high] = [low - missing / 2, high + missing / 2];
  const margin = (high - low) * 0.06;
  return [Math.max(0, low - margin), high + margin];
}

/** The reader's letters, as a part of the usual ones: margins grow with them. */
const scale = () => parseFloat(getComputedStyle(document.documentElement).fontSize) / 16;

/** The frame of a chart: scales, grid and times. */
function frame(box, { low, high, start, end, origin, margin = 8 }) {
  const unit = scale(), [left, bottom, top, right] = [40 * unit, 22 * unit, 8 * unit, margin * unit];
  const width = Math.max(200, box.clientWidth), height = Math.max(80, box.clientHeight);
  const span = Math.max(1, end - start);
  const x = (time) => left + ((Math.max(start, Math.min(end, time)) - start) / span) * (width - left - right);
  const y = (value) => top + ((high - Math.max(low, Math.min(high, value))) / (high - low)) * (height - top - bottom);
  const drawing = svg("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
  const levelsShown = levels(low, high, Math.max(2, Math.floor((height - top - bottom) / (34 * unit))));
  const times = [];
  if (origin !== undefined) {
    const step = STEPS.find((step) => span / step <= Math.max(2, (width - left - right) / (80 * unit))) ?? 86_400_000;
    for (let time = origin + Math.ceil((start - origin) / step) * step; time <= end; time += step) times.push(time);
  }
  return {
    drawing, unit, width, height, left, right, top, bottom, x, y, start, end, low, high,
    grid() {
      for (const level of levelsShown) {
        drawing.append(svg("line", { class: "grid", x1: left, x2: width - right, y1: y(level), y2: y(level) }),
          svg("text", { class: "tick", x: left - 6 * unit, y: y(level) + 4 * unit, "text-anchor": "end" }, whole(level)));
      }
      for (const time of times) {
        const place = x(time), isLast = place > width - right - 20 * unit;
        drawing.append(svg("text", { class: "tick", x: isLast ? width - right : place, y: height - 5 * unit, "text-anchor": place < left + 12 * unit ? "start" : isLast ? "end" : "middle" }, length(time - origin)));
      }
    },
    /** Draws a gap. Returns the text in it, or beside it where it is narrow; null where there is no room for a text. */
    gap(from, to, reason) {
      if (to < start || from > end) return null;
      const [first, last] = [x(from), x(to)];
      const wide = Math.max(3, last - first);
      drawing.append(svg("rect", { class: "gap", x: last - first < 3 ? Math.max(left, first - 1.5) : first, y: top, width: wide, height: height - top - bottom, "data-start": from, "data-end": to }));
      const text = `${reason}, ${spoken(to - from)}`, room = text.length * 6.6 * unit;
      const place = wide > room + 8 ? [first + wide / 2, "middle"] : first - left > room + 6 ? [first - 5 * unit, "end"] : width - right - last > room + 6 ? [last + 5 * unit, "start"] : null;
      return place && { text, x: place[0], anchor: place[1], from: place[1] === "end" ? place[0] - room : place[1] === "start" ? place[0] : place[0] - room / 2, room };
    },
    /** Writes the texts that do not run into each other. */
    label(labels) {
      let free = -1;
      for (const label of labels.filter((label) => label).sort((one, other) => one.from - other.from)) {
        if (label.from < free) continue;
        free = label.from + label.room + 8;
        drawing.append(svg("text", { class: "note", x: label.x, y: height - bottom - 7 * unit, "text-anchor": label.anchor }, label.text));
      }
    },
  };
}

/** The path of columns `[time, lowest, highest]` in stretches. A column alone is a dot. */
function path(stretches, { x, y, start, end }) {
  let result = "";
  for (const stretch of stretches) {
    let isBegun = false;
    for (const [index, [time, lowest, highest]] of stretch.entries()) {
      // The columns just outside of the picture lead into it.
      if ((stretch[index + 1] ?? [Infinity])[0] < start && time < start) continue;
      const points = lowest === highest ? [lowest] : index % 2 ? [lowest, highest] : [highest, lowest];
      for (const value of points) {
        result += `${isBegun ? "L" : "M"}${x(time).toFixed(1)} ${y(value).toFixed(1)}`;
        isBegun = true;
      }
      if (time > end) break;
    }
    if (isBegun && stretch.length === 1) result += "h0";
  }
  return result;
}

/** Draws anew when the box gets another size. */
function followSize(box, draw) {
  let width = 0, height = 0;
  new ResizeObserver(() => {
    if (box.clientWidth === width && box.clientHeight === height) return;
    [width, height] = [box.clientWidth, box.clientHeight];
    draw();
  }).observe(box);
}

/**
 * The heart rate in beats a minute, with zones, gaps and a cursor. `show({ curve, start, end, isLive, reasons })` draws it; `isLive` marks its end. `canZoom`: the
 * reader may look at a part.
 */
export function rateChart({ canZoom = false } = {}) {
  const box = make("div", { class: "chart rates", tabindex: 0, role: "slider", "aria-label": words.cursor, "aria-valuemin": 0, "aria-valuemax": 0, "aria-valuenow": 0 });
  const told = make("p", { class: "hidden" });
  const tools = canZoom ? make("p", { class: "tools" }) : null;
  const element = make("div", {}, box, told, tools);
  let data = null, shown = null, cursor = null, view = null, dragged = null;

  const bounds = () => view ?? [data.start, data.end];
  function draw() {
    if (!data || box.clientWidth === 0) return;
    const [start, end] = bounds();
    const values = data.curve.stretches.flat().flatMap(([, lowest, highest]) => [lowest, highest]);
    const [low, high] = range(values, LEAST_RATES);
    const place = shown = frame(box, { low, high, start, end, origin: data.start, margin: 26 });
    const limits = [0, ...borders(), Infinity];
    for (let number = 0; number < 6; number += 1) {
      const top = place.y(Math.min(high, limits[number + 1])), bottom = place.y(Math.max(low, limits[number]));
      if (bottom - top < 0.5) continue;
      place.drawing.append(svg("rect", { class: `band z${number}`, x: place.left, y: top, width: place.width - place.left - place.right, height: bottom - top }),
        svg("rect", { class: `z${number}`, x: place.width - place.right, y: top, width: 6 * place.unit, height: bottom - top }));
      if (number > 0 && bottom - top > 15 * place.unit) place.drawing.append(svg("text", { class: "tick", x: place.width - 13 * place.unit, y: (top + bottom) / 2 + 4 * place.unit }, number));
    }
    place.grid();
    const labels = data.gaps.map(([from, to, reason]) => place.gap(from, to, reason ?? words.noSignal));
    place.drawing.append(svg("path", { class: "line trace", d: path(data.curve.stretches, place) }));
    place.label(labels);
    const last = data.curve.stretches.at(-1)?.at(-1);
    if (data.isLive && last && last[0] <= end) {
      place.drawing.append(svg("circle", { class: "halo", cx: place.x(last[0]), cy: place.y(last[2]), r: 9 * place.unit }), svg("circle", { class: "dot", cx: place.x(last[0]), cy: place.y(last[2]), r: 4 * place.unit }));
    }
    box.replaceChildren(place.drawing);
    mark(place);
    write(told, words.curveTold(data.gaps.length));
    box.setAttribute("aria-valuemax", Math.round((data.end - data.start) / 1000));
  }

  /** The cursor with its flag, which turns where the edge is near. */
  function mark(place) {
    place.drawing.querySelector(".cursor")?.remove();
    if (dragged) {
      const [from, to] = [Math.min(dragged.from, dragged.to), Math.max(dragged.from, dragged.to)];
      place.drawing.append(svg("rect", { class: "cursor chosen", x: place.x(from), y: place.top, width: place.x(to) - place.x(from), height: place.height - place.top - place.bottom }));
      return;
    }
    if (cursor === null) return;
    const time = Math.max(place.start, Math.min(place.end, cursor));
    const inGap = data.gaps.some(([from, to]) => from < time && time < to);
    const column = inGap ? null : nearest(time);
    const at = place.x(column ? column[0] : time);
    const since = length((column ? column[0] : time) - data.start);
    const lines = column ? words.at(`${since} · ${clockSeconds(column[0])}`, words.range(column[1], column[2]), zone(column[2])) : words.gapAt(`${since} · ${clockSeconds(time)}`);
    const { unit } = place, group = svg("g", { class: "cursor" });
    place.drawing.append(group);
    group.append(svg("line", { class: "hair", x1: at, x2: at, y1: place.top, y2: place.height - place.bottom }));
    if (column) group.append(svg("circle", { class: "dot", cx: at, cy: place.y(column[2]), r: 4 * unit }));
    const y = place.height - place.bottom - 50 * unit, flag = svg("rect", { class: "flag", y, height: 42 * unit, rx: 6 * unit });
    const texts = lines.map((line, index) => svg("text", { class: index ? "flagtext strong" : "flagtext", y: y + (index ? 34 : 17) * unit }, line));
    group.append(flag, ...texts);
    const wide = Math.max(...texts.map((text) => text.getComputedTextLength())) + 16 * unit;
    const corner = at + wide + 12 > place.width - place.right ? Math.max(place.left, at - wide - 8) : at + 8;
    flag.setAttribute("x", corner);
    flag.setAttribute("width", wide);
    for (const text of texts) text.setAttribute("x", corner + 8 * unit);
    box.setAttribute("aria-valuenow", Math.round((time - data.start) / 1000));
    box.setAttribute("aria-valuetext", lines.join(", "));
  }

  const columns = () => data.curve.stretches.flat();
  function nearest(time) {
    let best = null;
    for (const column of columns()) if (best === null || Math.abs(column[0] - time) < Math.abs(best[0] - time)) best = column;
    return best;
  }
  function timeAt(event) {
    const left = event.clientX - box.getBoundingClientRect().left;
    const part = (left - shown.left) / (shown.width - shown.left - shown.right);
    return shown.start + Math.max(0, Math.min(1, part)) * (shown.end - shown.start);
  }
  function look(from, to) {
    const least = 20_000;
    if (to - from < least) [from, to] = [(from + to - least) / 2, (from + to + least) / 2];
    [from, to] = [Math.max(data.start, from), Math.min(data.end, to)];
    view = to - from >= data.end - data.start - 1 ? null : [from, to];
    draw();
  }
  function zoom(factor) {
    const [start, end] = bounds(), middle = cursor ?? (start + end) / 2;
    look(middle - ((middle - start) * factor), middle + ((end - middle) * factor));
  }

  box.addEventListener("pointerdown", (event) => {
    if (!shown) return;
    box.focus({ preventScroll: true });
    const time = timeAt(event);
    if (canZoom && event.pointerType === "mouse") {
      dragged = { from: time, to: time };
      box.setPointerCapture(event.pointerId);
    } else {
      cursor = time;
      mark(shown);
    }
  });
  box.addEventListener("pointermove", (event) => {
    if (!shown) return;
    cursor = timeAt(event);
    if (dragged) dragged.to = cursor;
    mark(shown);
  });
  box.addEventListener("pointerup", () => {
    if (!dragged) return;
    const { from, to } = dragged;
    dragged = null;
    if (shown.x(Math.max(from, to)) - shown.x(Math.min(from, to)) > 8) look(Math.min(from, to), Math.max(from, to)); else mark(shown);
  });
  box.addEventListener("pointerleave", () => {
    if (dragged || document.activeElement === box) return;
    cursor = null;
    if (shown) mark(shown);
  });
  box.addEventListener("focus", () => {
    if (!data) return;
    cursor ??= bounds()[1];
    if (shown) mark(shown);
  });
  box.addEventListener("blur", () => {
    cursor = null;
    if (shown) mark(shown);
  });
  box.addEventListener("keydown", (event) => {
    if (!data) return;
    const [start, end] = bounds(), step = (end - start) / (event.shiftKey ? 10 : 100);
    const keys = {
      ArrowLeft: () => { cursor = Math.max(start, (cursor ?? end) - step); },
      ArrowRight: () => { cursor = Math.min(end, (cursor ?? start) + step); },
      Home: () => { view = null; cursor = data.start; },
      End: () => { cursor = end; },
      "+": () => canZoom && zoom(0.5), "-": () => canZoom && zoom(2),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
    draw();
  });
  if (tools) {
    const button = (text, act) => {
      const result = make("button", { type: "button", text });
      result.addEventListener("click", act);
      return result;
    };
    tools.append(button(words.zoomIn, () => zoom(0.5)), button(words.wholeCurve, () => { view = null; draw(); }), make("span", { class: "quiet", text: words.chartHelp }));
  }
  followSize(box, draw);
  return {
    element,
    show(next) {
      data = { ...next, gaps: next.gaps ?? next.curve.gaps };
      draw();
    },
    redraw: draw,
  };
}

/** Intervals between beats. `show({ stretches, gaps, start, end, isLive })`: columns as those of a rate, in milliseconds. */
export function beatChart() {
  const box = make("div", { class: "chart beats" });
  const told = make("p", { class: "hidden" });
  let data = null;
  function draw() {
    if (!data || box.clientWidth === 0) return;
    const values = data.stretches.flat().flatMap(([, lowest, highest]) => [lowest, highest]);
    const [low, high] = range(values, 120, 0.005);
    const place = frame(box, { low, high, start: data.start, end: data.end, origin: data.isLive ? undefined : data.start });
    place.grid();
    // Beats lie where a text beside a gap would: only what has room within it.
    const labels = data.gaps.map(([from, to]) => place.gap(from, to, words.noSignal)).filter((label) => label?.anchor === "middle");
    const isDense = values.length / 2 > place.width;
    let strokes = "";
    for (const [time, lowest, highest] of data.stretches.flat()) {
      if (highest < low || lowest > high) continue;
      if (isDense || lowest !== highest) strokes += `M${place.x(time).toFixed(1)} ${place.y(highest).toFixed(1)}V${(place.y(lowest) + 1).toFixed(1)}`;
      else place.drawing.append(svg("circle", { class: "beat", cx: place.x(time), cy: place.y(lowest), r: (values.length > 1200 ? 1.2 : 2) * place.unit }));
    }
    place.drawing.append(svg("path", { class: "strokes", d: strokes }));
    place.label(labels);
    if (data.isLive) {
      place.drawing.append(svg("text", { class: "tick", x: place.left, y: place.height - 5 * place.unit }, words.ago),
        svg("text", { class: "tick", x: place.width - place.right, y: place.height - 5 * place.unit, "text-anchor": "end" }, words.now));
    }
    box.replaceChildren(place.drawing);
    write(told, words.beatsTold(data.beats ?? values.length / 2));
  }
  followSize(box, draw);
  return {
    element: make("div", {}, box, told),
    show(next) {
      data = next;
      draw();
    },
  };
}

/** A small curve without scales, for lists and tiles. */
export function spark(curve, { start = curve.start, end = curve.end } = {}) {
  const [width, height] = [132, 30];
  const values = curve.stretches.flat().flatMap(([, lowest, highest]) => [lowest, highest]);
  const [low, high] = range(values, LEAST_RATES);
  const x = (time) => ((time - start) / Math.max(1, end - start)) * width, y = (value) => 2 + ((high - Math.max(low, Math.min(high, value))) / (high - low)) * (height - 4);
  const drawing = svg("svg", { class: "spark", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  drawing.append(svg("path", { class: "line", d: path(curve.stretches, { x, y, start, end }) }));
  return drawing;
}

/** The stages of a night as a band, on an axis from `start` to `end`. */
export function stageBand(stretches, start, end) {
  const [width, height] = [1000, 40], span = Math.max(1, end - start);
  // In bed, asleep, awake, core, deep, REM: the deeper, the lower.
  const depth = [0, 2, 0, 2, 3, 1];
  const drawing = svg("svg", { class: "stages", viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  for (const [from, to, stage] of stretches) {
    drawing.append(svg("rect", { class: `s${stage}`, x: ((from - start) / span) * width, y: (depth[stage] ?? 0) * 10, width: Math.max(1, ((to - from) / span) * width), height: 10 }));
  }
  return drawing;
}

