// What was recorded: a list, one recording's intervals with their gaps, and its figures or why there are none.
"use strict";

const LOWEST = 300, HIGHEST = 1500; // milliseconds of the scale
/** Names and units as people write them; what is not here stands as it came. */
const NAMES = {
  meanNN: "Mean interval", meanRate: "Mean rate", sdnn: "SDNN", sdnnPopulation: "SDNN (population)", sdann: "SDANN", sdnnIndex: "SDNN index", rmssd: "RMSSD",
  sdsd: "SDSD", nn50: "NN50", pnn50: "pNN50", sd1: "SD1", sd2: "SD2", vlf: "VLF power", lf: "LF power", hf: "HF power", lfHfRatio: "LF/HF",
};
const UNITS = { "count/min": "beats per minute", "ms^2": "ms²", count: "", 1: "" };
const token = new URLSearchParams(location.search).get("token");
const byId = (id) => document.getElementById(id);

function address(path) {
  const result = new URL(path, location.origin);
  if (token !== null) result.searchParams.set("token", token);
  return result;
}

async function ask(path) {
  const answer = await fetch(address(path));
  if (!answer.ok) throw new Error((await answer.text()).trim());
  return answer.json();
}

function element(name, attributes) {
  const result = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) result.setAttribute(key, value);
  return result;
}

function when(entry) {
  const day = new Date(entry.start).toLocaleString([], { dateStyle: "medium", timeStyle: "short" });
  const minutes = Math.round((entry.end - entry.start) / 60_000);
  return `${day}, ${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

function draw(curve) {
  const span = Math.max(1, curve.end - curve.start);
  const x = (time) => ((time - curve.start) / span) * 1000;
  const y = (interval) => 300 - Math.max(0, Math.min(1, (interval - LOWEST) / (HIGHEST - LOWEST))) * 300;
  const path = curve.stretches.map((stretch) => "M" + stretch.flatMap(([time, lowest, highest]) =>
    lowest === highest ? [`${x(time).toFixed(1)} ${y(lowest).toFixed(1)}`]
      : [`${x(time).toFixed(1)} ${y(lowest).toFixed(1)}`, `${x(time).toFixed(1)} ${y(highest).toFixed(1)}`]).join("L")).join("");
  byId("curve").replaceChildren(
    ...curve.gaps.map(([start, end]) =>
      // A gap of a beat is seen, too.
      element("rect", { class: "gap", x: x(start), y: 0, width: Math.max(1, x(end) - x(start)), height: 300 })),
    element("path", { class: "trace", d: path }));
  for (const end of ["start", "end"]) byId(`curve-${end}`).textContent = new Date(curve[end]).toLocaleTimeString([], { timeStyle: "short" });
  byId("curve-text").textContent =
    `${curve.beats} beats, ${curve.gaps.length} ${curve.gaps.length === 1 ? "gap" : "gaps"}; ${curve.unused} beats are not drawn, since nothing holds of their interval.`;
}

function list(figures) {
  byId("hrv").tBodies[0].replaceChildren(...figures.map((figure) => {
    const row = document.createElement("tr");
    const name = document.createElement("th");
    name.scope = "row";
    name.textContent = NAMES[figure.name] ?? figure.name;
    row.append(name, document.createElement("td"));
    row.lastChild.textContent = figure.value === undefined ? `not given: ${figure.refused}` : `${figure.value.toLocaleString([], { maximumSignificantDigits: 5 })} ${UNITS[figure.unit] ?? figure.unit}`;
    return row;
  }));
}

let chosen = 0;
async function choose(entry) {
  const own = ++chosen;
  byId("curve-title").textContent = when(entry);
  byId("curve").replaceChildren();
  byId("curve-start").textContent = byId("curve-end").textContent = "";
  list([]);
  for (const link of byId("list").querySelectorAll("a")) {
    if (link.hash === `#${entry.id}`) link.setAttribute("aria-current", "true"); else link.removeAttribute("aria-current");
  }
  if (entry.beats === 0) {
    byId("curve-text").textContent = "It has rates, but no beats that could be drawn.";
    return;
  }
  byId("curve-text").textContent = "Asking the recorder.";
  try {
    const curve = await ask(`/api/sessions/${entry.id}/beats`);
    if (own !== chosen) return;
    draw(curve);
    const variability = await ask(`/api/sessions/${entry.id}/variability`);
    if (own === chosen) list(variability.figures);
  } catch (error) {
    if (own === chosen) byId("curve-text").textContent = error.message;
  }
}

async function start() {
  if (token !== null) byId("live-link").href = address("/");
  let entries;
  try {
    entries = await ask("/api/sessions");
  } catch (error) {
    byId("state").textContent = error.message;
    return;
  }
  byId("state").textContent = entries.length === 0 ? "There is no recording, or none that may be read here."
    : `${entries.length} ${entries.length === 1 ? "recording" : "recordings"}`;
  byId("list").replaceChildren(...entries.map((entry) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    link.href = `#${entry.id}`;
    const rate = entry.heartRate && entry.heartRate.average !== undefined ? `, ${Math.round(entry.heartRate.average)} beats per minute` : "";
    link.textContent = when(entry) + rate;
    item.append(link);
    return item;
  }));
  const go = () => {
    const entry = entries.find((entry) => `#${entry.id}` === location.hash) ?? entries[0];
    if (entry) choose(entry);
  };
  addEventListener("hashchange", go);
  go();
}
start();
