// All words of the page, and how it writes numbers and times: those of the reader's language, as the browser has them. To translate the page, translate this file.

const count = (number, one, other) => `${whole(number)} ${number === 1 ? one : other}`;

/** A format that is made when it is first needed: each takes milliseconds. */
function lazily(Format, options) {
  let format;
  return (value) => (format ??= new Format([], options)).format(value);
}
const integers = lazily(Intl.NumberFormat, { maximumFractionDigits: 0 });
const days = lazily(Intl.DateTimeFormat, { weekday: "long", day: "numeric", month: "long" });
const olderDays = lazily(Intl.DateTimeFormat, { weekday: "long", day: "numeric", month: "long", year: "numeric" });

export const whole = (number) => integers(Math.round(number));
/** Two significant digits. */
export const figure = lazily(Intl.NumberFormat, { maximumSignificantDigits: 2 });
/** A share of 0 to 1. */
export const share = lazily(Intl.NumberFormat, { style: "percent", maximumFractionDigits: 0 });
export const smallShare = lazily(Intl.NumberFormat, { style: "percent", maximumFractionDigits: 1 });
/** Hours and minutes of a time in milliseconds of 1970; with the seconds. */
export const clock = lazily(Intl.DateTimeFormat, { hour: "2-digit", minute: "2-digit" });
export const clockSeconds = lazily(Intl.DateTimeFormat, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
export const day = (time) => (new Date(time).getFullYear() === new Date().getFullYear() ? days : olderDays)(time);
export const shortDay = lazily(Intl.DateTimeFormat, { weekday: "short", day: "numeric", month: "short" });
export const moment = lazily(Intl.DateTimeFormat, { dateStyle: "full", timeStyle: "medium" });
/** A length in milliseconds as a watch shows it: 4:10, 1:12:40. */
export function length(milliseconds) {
  const all = Math.max(0, Math.round(milliseconds / 1000));
  const [hour, minute, second] = [Math.floor(all / 3600), Math.floor(all / 60) % 60, all % 60].map((part) => String(part));
  return hour === "0" ? `${minute}:${second.padStart(2, "0")}` : `${hour}:${minute.padStart(2, "0")}:${second.padStart(2, "0")}`;
}
/** A length as a person says it. */
export function spoken(milliseconds) {
  const all = Math.round(milliseconds / 1000);
  if (all < 120) return count(Math.max(1, all), "second", "seconds");
  const minutes = Math.round(all / 60);
  if (minutes < 120) return count(minutes, "minute", "minutes");
  return `${whole(Math.floor(minutes / 60))} h${minutes % 60 === 0 ? "" : ` ${minutes % 60} min`}`;
}

export const words = {
  product: "sensord",
  pages: "Pages",
  titles: { "/": "Now", "/recordings": "Recordings", "/workouts": "Workouts", "/sleep": "Sleep" },
  states: {
    measuring: "recording", silent: "no signal", offSkin: "off the skin", linkLost: "no signal",
    noRecorder: "no recorder", noHub: "no connection", waiting: "waiting",
  },
  sensors: (all, measuring) => `${count(all, "sensor", "sensors")}, ${whole(measuring)} with signal`,
  none: "–",
  bpm: "bpm", average: "Average", max: "Max", min: "Min", elapsed: "Elapsed",
  averageShort: "avg", maxShort: "max",
  zones: ["below zone 1", "easy", "steady", "tempo", "hard", "max"],
  zone: (number) => (number === 0 ? "Below zone 1" : `Zone ${number}, ${words.zones[number]}`),
  zoneShort: (number) => (number === 0 ? "below zone 1" : `zone ${number}`),
  timeInZones: "Time in zones",
  zonesOf: (rate, isChosen) => `Zones of a greatest rate of ${whole(rate)}${isChosen ? "" : ", a guess: set yours"}`,
  greatestRate: "Your greatest heart rate in beats per minute",
  save: "Save",
  forTime: (time) => `for ${time}`,
  battery: (percent, isLow) => `battery ${share(percent / 100)}${isLow ? ", low" : ""}`,
  batteryShort: (percent) => `battery ${share(percent / 100)}`,
  heartRate: "Heart rate", since: (time) => `since ${time}`,
  betweenBeats: "Between beats", lastMinute: "ms, last minute", milliseconds: "ms", ago: "60 s ago", now: "now",
  noIntervals: "Reads intervals from this sensor: none. Many watches and armbands send the rate alone.",
  noBeatsYet: "No beats in the last minute.",
  notSeen: "not seen by this hub",
  noSignal: "no signal",
  lost: {
    linkLost: (time) => `No signal for ${time}`, silent: (time) => `No heart rate for ${time}`, offSkin: (time) => `Off the skin for ${time}`,
    noRecorder: (time) => `No recorder for ${time}`, noHub: (time) => `No connection for ${time}`,
  },
  last: (rate, time) => `last ${whole(rate)} at ${time}`,
  hints: {
    linkLost: "The strap went out of range or off. The recorder looks for it; recording goes on by itself when it is back, and the gap is marked.",
    silent: "The strap is linked and sends no heart rate. Moisten its electrodes and see that it sits tight.",
    offSkin: "The strap reports that it is not on the skin. Put it on; recording goes on by itself.",
    noRecorder: "The recorder does not answer. What it recorded is safe; this page goes on by itself when it is back.",
    noHub: "This page does not reach its hub, and tries again by itself. The recorder goes on without it.",
    ready: "Not in reach. Put the strap on; recording begins by itself.",
  },
  empty: {
    noSensor: {
      title: "No sensor yet", text: "Put the strap on and moisten its electrodes. Then, in a terminal:",
      lines: ["sensord scan", "sensord devices add ADDRESS"], after: "This page changes by itself as soon as values come.",
    },
    watch: {
      title: "Only a watch or an armband?",
      text: "Choose “broadcast heart rate” on it. It then counts as a strap without intervals: you see the rate and its curve, no beats.",
    },
    undecided: {
      title: "Waits for permission", text: "The recorder's owner has not decided yet whether this page may show the heart rate. In a terminal of the owner:",
      after: "This page changes by itself once that is allowed.",
    },
    noRecorder: {
      title: "No recorder is running", text: "Start it, in a terminal:",
      lines: ["systemctl start sensord", "sensord run"], after: "The first is for the service, the second for a recorder of your own. This page changes by itself.",
    },
    noHub: { title: "No connection to the hub", text: "The hub has ended, or this link is too old. In a terminal:", lines: ["sensord-live run", "sensord-live open"] },
    connecting: { title: "Connecting", text: "Asking the hub." },
    recordings: {
      title: "No recording yet", text: "Recordings appear here when their session has ended. If there are some, this page may not read them; who waits for a decision, says",
      lines: ["sensord grants"],
    },
    workouts: { title: "No workout yet", text: "Begin one in a terminal; it is here once it has ended.", lines: ["sensord workout start running", "sensord workout end"] },
    sleep: { title: "No sleep yet", text: "Sleep comes from other programs and from imports, of Apple Health for example:", lines: ["sensord import export.zip"] },
    asking: { title: "One moment", text: "Asking the recorder." },
    failed: { title: "The recorder cannot be asked" },
  },
  copy: "Copy", copied: "Copied",
  all: "All", allSensors: "All sensors", older: "Older",
  night: "Night", recording: "Recording", tryAgain: "Try again",
  activity: (name) => name.replace(/([A-Z])/g, " $1").replace(/^./, (letter) => letter.toUpperCase()).replace(/ [A-Z]/g, (part) => part.toLowerCase()),
  title: (name, time, end) => `${name}, ${clock(time)} to ${clock(end)}`,
  headline: (span, average, max) => `${spoken(span)} at ${whole(average)} beats per minute on average, ${whole(max)} at most`,
  hardPart: (time) => `; ${spoken(time)} of it in zones 4 and 5`,
  gapsTold: (gaps, time) => (gaps === 0 ? " Nothing is missing." : ` ${count(gaps, "gap", "gaps")} of ${spoken(time)}${gaps === 1 ? "" : " in all"}.`),
  noRates: "No heart rate is stored with it, or none that may be read here.",
  beats: "Beats", intervalsOf: "ms between beats",
  noBeats: "Reads intervals from this sensor: none. So there are no beats and no variability; the rate and its curve are complete.",
  artefacts: "Artefacts", variability: { rmssd: "RMSSD", sdnn: "SDNN" },
  basis: (used, all) => `From ${whole(used)} of ${count(all, "beat", "beats")}.`,
  compare: (isRest) => (isRest ? "Compare them with other nights and mornings." : "Movement shortens both figures: compare them with like recordings, not with mornings."),
  refused: (name, reason) => `${name}: not given, ${reason}.`,
  measured: "How this was measured",
  facts: {
    sensor: "Sensor", start: "Begin", end: "End", rates: "Heart rates received", beats: "Beats", unused: "Beats without a usable interval", coverage: "Time that counted intervals fill",
    filter: "Filter of intervals", figures: "All figures", id: "Name in the store", identifier: (text) => text,
  },
  figures: {
    meanNN: "Mean interval", meanRate: "Mean rate", sdnn: "SDNN", sdnnPopulation: "SDNN (population)", sdann: "SDANN", sdnnIndex: "SDNN index", rmssd: "RMSSD",
    sdsd: "SDSD", nn50: "NN50", pnn50: "pNN50", sd1: "SD1", sd2: "SD2", vlf: "VLF power", lf: "LF power", hf: "HF power", lfHfRatio: "LF/HF",
  },
  units: { "count/min": "bpm", "ms^2": "ms²", count: "", 1: "" },
  notGiven: (reason) => `not given: ${reason}`,
  wholeCurve: "Whole", zoomIn: "Zoom in", chartHelp: "arrow keys or finger: cursor; drag or +: zoom; Home: whole",
  cursor: "Cursor of the heart rate",
  at: (time, rate, zone) => [time, `${rate} bpm${zone === null ? "" : ` · ${words.zoneShort(zone)}`}`],
  gapAt: (time) => [time, words.noSignal],
  range: (low, high) => (whole(low) === whole(high) ? whole(low) : `${whole(low)}–${whole(high)}`),
  curveTold: (gaps) => `Curve of the heart rate in beats per minute, with ${count(gaps, "gap", "gaps")}.`,
  beatsTold: (beats) => `Intervals between ${count(beats, "beat", "beats")}, in milliseconds.`,
  stages: ["In bed", "Asleep", "Awake", "Core sleep", "Deep sleep", "REM sleep"],
  asleep: (time) => `${time} asleep`, efficiency: (part) => `${share(part)} of the time in bed`,
};
