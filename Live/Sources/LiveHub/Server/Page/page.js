// The frame of the page: its head, and one of its views.
import { words } from "/words.js";
import { address, make, write } from "/parts.js";
import { follow } from "/follow.js";

const path = location.pathname;
const nav = document.getElementById("nav");
nav.setAttribute("aria-label", words.pages);
nav.append(...Object.entries(words.titles).map(([target, title]) => make("a", { href: address(target), "aria-current": target === path && "page", text: title })));
document.title = `${words.titles[path] ?? words.product} – ${words.product}`;

const state = document.getElementById("state"), lamp = document.querySelector(".lamp");
function tell(text, isLive) {
  write(state, text);
  lamp.classList.toggle("live", isLive);
}

const main = document.getElementById("main");
// Only what this view needs is loaded.
if (path === "/") {
  (await import("/now.js")).open(main, tell);
} else {
  follow("/events", (event) => tell(words.states[event.state] ?? "", event.bpm !== null));
  (await import("/recordings.js")).open(main, path);
}
