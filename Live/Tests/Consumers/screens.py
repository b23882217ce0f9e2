"""Pictures of the page in named situations, for a person to look at: a made-up hub answers, and a real Chromium draws.

    screens.py FOLDER [NAME…]

Without names all of them. Prints what is wider than its window, what axe finds, what the console says, and the page's size.
"""
import http.server
import json
import math
import pathlib
import random
import sys
import threading
import time

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

PAGE = pathlib.Path(__file__).resolve().parents[2] / "Sources/LiveHub/Server/Page"
SIZES = {"phone": (390, 844), "small": (360, 640), "tablet": (1180, 820), "desktop": (1280, 800), "4k": (3840, 2160)}
MINUTE, HOUR = 60_000, 3_600_000
STRAP = "C0:FF:EE:00:00:01"
TYPES = {".js": "text/javascript", ".css": "text/css", ".html": "text/html"}
NOW = int(time.time() * 1000)


def run(minutes, seed=7, top=176, step=1000, end=NOW):
    """Rates of an effort: rest, up, and intervals; with a lost link of 38 s in the middle."""
    chance, rate, result = random.Random(seed), 62.0, []
    count, start = int(minutes * MINUTE / step), end - int(minutes * MINUTE)
    lost = range(int(count * 0.6), int(count * 0.6 + 38_000 / step))
    for index in range(count):
        part = index * step / (minutes * MINUTE)
        goal = 66 if part < 0.08 else top - 26 + 22 * math.sin(part * 21) + 8 * math.sin(part * 77)
        rate += (goal - rate) * min(1, 0.02 * step / 1000) + chance.gauss(0, 0.5)
        if index not in lost:
            result.append((start + index * step, round(rate)))
    return result


def night(hours, end=NOW):
    chance, result = random.Random(3), []
    start = end - hours * HOUR
    for index in range(hours * 1200):
        time = start + index * 3000
        if 3 * HOUR < time - start < 3 * HOUR + 5 * MINUTE:
            continue
        part = index / 1200
        result.append((time, round(56 + 6 * math.sin(part * 4.1) + 4 * math.sin(part * 1.3) + chance.gauss(0, 1.5) + (34 if index % 2900 < 20 else 0))))
    return result


def curve(rates, columns=2000, spacing=1000):
    """The same as the hub makes."""
    width, held, points, gaps, missing = 1000, {}, [], 0, 0
    previous = None
    for at, rate in rates:
        if previous is not None:
            silence = at - previous[0]
            held[previous[1]] = held.get(previous[1], 0) + min(silence, 10_000)
            is_gap = silence > max(60_000 / previous[1] + 2900, spacing * 2.5)
            gaps, missing = gaps + is_gap, missing + (silence if is_gap else 0)
        else:
            is_gap = False
        points.append([at, at, rate, rate, is_gap])
        previous = (at, rate)
    while len(points) > columns:
        width, narrow, points = width * 2, points, []
        for start, end, low, high, is_gap in narrow:
            if points and points[-1][0] // width == start // width:
                last = points[-1]
                points[-1] = [last[0], end, min(last[2], low), max(last[3], high), last[4]]
            else:
                points.append([start, end, low, high, is_gap])
    stretches, shaded = [[]], []
    for index, (start, end, low, high, is_gap) in enumerate(points):
        if is_gap and index:
            shaded.append([points[index - 1][1], start])
            stretches.append([])
        stretches[-1].append([start, low, high])
    values = [rate for _, rate in rates]
    return {"start": points[0][0], "end": points[-1][1], "count": len(values), "average": round(sum(values) / len(values), 1), "minimum": min(values),
            "maximum": max(values), "gap_count": gaps, "missing_ms": missing, "held": sorted(map(list, held.items())), "stretches": stretches, "gaps": shaded}


def intervals(rates, seed=5):
    chance, result = random.Random(seed), []
    for at, rate in rates:
        result.append((at, round(60_000 / rate * (1 + 0.03 * math.sin(at / 3000)) + chance.gauss(0, 9))))
    return result


