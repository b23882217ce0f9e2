// Small parts that every view is made of.
import { words, share, length } from "/words.js";

const token = new URLSearchParams(location.search).get("token");

/** An address of the hub, with the key that this page was opened with. */
export function address(path) {
  const result = new URL(path, location.origin);
  if (token !== null) result.searchParams.set("token", token);
  return result;
}

/** What the hub answers. An error has the hub's own words, and `status`. */
export async function ask(path) {
  const answer = await fetch(address(path));
  if (answer.ok) return answer.json();
  throw Object.assign(new Error((await answer.text()).trim()), { status: answer.status });
}

/** An element with attributes and children; `text` is its text. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "text") element.textContent = value;
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** Writes a text where it is another one: what reads the page aloud hears changes only. */
export function write(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export const card = (className, title, aside, ...children) =>
  make("section", { class: `card ${className}` }, title === null ? null : make("h2", { text: title }, ...(aside ? [" ", make("span", { text: aside })] : [])), ...children);

/** A line that can be copied. */
function line(text) {
  const button = make("button", { type: "button", class: "copy", text: words.copy, "aria-label": `${words.copy}: ${text}` });
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(text);
    write(button, words.copied);
  });
  return make("div", { class: "line" }, make("code", { text }), navigator.clipboard ? button : null);
}

/** What to do next, where there is nothing to show. */
export function hint({ title, text, lines = [], after }) {
  return make("section", { class: "card hint" }, make("h1", { text: title }), text ? make("p", { text }) : null, ...lines.map(line), after ? make("p", { text: after }) : null);
}

export const facts = (pairs) => make("dl", { class: "facts" }, ...pairs.map(([name, value]) => make("div", {}, make("dt", { text: name }), make("dd", { text: value }))));

/* The zones: 50, 60, 70, 80 and 90 % of the greatest rate, as 'sensord show' has them. The greatest rate is the reader's, and stays in this browser. */
const GUESS = 190, BORDERS = [0.5, 0.6, 0.7, 0.8, 0.9];
const stored = () => { try { return Number(localStorage.getItem("greatest-rate")) || null; } catch { return null; } };
export const greatestRate = () => stored() ?? GUESS;
export const borders = () => BORDERS.map((border) => border * greatestRate());
export const zone = (rate) => borders().filter((border) => border <= rate).length;

/** Milliseconds in each zone, from those at each rate. */
export function zoneTimes(held) {
  const times = [0, 0, 0, 0, 0, 0];
  for (const [rate, time] of held) times[zone(rate)] += time;
  return times;
}

/** Bars of the time in each zone; `show(held)` draws them anew. */
export function zoneBars(changed) {
  const rows = [5, 4, 3, 2, 1, 0].map((number) => {
    const [bar, time, part] = [make("i", { class: `z${number}` }), make("span", { class: "number" }), make("span", { class: "number quiet" })];
    const name = number === 0 ? [make("small", { text: words.zones[0] })] : [`${number} `, make("small", { text: words.zones[number] })];
    const item = make("li", {}, make("span", {}, ...name), make("span", { class: "bar" }, bar), time, part);
    return { number, item, bar, time, part };
  });
  const input = make("input", { type: "number", min: 60, max: 250, required: true, id: "greatest", value: greatestRate() });
  const summary = make("summary");
  const form = make("form", {}, make("label", { for: "greatest", text: words.greatestRate }), input, make("button", { text: words.save }));
  const details = make("details", {}, summary, form);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    try { localStorage.setItem("greatest-rate", input.value); } catch { /* A browser that stores nothing keeps the guess. */ }
    details.open = false;
    changed();
  });
  const element = card("zones", words.timeInZones, null, make("ol", { class: "bars" }, ...rows.map((row) => row.item)), details);
  return {
    element,
    show(held) {
      const times = zoneTimes(held), most = Math.max(1, ...times), all = Math.max(1, times.reduce((sum, time) => sum + time, 0));
      for (const { number, item, bar, time, part } of rows) {
        item.hidden = number === 0 && times[0] === 0;
        bar.style.width = `${(100 * times[number]) / most}%`;
        write(time, length(times[number]));
        write(part, share(times[number] / all));
      }
      write(summary, words.zonesOf(greatestRate(), stored() !== null));
    },
  };
}
