"""Programs that others wrote read every output of a running hub, each as its users do.

    consumers.py PLACE TOKEN-FILE TEXT-FILE

Prints "ports OSC MQTT" at once, then waits for the token; from then on "NAME value TIME" or "NAME none TIME" whenever a reader's view
changes, and "NAME fault TIME WHY" for what its parser or its user would trip over. Times are seconds of the boot clock; for a reader that knows
"none" by silence only, of its last message. "beat TIME" is each value that the hub's own stream has. Ends when it is killed.
"""
import ctypes
import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

import sseclient
import websocket
from playwright.sync_api import sync_playwright
from prometheus_client.parser import text_string_to_metric_families
from pythonosc.dispatcher import Dispatcher
from pythonosc.osc_server import BlockingOSCUDPServer

PLACE, TOKEN_FILE, TEXT_FILE = sys.argv[1:]
# Dialects without a word for "no value" fall silent; a strap sends ten times in nine seconds, and the hub ends a value after 2.9 s more.
SILENCE = 4
PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)
said = {}
lock = threading.Lock()


def now():
    return time.clock_gettime(time.CLOCK_BOOTTIME)


def say(name, view, at=None, why=""):
    with lock:
        # What trips once has tripped.
        if said.get(name, ("", ""))[0] != "fault" and said.get(name) != (view, why):
            said[name] = view, why
            print(name, view, f"{now() if at is None else at:.3f}", why, flush=True)


def fault(name, why):
    say(name, "fault", why=why)


def number(name, rate):
    """A rate that the strap sent is a value; anything else is a fault."""
    if isinstance(rate, int) and 60 <= rate <= 79:
        say(name, "value")
    else:
        fault(name, f"{rate!r} is no rate of the strap")


def reader(work):
    """Runs on a thread of its own; what it raises is a fault."""
    name = work.__name__.replace("_", "-")

    def run():
        try:
            work(name)
            fault(name, "ended")
        except Exception as error:
            fault(name, f"{type(error).__name__}: {error}".replace("\n", " "))

    return threading.Thread(target=run, daemon=True)


def own(name, text):
    """The hub's own JSON."""
    message = json.loads(text)
    if message["bpm"] is not None:
        number(name, message["bpm"])
    elif message["state"] == "measuring":
        fault(name, str(message))
    else:
        say(name, "none")
    return message["bpm"]


def events(name):
    with urllib.request.urlopen(f"http://{PLACE}/events?token={token}") as stream:
        for event in sseclient.SSEClient(stream).events():
            if own(name, event.data) is not None:
                with lock:
                    print("beat", f"{now():.3f}", flush=True)


def opened(query=""):
    return websocket.create_connection(f"ws://{PLACE}/ws?token={token}{query}")


def own_socket(name):
    stream = opened()
    while True:
        own(name, stream.recv())


def godot(name):
    # The addon has an address and nothing else: it connects, says nothing, and reads {"bpm", "latest_rr_ms"}.
    stream = opened("&dialect=iron-heart")
    stream.settimeout(SILENCE)
    heard = now()
    while True:
        try:
            message = json.loads(stream.recv())
            number(name, message["bpm"] if 200 < message["latest_rr_ms"] < 2500 else None)
            heard = now()
        except websocket.WebSocketTimeoutException:
            say(name, "none", heard)


def hyperate(name):
    # As clients of a Phoenix channel do: join, then a heartbeat again and again; each is answered under its own number.
    stream = opened("&dialect=hyperate")
    stream.settimeout(0.5)
    topic, reference, unanswered, heard, asked = "hr:internal-testing", 0, set(), now(), 0
    while True:
        if time.monotonic() - asked >= 1:
            asked = time.monotonic()
            reference += 1
            event, place = ("phx_join", topic) if reference == 1 else ("heartbeat", "phoenix")
            unanswered.add(str(reference))
            stream.send(json.dumps({"topic": place, "event": event, "payload": {}, "ref": str(reference)}))
        try:
            message = json.loads(stream.recv())
            if message["event"] == "phx_reply":
                unanswered.remove(message["ref"])
            elif (message["event"], message["topic"]) != ("hr_update", topic):
                fault(name, str(message))
            else:
                heard = now()
                # Whom nobody answers has no value: only the last heartbeat may still be under way.
                if reference > 1 and len(unanswered) <= 1:
                    number(name, message["payload"]["hr"])
        except websocket.WebSocketTimeoutException:
            pass
        if now() - heard >= SILENCE:
            say(name, "none", heard)


def hrcounter(name):
    # Polls every 250 ms over one connection; digits, or JSON with bpm and measured_at, are a rate.
    connection = http.client.HTTPConnection(PLACE)
    while True:
        for query in ("", "&format=json"):
            connection.request("GET", f"/hr?token={token}{query}")
            answer = connection.getresponse()
            text = answer.read().decode()
            if answer.status == 204 and not text:
                say(name, "none")
            elif answer.status != 200:
                fault(name, str(answer.status))
            elif query:
                message = json.loads(text)
                number(name, message["bpm"] if isinstance(message["measured_at"], int) else None)
            else:
                number(name, int(text))
            time.sleep(0.25)