def beat_curve(rates, columns=1200):
    """Intervals as columns of the smallest and the greatest."""
    beats = intervals(rates)
    width = max(1, (beats[-1][0] - beats[0][0]) // columns + 1)
    stretches, gaps = [[]], []
    for index, (at, interval) in enumerate(beats):
        if index and at - beats[index - 1][0] > 8000:
            gaps.append([beats[index - 1][0], at])
            stretches.append([])
        last = stretches[-1][-1] if stretches[-1] else None
        if last and (last[0] - beats[0][0]) // width == (at - beats[0][0]) // width:
            last[1], last[2] = min(last[1], interval), max(last[2], interval)
        else:
            stretches[-1].append([at, interval, interval])
    return {"start": beats[0][0], "end": beats[-1][0], "beats": int(len(beats) * 1.4), "unused": len(beats) // 180, "stretches": stretches, "gaps": gaps}


class Hub:
    """What the made-up hub answers in one situation."""

    def __init__(self, sensors=(), recorder=True, undecided=None, answers=None, values=None):
        self.sensors, self.recorder, self.undecided, self.answers = sensors, recorder, undecided, answers or {}
        # The values of the stream in each second: by sensor the rate, or None.
        self.values = values or {}

    def now(self, columns):
        sensors = []
        for sensor in self.sensors:
            own = {key: value for key, value in sensor.items() if key != "rates"}
            # One that measures has done so until now.
            shift = int(time.time() * 1000) - 1000 - sensor["rates"][-1][0] if sensor["state"] == "measuring" else 0
            own["session_start"] += shift
            rates = [(at + shift, rate) for at, rate in sensor["rates"]]
            own["curve"] = curve(rates, columns)
            own["beats"] = [] if sensor.get("plain") else [list(beat) for beat in intervals(rates[-60:])]
            sensors.append(own)
        result = {"now": int(time.time() * 1000), "recorder": self.recorder, "sensors": sensors}
        if self.undecided:
            result["undecided"] = self.undecided
        return result


def strap(rates, state="measuring", **more):
    return {"address": STRAP, "name": "Polar H10 8A2F", "battery": 82, "state": state, "session_start": rates[0][0], "rates": rates, **more}


def room():
    sensors, values = [], {}
    for number in range(1, 21):
        address = f"C0:FF:EE:00:01:{number:02X}"
        lost = number in (7, 14)
        rates = run(25, seed=number, top=120 + (number * 37) % 70, end=NOW - (26_000 if lost else 0))
        sensors.append({"address": address, "name": f"Bike {number}", "battery": 9 if number == 9 else 70, "state": "linkLost" if lost else "measuring",
                        "session_start": rates[0][0], "rates": rates})
        values[address] = None if lost else rates[-1][1]
    return Hub(sensors, values=values)


def one(rates, rate=..., plain=False, **more):
    return Hub([strap(rates, "measuring" if rate is not None else "linkLost", plain=plain, **more)], values={STRAP: rates[-1][1] if rate is ... else rate})


VARIABILITY = {"coverage": 0.97, "intervals": 4912, "filter": "quotient", "figures": [
    {"name": "rmssd", "unit": "ms", "value": 18.234}, {"name": "sdnn", "unit": "ms", "value": 41.377}, {"name": "meanRate", "unit": "count/min", "value": 157.1},
    {"name": "sdann", "unit": "ms", "refused": "needs 24 h, has 33 min"}, {"name": "lf", "unit": "ms^2", "value": 812.44}]}


def recordings(workout=None):
    """A list of some weeks, and one of each kind in full."""
    sessions, workouts, answers = [], [], {}
    plans = [("run", 33, 176, "running", 20 * MINUTE), ("walk", 21, 118, "walking", 11 * HOUR), ("ride", 73, 158, "cycling", 49 * HOUR), ("night", 0, 0, None, 96 * HOUR),
             ("long", 14 * 60, 150, None, 130 * HOUR), ("plain", 45, 168, "traditionalStrengthTraining", 170 * HOUR)]
    plans += [(f"old{number}", 30 + number % 40, 150 + number % 30, "running" if number % 3 else None, (200 + 26 * number) * HOUR) for number in range(30)]
    for name, minutes, top, activity, ago in plans:
        end = NOW - ago
        if name == "night":
            end = int(time.mktime(time.localtime(end / 1000)[:3] + (7, 10, 0, 0, 0, -1)) * 1000)
        rates = night(8, end) if name == "night" else run(minutes, seed=len(name) + minutes, top=top, step=5000 if name == "plain" else 1000, end=end)
        sessions.append({"id": name, "sensor": "Polar H10 8A2F", "start": rates[0][0], "end": rates[-1][0], "beats": 0 if name == "plain" else len(rates),
                         "heartRate": {"average": sum(rate for _, rate in rates) / len(rates), "minimum": min(rate for _, rate in rates), "maximum": max(rate for _, rate in rates)}})
        answers[f"/api/sessions/{name}/rates"] = (rates, 5000 if name == "plain" else 1000)
        if name != "plain":
            answers[f"/api/sessions/{name}/beats"] = rates
            answers[f"/api/sessions/{name}/variability"] = VARIABILITY
        if activity:
            workouts.append({"id": f"w-{name}", "activity": activity, "start": rates[0][0], "end": rates[-1][0]})
            answers[f"/api/workouts/w-{name}/rates"] = answers[f"/api/sessions/{name}/rates"]
    answers["/api/sessions"], answers["/api/workouts"] = sessions, workouts
    answers["/api/nights"] = nights()
    return Hub(answers=answers)


def nights():
    result, chance = [], random.Random(4)
    for ago in range(14):
        morning = time.localtime(NOW / 1000 - ago * 86400)
        day = time.strftime("%Y-%m-%d", morning)
        at = int(time.mktime(time.strptime(day, "%Y-%m-%d")) * 1000) - int(chance.uniform(0.3, 2.2) * HOUR)
        stretches, asleep = [], 0
        for cycle in range(5):
            for stage, minutes in ((3, 35), (4, 38 - 8 * cycle), (3, 14), (5, 8 + 8 * cycle), (2, 3)):
                length = max(0, int(minutes * chance.uniform(0.6, 1.3))) * MINUTE
                if length:
                    stretches.append([at, at + length, stage])
                    asleep += 0 if stage == 2 else length
                    at += length
        result.append({"day": day, "asleep": asleep, "efficiency": 0.93 - 0.01 * (ago % 7), "stretches": stretches})
    return result


EMPTY = Hub(answers={"/api/sessions": [], "/api/workouts": [], "/api/nights": []})
RUN, LONG = run(27), run(600, top=140)
LATE = strap(run(22))
LATE["session_start"] -= 5 * MINUTE
COMMAND = "sensord grants allow org.sensord.Live@1000 --read heartRate,heartbeatSeries"
FILES = recordings()
SCREENS = {
    "now-phone": (one(RUN), "/", "phone", "light"), "now-phone-dark": (one(RUN), "/", "phone", "dark"), "now-small": (one(RUN), "/", "small", "light"),
    "now-desktop": (one(RUN), "/", "desktop", "light"), "now-desktop-dark": (one(RUN), "/", "desktop", "dark"), "now-4k": (one(RUN), "/", "4k", "light"),
    "now-ten-hours": (one(LONG), "/", "desktop", "light"), "room-tablet": (room(), "/", "tablet", "light"), "room-phone": (room(), "/", "phone", "light"), "room-4k-dark": (room(), "/", "4k", "dark"),
    "none-phone": (Hub(), "/", "phone", "light"), "none-desktop-dark": (Hub(), "/", "desktop", "dark"), "waiting-phone": (Hub(undecided=COMMAND), "/", "phone", "light"),
    "no-recorder-desktop": (Hub(recorder=False), "/", "desktop", "light"), "lost-phone": (one(RUN, None), "/", "phone", "light"), "lost-desktop-dark": (one(RUN, None), "/", "desktop", "dark"),
    "without-intervals-phone": (one(RUN, plain=True), "/", "phone", "light"), "late-desktop": (Hub([LATE], values={STRAP: LATE["rates"][-1][1]}), "/", "desktop", "light"),
    "list-phone": (FILES, "/recordings", "phone", "light"), "list-desktop-dark": (FILES, "/recordings", "desktop", "dark"), "list-empty-phone": (EMPTY, "/recordings", "phone", "light"),
    "recording-phone": (FILES, "/recordings#run", "phone", "light"), "recording-desktop": (FILES, "/recordings#run", "desktop", "light"),
    "long-desktop": (FILES, "/recordings#long", "desktop", "light"), "night-phone-dark": (FILES, "/recordings#night", "phone", "dark"),
    "plain-desktop": (FILES, "/recordings#plain", "desktop", "light"), "workouts-phone": (FILES, "/workouts", "phone", "light"),
    "workout-desktop-dark": (FILES, "/workouts#w-ride", "desktop", "dark"), "sleep-phone": (FILES, "/sleep", "phone", "light"), "sleep-desktop": (FILES, "/sleep", "desktop", "light"),
}


class Answers(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub = None
    # The policy of the hub's Router: a page that needs more would break there.
    policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    def log_message(self, *_):
        pass

    def send(self, status, kind, body):
        self.send_response(status)
        for name, value in (("Content-Type", kind), ("Content-Length", str(len(body))), ("Content-Security-Policy", self.policy), ("Cache-Control", "no-store")):
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        path, _, query = self.path.partition("?")
        parameters = dict(pair.split("=") for pair in query.split("&") if pair)
        columns = int(parameters.get("columns", 2000))
        if path == "/events":
            return self.stream(parameters.get("sensors") == "all")
        if path == "/api/now":
            return self.send(200, "application/json", json.dumps(self.hub.now(columns)).encode())
        if path.startswith("/api/"):
            answer = self.hub.answers.get(path)
            if answer is None:
                return self.send(404, "text/plain", b"There is no such recording.\n")
            if path.endswith("/rates"):
                answer = curve(answer[0], columns, answer[1])
            elif path.endswith("/beats"):
                answer = beat_curve(answer)
            return self.send(200, "application/json", json.dumps(answer).encode())
        file = PAGE / ("page.html" if path in ("/", "/recordings", "/workouts", "/sleep") else path[1:])
        if not file.is_file():
            return self.send(404, "text/plain", b"")
        self.send(200, TYPES[file.suffix] + "; charset=utf-8", file.read_bytes())

    def stream(self, of_room):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        sequence, whole = 0, "linkLost" if self.hub.recorder else "noRecorder"
        try:
            if of_room or not self.hub.values:
                self.event({"state": whole, "sequence": sequence, "bpm": None})
            for turn in range(100):
                for sensor, rate in self.hub.values.items():
                    if rate is None and turn:
                        continue
                    sequence += 1
                    plain = any(each.get("plain") for each in self.hub.sensors)
                    event = {"state": "linkLost", "bpm": None} if rate is None else {
                        "state": "measuring", "bpm": rate, "rr_ms": [] if plain else [round(60_000 / rate, 1)], "time_ms": int(time.time() * 1000), "uncertainty_ms": 1000, "gap": False}
                    self.event({**event, "sensor": sensor, "sequence": sequence})
                time.sleep(1)
        except OSError:
            pass

    def event(self, event):
        self.wfile.write(f"data: {json.dumps(event)}\n\n".encode())
        self.wfile.flush()


def main():
    folder, names = pathlib.Path(sys.argv[1]), sys.argv[2:] or list(SCREENS)
    folder.mkdir(parents=True, exist_ok=True)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    print(f"{len(names)} screens; the page has {sum(file.stat().st_size for file in PAGE.iterdir() if file.suffix in TYPES) / 1000:.0f} kB")
    wrong = 0
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--disable-dev-shm-usage"])
        for name in names:
            Answers.hub, path, size, scheme = SCREENS[name]
            width, height = SIZES[size]
            context = chromium.new_context(color_scheme=scheme, viewport={"width": width, "height": height}, reduced_motion="reduce", locale="en-GB")
            page = context.new_page()
            said = []
            page.on("console", lambda message: message.type == "error" and "404" not in message.text and said.append(message.text))
            page.on("pageerror", lambda error: said.append(str(error)))
            page.goto(f"http://127.0.0.1:{server.server_port}{path}")
            page.wait_for_timeout(1800)
            if name.startswith("recording-"):
                # A cursor that stays while the picture is taken.
                page.locator(".chart.rates").focus()
                for _ in range(28):
                    page.keyboard.press("ArrowLeft")
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            page.screenshot(path=folder / f"{name}.png", full_page=not name.startswith("now-4k"))
            found = Axe().run(page).response["violations"]
            said += [f'{violation["id"]}: {violation["nodes"][0]["html"]}' for violation in found]
            if wide or said:
                wrong += 1
                print(name, f"{wide} px wider than the window" if wide else "", *said)
            context.close()
        chromium.close()
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
