"""Programs that others wrote read every output of a running hub, each as its users do.

    consumers.py PLACE TOKEN-FILE TEXT-FILE

Prints "ports OSC MQTT" at once, then waits for the token; from then on "NAME value" or "NAME none" whenever a reader's view
changes, and "NAME fault: ..." for what its parser or its user would trip over. Ends when it is killed.
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
from prometheus_client.parser import text_string_to_metric_families
from pythonosc.dispatcher import Dispatcher
from pythonosc.osc_server import BlockingOSCUDPServer

PLACE, TOKEN_FILE, TEXT_FILE = sys.argv[1:]
# Dialects without a word for "no value" fall silent; a strap sends once a second, and the hub ends a value after 2.9 s.
SILENCE = 4
PR_SET_PDEATHSIG = 1
libc = ctypes.CDLL(None)
said = {}
lock = threading.Lock()


def say(name, view):
    with lock:
        if said.get(name) != view:
            said[name] = view
            print(name, view, flush=True)


def number(name, rate):
    """A rate that the strap sent is a value; anything else is a fault."""
    say(name, "value" if isinstance(rate, int) and 60 <= rate <= 79 else f"fault: {rate!r} is no rate of the strap")


def reader(work):
    """Runs on a thread of its own; what it raises is a fault."""
    name = work.__name__.replace("_", "-")

    def run():
        try:
            work(name)
            say(name, "fault: ended")
        except Exception as error:
            say(name, f"fault: {type(error).__name__}: {error}")

    return threading.Thread(target=run, daemon=True)


def own(name, text):
    """The hub's own JSON."""
    message = json.loads(text)
    if message["bpm"] is None:
        say(name, "none" if message["state"] != "measuring" else f"fault: {message}")
    else:
        number(name, message["bpm"])


def events(name):
    with urllib.request.urlopen(f"http://{PLACE}/events?token={token}") as stream:
        for event in sseclient.SSEClient(stream).events():
            own(name, event.data)


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
    while True:
        try:
            message = json.loads(stream.recv())
            number(name, message["bpm"] if 200 < message["latest_rr_ms"] < 2500 else None)
        except websocket.WebSocketTimeoutException:
            say(name, "none")


def hyperate(name):
    # As clients of a Phoenix channel do: join, then a heartbeat again and again; each is answered under its own number.
    stream = opened("&dialect=hyperate")
    stream.settimeout(0.5)
    topic, reference, unanswered, heard, asked = "hr:internal-testing", 0, set(), 0, 0
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
                say(name, f"fault: {message}")
            else:
                heard = time.monotonic()
                # Whom nobody answers has no value: only the last heartbeat may still be under way.
                if reference > 1 and len(unanswered) <= 1:
                    number(name, message["payload"]["hr"])
        except websocket.WebSocketTimeoutException:
            pass
        if time.monotonic() - heard >= SILENCE:
            say(name, "none")


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
                say(name, f"fault: {answer.status}")
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
            say(name, f"fault: {sorted(families)}")
        elif rate and intervals and is_connected:
            counts = [sample.value for sample in intervals.samples if sample.name.endswith("_bucket")]
            total = [sample.value for sample in intervals.samples if sample.name.endswith("_count")]
            number(name, int(rate.samples[0].value) if counts == sorted(counts) and counts[-1:] == total else None)
        elif rate or intervals or is_connected:
            say(name, f"fault: half a value: {sorted(families)}")
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
                say(name, f"fault: {views}")

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
                say(name, "none" if text == "offline" else f"fault: {text}")
        elif is_online:
            number(name, json.loads(text)["bpm"])
        else:
            say(name, "fault: a value while it is offline")


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
for work in (events, own_socket, godot, hyperate, hrcounter, curl, prometheus):
    reader(work).start()
threads[0].join()
