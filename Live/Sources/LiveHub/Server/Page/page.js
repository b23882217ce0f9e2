// The frame of the page: its head, and one of its views.
import { words } from "/words.js";
import { address, make, write } from "/parts.js";
import { open as openNow } from "/now.js";
import { open as openList } from "/recordings.js";
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
if (path === "/") {
  openNow(main, tell);
} else {
  follow("/events", (event) => tell(words.states[event.state] ?? "", event.bpm !== null));
  openList(main, path);
}
