// The overlay: the rate alone, or a dash. Another program shows it, over a film.
import { words, whole } from "/words.js";
import { write } from "/parts.js";
import { follow } from "/follow.js";

const query = new URLSearchParams(location.search);
if (query.has("size")) document.body.style.setProperty("--size", query.get("size"));
if (query.has("colour")) document.body.style.setProperty("--colour", query.get("colour"));

follow("/events", (event) => {
  write(document.getElementById("rate"), event.bpm === null ? words.none : whole(event.bpm));
  write(document.getElementById("state"), words.states[event.state] ?? "");
  document.body.dataset.state = event.state;
});
