"""The example HotDog, played for 30 s in a terminal by a user who is no owner; 1 where it does not show exactly what the strap sent.

It waits for permission, which an owner gives with `sensord grants allow`. What it shows after the game has to be the values that the
strap sent between the start and the end of the stored session, one by one.
"""
import json, os, pty, re, select, subprocess, sys, time
from recorder import STRAP, Recorder

FOLDER, SECONDS = '/var/lib/sensord', 30
ENVIRONMENT = {**os.environ, 'TERM': 'xterm', 'NO_COLOR': '1', 'HOME': '/tmp'}


def as_owner(*words):
    return subprocess.run(['sensord', *words], user=900, group=900, extra_groups=[], env=ENVIRONMENT, check=True, capture_output=True, text=True).stdout


class Terminal:
    """A program of another user in a terminal of its own."""

    def __init__(self, user, *words):
        self.text, (self.master, child) = '', pty.openpty()
        os.fchmod(child, 0o666)
        self.program = subprocess.Popen(words, stdin=child, stdout=child, stderr=child, user=user, group=user, extra_groups=[], env=ENVIRONMENT, start_new_session=True)
        os.close(child)

    def read(self, seconds):
        """What it prints in that time; False after its end."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if not select.select([self.master], [], [], max(0, end - time.monotonic()))[0]: return True
            try: self.text += os.read(self.master, 65536).decode()
            except OSError: return False
        return True

    def wait_for(self, text, seconds=60):
        end = time.monotonic() + seconds
        while text not in self.text:
            goes_on = self.read(0.2) and time.monotonic() < end
            if not goes_on and text not in self.text: sys.exit(f'game: it does not print "{text}" but:\n{self.text}')


def main():
    recorder = Recorder(FOLDER, [STRAP])
    while not any('"ev": "notify"' in line for line in open('/job/strap.log')): time.sleep(0.5)
    game = Terminal(1001, 'HotDog', '--seconds', str(SECONDS))
    game.wait_for('sensord grants allow')
    print('asked; allowed with:', allow := 'grants allow org.example.HotDog@1001 --read heartRate --share heartRate,heartbeatSeries')
    as_owner(*allow.split())
    game.wait_for('score 0')
    for key in b'eepeepe':
        os.write(game.master, bytes([key]))
        game.read(2)
    game.wait_for('Game over', SECONDS + 30)
    while game.read(1): pass
    status = game.program.wait(30)
    score = int(re.search(r'Game over: (\d+) hot dogs', game.text)[1])
    shown = [int(rate) for rate in re.findall(r'Z  (\d+)/min', game.text)]

    store = f'{FOLDER}/sensord.sqlite'
    sessions = json.loads(as_owner('sessions', '--store', store, '--json'))
    said = {session['id']: json.loads(as_owner('show', session['id'], '--store', store, '--json'))['metadata'] for session in sessions}
    games = [session for session in sessions if said[session['id']].get('title') == 'Hot dogs']
    if len(games) != 1: sys.exit(f'game: {len(games)} stored games')
    bounds = re.search(r'start_us=(\d+) end_us=(\d+)', as_owner('sql', '--store', store,
        f"SELECT 'start_us=' || start_us || ' end_us=' || end_us FROM session_list WHERE id = '{games[0]['id'].replace('-', '')}'"))
    start, end = (int(bounds[side]) / 1e6 for side in (1, 2))
    sent = [json.loads(line) for line in open('/job/strap.log')]
    # A value has one byte for the rate after the flags.
    expected = [bytes.fromhex(event['hex'])[1] for event in sent if event['ev'] == 'notify' and start <= event['unix'] <= end]
    ended = recorder.end()
    print(f'game of {end - start:.3f} s, score {score}: {len(shown)} rates shown, {len(expected)} sent between its start and end')
    faults = [text for text, is_fault in {
        f'the game ended with {status}': status != 0, f'the recorder ended with {ended}': ended != 0, 'the score is not 5': score != 5,
        'the rates are not those sent': shown != expected, 'the game was shorter than 30 s': end - start < SECONDS - 1,
        'there were fewer than 28 rates': len(shown) < SECONDS - 2}.items() if is_fault]
    for fault in faults: print(f'differs: {fault}')
    print(f'game: {"FAILED" if faults else "ok"}')
    return bool(faults)


sys.exit(main())