def curl(name):
    while True:
        words = ["curl", "-s", "-w", "\n%{http_code}", "-H", f"Authorization: Bearer {token}", f"http://{PLACE}/hr"]
        text, status = subprocess.run(words, capture_output=True, text=True, check=True).stdout.rsplit("\n", 1)
        if status == "204" and not text:
            say(name, "none")
        else:
            number(name, int(text))
        time.sleep(0.25)


def prometheus(name):
    while True:
        with urllib.request.urlopen(f"http://{PLACE}/metrics?token={token}") as answer:
            families = {family.name: family for family in text_string_to_metric_families(answer.read().decode())}
        is_connected = families["sensord_connected"].samples[0].value == 1
        rate, intervals = families.get("sensord_heart_rate_bpm"), families.get("sensord_rr_interval_seconds")
        if any(family.type == "unknown" for family in families.values()) or "sensord_beats" not in families:
            fault(name, str(sorted(families)))
        elif rate and intervals and is_connected:
            counts = [sample.value for sample in intervals.samples if sample.name.endswith("_bucket")]
            total = [sample.value for sample in intervals.samples if sample.name.endswith("_count")]
            number(name, int(rate.samples[0].value) if counts == sorted(counts) and counts[-1:] == total else None)
        elif rate or intervals or is_connected:
            fault(name, f"half a value: {sorted(families)}")
        else:
            say(name, "none")
        time.sleep(0.5)


def text_file(name):
    # As OBS' text source: opens it by its name now and then, and draws what is in it.
    while True:
        try:
            with open(TEXT_FILE) as file:
                text = file.read()
            if text == "-":
                say(name, "none")
            else:
                number(name, int(text) if text else None)
        except FileNotFoundError:
            pass
        time.sleep(0.1)


def osc(name):
    # The last of a change's messages decides: all that came before it belong to the same change.
    seen, rates, flags = {}, ("HR", "Heartrate3", "VRCOSC/Heartrate/Value"), ("isHRConnected", "VRCOSC/Heartrate/Connected")

    def took(address, *values):
        key = address.removeprefix("/avatar/parameters/")
        seen[key] = values[0]
        if key == "VRCOSC/Heartrate/Hundreds":
            views = {seen[key] for key in rates}, {seen[key] for key in flags}
            if views == ({0}, {False}):
                say(name, "none")
            elif views[1] == {True} and len(views[0]) == 1:
                number(name, *views[0])
            else:
                fault(name, str(views))

    dispatcher.set_default_handler(took)
    server.serve_forever()


def mqtt(name):
    words = ["mosquitto_sub", "-p", str(broker_port), "-v", "-t", "sensord/sensord/availability", "-t", "sensord/sensord/state"]
    is_online = False
    for line in started(words, subprocess.PIPE).stdout:
        topic, text = line.rstrip("\n").split(" ", 1)
        if topic.endswith("availability"):
            is_online = text == "online"
            if not is_online:
                say(name, "none") if text == "offline" else fault(name, text)
        elif is_online:
            number(name, json.loads(text)["bpm"])
        else:
            fault(name, "a value while it is offline")


def pages(_):
    # A person who looks at the page, and one who looks at a stream with the overlay: what is written there, and that the page says why.
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--disable-dev-shm-usage"])
        shown = {"page": chromium.new_page(), "overlay": chromium.new_page()}
        for name, path in (("page", "/"), ("overlay", "/overlay")):
            shown[name].goto(f"http://{PLACE}{path}?token={token}")
        while True:
            for name, page in shown.items():
                rate, state = page.evaluate("[document.getElementById('rate')?.textContent ?? '–', document.body.dataset.state]")
                if rate != "–":
                    number(name, int(rate) if state == "measuring" else None)
                elif state == "measuring":
                    fault(name, "no rate, and no reason")
                else:
                    say(name, "none")
            time.sleep(0.1)


def started(words, output):
    """A program that ends with this one, however that ends."""
    return subprocess.Popen(
        words, stdout=output, stderr=subprocess.DEVNULL, text=True, preexec_fn=lambda: libc.prctl(PR_SET_PDEATHSIG, signal.SIGKILL))


def start_broker():
    """Nobody else gets a port soon after it was free."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    folder = tempfile.mkdtemp(dir=os.path.dirname(TOKEN_FILE))
    with open(f"{folder}/broker.conf", "w") as file:
        file.write(f"listener {port} 127.0.0.1\nallow_anonymous true\nuser root\n")
    words = ["/usr/sbin/mosquitto", "-c", f"{folder}/broker.conf"]
    return started(words, subprocess.DEVNULL), port


def wait_for(condition):
    while not condition():
        time.sleep(0.05)


def listens(port):
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


dispatcher = Dispatcher()
server = BlockingOSCUDPServer(("127.0.0.1", 0), dispatcher)
broker, broker_port = start_broker()
wait_for(lambda: listens(broker_port))
threads = [reader(osc), reader(mqtt), reader(text_file)]
for thread in threads:
    thread.start()
print("ports", server.server_address[1], broker_port, flush=True)
wait_for(lambda: os.path.exists(TOKEN_FILE) and os.path.getsize(TOKEN_FILE) > 0)
with open(TOKEN_FILE) as file:
    token = file.read()
for work in (events, own_socket, godot, hyperate, hrcounter, curl, prometheus, pages):
    reader(work).start()
threads[0].join()
