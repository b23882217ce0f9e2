"""Every method, property and signal of every interface of the door, asked by every role; a table, and 1 where a row differs.

A member of the installed introspection data (dbus-1/org.sensord.xml) that has no row fails. The roles are users of their own: the
recorder's (owner), root, a member of its group, and four programs of two other users: one that may read and save, one that may not, one
about which nothing is decided (with the name of the first, under another user), and one whose permissions are revoked while it listens.
What the denied one is answered must be, byte for byte, what a recorder answers that has nothing.
"""
import os, pickle, re, signal, socket, sys, time
import xml.etree.ElementTree as xml
from recorder import ADDRESS, NAME, ROOT, STRAP, Recorder
from wire import Bus, ERROR

TYPES = ['heartRate', 'heartRateVariabilitySDNN', 'stepCount', 'workout']
ROLES = {'owner': (900, [900], None), 'root': (0, [0], None), 'member': (1000, [1000, 900], None),
         'granted': (1001, [1001], 'org.example.Game'), 'denied': (1001, [1001], 'org.example.Denied'),
         'undecided': (1002, [1002], 'org.example.Game'), 'revoked': (1002, [1002], 'org.example.Revoked')}
OWNERS = ('owner', 'root', 'member')
HEAD = '{:<32}' + ' {:<11}' * 4
failures = []


class Person:
    """A process of another user, with a connection to the bus; what is asked of it happens there."""

    def __init__(self, uid, groups):
        mine, its = socket.socketpair()
        self.pid, self.socket = os.fork(), mine
        if self.pid: its.close(); return
        mine.close()
        os.setgroups(groups); os.setgid(groups[0]); os.setuid(uid)
        try: bus = Bus(ADDRESS)
        except Exception as error: bus = error
        stream = its.makefile('rwb')
        while True:
            name, arguments = pickle.load(stream)
            try: result = getattr(self, name)(bus, *arguments)
            except Exception as error: result = error
            pickle.dump(result, stream); stream.flush()

    def begin(self, name, *arguments):
        self.socket.sendall(pickle.dumps((name, arguments)))

    def result(self):
        result = pickle.load(self.socket.makefile('rb', buffering=0))
        if isinstance(result, Exception): raise result
        return result

    def do(self, name, *arguments):
        self.begin(name, *arguments)
        return self.result()

    def end(self):
        os.kill(self.pid, signal.SIGKILL); os.waitpid(self.pid, 0); self.socket.close()

    # What follows runs in the process of the person.

    def ask(self, bus, interface, member, signature='', *body, path=ROOT):
        """(name of the error, signature, bytes of the body, values)"""
        with open(os.devnull) as empty:
            answer = bus.call(NAME, path, interface, member, signature, *body, fds=[empty.fileno()] if 'h' in signature else [])
        for end in answer.fds:
            with os.fdopen(end, 'rb') as pipe: lines = pipe.read()
            return None, answer.signature, lines, [lines.splitlines()[:-1]]
        if answer.kind != ERROR: return None, answer.signature, answer.body, answer.values
        # What the bus itself refuses it describes with names and processes, which are others each time.
        return answer.error, answer.signature, b'' if answer.sender == 'org.freedesktop.DBus' else answer.body, answer.values

    def ask_at(self, bus, path, interface, member, signature='', *body):
        return self.ask(bus, interface, member, signature, *body, path=path)

    def hear(self, bus, seconds):
        return [(message.interface, message.member, message.values) for message in bus.signals(seconds)]


def person(role):
    uid, groups, application = ROLES[role]
    made = Person(uid, groups)
    if application: expect(made.do('ask', 'org.sensord.Authorization1', 'Identify', 'sa{sv}', application, {})[0], None, f'{role} identifies itself')
    return made


def expect(got, wanted, what):
    if got != wanted:
        failures.append(f'{what}: {got!r}, should be {wanted!r}')
        print('  ' + failures[-1])


def word(answer):
    """An answer in a word: the last part of an error, a text, whether a list holds anything, or ok."""
    error, _, _, values = answer
    if error: return error.rsplit('.', 1)[1]
    if not values: return 'ok'
    if isinstance(values[0], str) and (values[0].startswith('/') or re.fullmatch('[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}', values[0])): return 'ok'
    if isinstance(values[0], list): return 'some' if values[0] else 'empty'
    return str(values[0]).lower() if isinstance(values[0], bool) else values[0] if isinstance(values[0], str) else 'ok'


def all_of(word): return dict.fromkeys(ROLES, word)
def owners_and(word, **others): return {**dict.fromkeys(OWNERS, word), **others}


KNOWN = owners_and('some', granted='some', denied='empty', undecided='empty', revoked='empty')
LIVE = owners_and('flows', granted='flows', denied='none', undecided='none', revoked='stops')
GRANTS = {**all_of('AccessDenied')}
def grants(word): return {**GRANTS, **owners_and(word)}
SESSION, SERIES, WORKOUT = f'{ROOT}/session/x', f'{ROOT}/series/x', f'{ROOT}/workout/x'
NOT_BY_OBJECT = all_of('NotByObject')
# Of what the granted program has made: others but owners must see nothing there.
ITS = owners_and('ok', granted='ok', denied='UnknownObject', undecided='UnknownObject', revoked='UnknownObject')
def its(word): return {**ITS, **owners_and(word, granted=word)}

READERS = owners_and('some', granted='some', denied='empty', undecided='empty', revoked='empty')
SAVERS = owners_and('some', granted='some', denied='NotAuthorized', undecided='NotAuthorized', revoked='NotAuthorized')
STEPS = {'type': ('s', 'stepCount'), 'start_us': ('x', 1795000000000000), 'end_us': ('x', 1795000060000000), 'value': ('d', 5.0), 'unit': ('s', 'count')}
SHARERS = owners_and('ok', granted='ok', denied='NotAuthorized', undecided='NotAuthorized', revoked='NotAuthorized')
FILE = 0  # The first file that is passed along; it is empty.
NOBODYS = '00000000-0000-4000-8000-000000000001'
START = 1795000000000000
# A workout without a sensor: the strap's sessions go on.
RUN = {'activityType': ('s', 'running'), 'sensor': ('s', '')}
# How the granted program makes an object of an interface, and the members after which it is gone.
MADE = {'Session1': ('Manager1.BeginSession', 'a{sv}', {}), 'QuantitySeries1': ('HealthStore1.NewQuantitySeries', 'sxa{sv}', 'stepCount', START, {}),
        'HeartbeatSeries1': ('HealthStore1.NewHeartbeatSeries', 'xa{sv}', START, {}), 'Workout1': ('Workouts1.Begin', 'a{sv}', RUN)}
ENDS = ('End', 'Finish', 'Discard')
# Members of a workout that can be called once, with what its program does before.
ONCE = {'Pause': (), 'Resume': ('Pause',), 'EndActivity': ('BeginActivity', 'a{sv}', {})}
# How the granted program ends what a row has left.
LEFT = {'Session1': ('End',), 'Workout1': ('Discard',)}

# Member: path, signature, arguments, and the answer to each role. Signals: what of them reaches each.
CALLS = {
    'Manager1.ListSensors': (ROOT, '', (), KNOWN),
    'Manager1.BeginSession': (ROOT, 'a{sv}', ({},), SHARERS),
    'Manager1.BeginSessions': (ROOT, 'a{sv}', ({},), {**all_of('NotAuthorized'), **owners_and('some')}),
    'Manager1.EndSessions': (ROOT, 'aoa{sv}', ([SESSION], {}), all_of('UnknownObject')),
    'Live1.Subscribe': (ROOT, 'as', ([],), all_of('ok')),
    'Live1.Unsubscribe': (ROOT, '', (), all_of('ok')),
    'Authorization1.Identify': (ROOT, 'sa{sv}', ('org.example.Fresh', {}), all_of('ok')),
    'Authorization1.Request': (ROOT, 'asas', ([], ['heartRate']), owners_and(
        'decided', granted='decided', denied='decided', undecided='notDetermined', revoked='notDetermined')),
    'Grants1.DecideObjects': (ROOT, 'ussasasa{sv}', (65534, 'org.example.Nobody', 'visionPrescription', [], [], {}), grants('ok')),
    'Authorization1.RequestObjects': (ROOT, 'sa{sv}', ('heartRate', {}), NOT_BY_OBJECT),
    'Authorization1.Status': (ROOT, 's', ('heartRate',), owners_and(
        'sharingAuthorized', granted='sharingAuthorized', denied='sharingDenied', undecided='notDetermined', revoked='notDetermined')),
    'HealthStore1.Save': (ROOT, 'aa{sv}', ([STEPS],), SAVERS),
    'HealthStore1.Delete': (ROOT, 'as', ([NOBODYS],), all_of('NotFound')),
    'HealthStore1.NewQuantitySeries': (ROOT, 'sxa{sv}', ('stepCount', 1795000000000000, {}), SHARERS),
    'HealthStore1.NewHeartbeatSeries': (ROOT, 'xa{sv}', (1795000000000000, {}), SHARERS),
    'HealthStore1.Query': (ROOT, 'sa{sv}', ('samples', {'predicate': ('a{sv}', {'type': ('s', 'stepCount')})}), READERS),
    'HealthStore1.Observe': (ROOT, 'as', (['stepCount'],), all_of('ok')),
    # What is there and for whom the tests of the library say; nobody but its program and the owners may know an object.
    'Attachments1.Add': (ROOT, 'sssha{sv}', (NOBODYS, 'scan.png', '', FILE, {}), all_of('NotFound')),
    'Attachments1.List': (ROOT, 's', (NOBODYS,), all_of('NotFound')),
    'Attachments1.Read': (ROOT, 's', (NOBODYS,), all_of('NotFound')),
    'Attachments1.Remove': (ROOT, 's', (NOBODYS,), all_of('NotFound')),
    'Grants1.List': (ROOT, '', (), grants('some')),
    'Grants1.Decide': (ROOT, 'usasasba{sv}', (1, 'org.example.None', [], ['height'], True, {}), grants('ok')),
    'Grants1.Revoke': (ROOT, 'usasasa{sv}', (1, 'org.example.None', [], [], {}), grants('ok')),
    'Session1.AddMetadata': (SESSION, 'a{sv}', ({'title': ('s', 'lab')},), ITS),
    'Session1.AddMarker': (SESSION, 'xs', lambda count: (time.time_ns() // 1000, f'marker {count}'), ITS),
    'Session1.End': (SESSION, '', (), ITS),
    'QuantitySeries1.Insert': (SERIES, 'a(xxd)', lambda count: ([(START + count, START + count, 1.0)],), ITS),
    'QuantitySeries1.Finish': (SERIES, 'xa{sv}', (START + 9_000_000, {}), ITS),
    'QuantitySeries1.Discard': (SERIES, '', (), ITS),
    'HeartbeatSeries1.Add': (SERIES, 'a(xb)', lambda count: ([(900 * (count + 1), False)],), ITS),
    'HeartbeatSeries1.Finish': (SERIES, 'xa{sv}', (START + 9_000_000, {}), ITS),
    'HeartbeatSeries1.Discard': (SERIES, '', (), ITS),
    'Workouts1.Begin': (ROOT, 'a{sv}', (RUN,), SHARERS),
    'Workout1.BeginActivity': (WORKOUT, 'a{sv}', ({},), ITS),
    'Workout1.EndActivity': (WORKOUT, 'x', (0,), ITS),
    'Workout1.AddEvent': (WORKOUT, 'a{sv}', ({'type': ('s', 'marker')},), ITS),
    'Workout1.Pause': (WORKOUT, '', (), ITS),
    'Workout1.Resume': (WORKOUT, '', (), ITS),
    'Workout1.Collect': (WORKOUT, 'asas', (['stepCount'], []), ITS),
    # An owner's samples are its own and not the program's.
    'Workout1.AddSamples': (WORKOUT, 'aa{sv}', ([STEPS],), {**ITS, **owners_and('NotAuthorized', granted='some')}),
    'Workout1.AddMetadata': (WORKOUT, 'a{sv}', ({'title': ('s', 'lab')},), ITS),
    'Workout1.Statistics': (WORKOUT, 's', ('heartRate',), ITS),
    'Workout1.End': (WORKOUT, 'a{sv}', ({},), ITS),
    'Workout1.Discard': (WORKOUT, '', (), ITS),
}
# What has to be in a series before it can be finished.
FILLED = {'QuantitySeries1': ('Insert', 'a(xxd)', [(START, START, 1.0)]), 'HeartbeatSeries1': ('Add', 'a(xb)', [(900, False)])}
PROPERTIES = {
    'Manager1.Version': (ROOT, None),
    'Manager1.Recording': (ROOT, owners_and('true', granted='true', denied='false', undecided='false', revoked='false')),
    'Session1.Id': (SESSION, ITS), 'Session1.Sensor': (SESSION, its(STRAP)), 'Session1.Start': (SESSION, ITS),
    'Session1.State': (SESSION, its('open')), 'Session1.Uid': (SESSION, ITS), 'Session1.Application': (SESSION, its('org.example.Game')),
    'Workout1.Id': (WORKOUT, ITS), 'Workout1.Sensor': (WORKOUT, its('')), 'Workout1.Start': (WORKOUT, ITS), 'Workout1.State': (WORKOUT, its('running')),
    'Workout1.Elapsed': (WORKOUT, ITS), 'Workout1.Uid': (WORKOUT, ITS), 'Workout1.Application': (WORKOUT, its('org.example.Game')),
}
SIGNALS = {
    'Live1.Measurement': LIVE,
    'Live1.State': {**LIVE, 'revoked': 'stops'},
    'Live1.Event': all_of('none'),  # It takes ten minutes of a low rate.
    'Authorization1.Decided': {**all_of('none'), 'undecided': 'flows', 'revoked': 'flows'},
    'Grants1.Requested': {**all_of('none'), **owners_and('flows')},
    'HealthStore1.Changed': {**all_of('none'), **owners_and('flows', granted='flows')},
    'Workout1.Stored': {**all_of('none'), **owners_and('flows', granted='flows')},  # To its program, and to who ended it.
    'Workout1.Discarded': {**all_of('none'), 'granted': 'flows'},  # The same; no owner has ended one that was discarded.
}
# Every call must be refused, or mean the same, for who may not read; this asks more than the rows do.
PROBES = [
    *[(path, f'{NAME}.{member.split(".")[0]}', member.split('.')[1], signature, *(arguments(0) if callable(arguments) else arguments))
      for member, (path, signature, arguments, _) in CALLS.items() if member not in ('Authorization1.Identify', 'Authorization1.Request')],
    *[(path, 'org.freedesktop.DBus.Introspectable', 'Introspect') for path in ('/', '/org', ROOT, f'{ROOT}/session', f'{ROOT}/workout', SESSION, SERIES, WORKOUT)],
    *[(path, 'org.freedesktop.DBus.Properties', 'GetAll', 's', f'{NAME}.Manager1') for path in (ROOT, SESSION)],
    (ROOT, f'{NAME}.Live1', 'Subscribe', 'as', [STRAP]), (ROOT, f'{NAME}.Live1', 'Subscribe', 'as', ['C0:FF:EE:00:00:09']),
    *[(ROOT, f'{NAME}.HealthStore1', 'Query', 'sa{sv}', kind, {'type': ('s', 'heartRate')} if kind in ('quantities', 'statistics') else {})
      for kind in ('samples', 'quantities', 'statistics')],
    (ROOT, f'{NAME}.HealthStore1', 'Query', 'sa{sv}', 'heartbeats', {'sample': ('s', NOBODYS)}),
    (ROOT, f'{NAME}.Authorization1', 'Request', 'asas', ['heartRate'], TYPES),
]


def declared():
    """The members of the installed introspection data, of our own interfaces."""
    for interface in xml.parse('/job/dbus-1/org.sensord.xml').getroot():
        if interface.get('name').startswith(NAME):
            for member in interface: yield member.tag, f"{interface.get('name').rsplit('.', 1)[1]}.{member.get('name')}"


SHORT = {'UnknownMethod': 'no method', 'UnknownObject': 'no object', 'AccessDenied': 'refused', 'NotAuthorized': 'not allowed',
         'notDetermined': 'undecided', 'sharingAuthorized': 'authorized', 'sharingDenied': 'denied'}


def show(member, got, wanted):
    """A row of two lines: the owners, the programs."""
    for roles in (OWNERS, [role for role in ROLES if role not in OWNERS]):
        words = [SHORT.get(got[role], got[role])[:11] for role in roles]
        print(HEAD.format(member if roles is OWNERS else '', *words, *[''] * (4 - len(words))).rstrip())
    for role in ROLES: expect(got[role], wanted[role], f'{member}, {role}')


def probes(role):
    """What a role is answered, as bytes."""
    asking = person(role)
    answers = [(error, signature, body) for error, signature, body, _ in (asking.do('ask_at', *probe) for probe in PROBES)]
    heard = asking.do('hear', 5)
    asking.end()
    return answers + heard


def main():
    rows = {'method': CALLS, 'property': PROPERTIES, 'signal': SIGNALS}
    for kind, member in declared():
        if member not in rows[kind]: failures.append(f'the {kind} {member} has no row in clients.py')
    names = {(kind, member) for kind, member in declared()}
    for kind, members in rows.items():
        for member in members:
            if (kind, member) not in names: failures.append(f'{member} has a row and is not declared')

    # Without a recorder the bus would start it; where it is not enabled that fails, and soon.
    stranger = Person(1001, [1001])
    error = stranger.do('ask', f'{NAME}.Manager1', 'ListSensors')[0]
    expect((error or '').startswith('org.freedesktop.DBus.Error.'), True, 'without a recorder the bus answers with an error')
    stranger.end()

    recorder = Recorder('/tmp/clients', [STRAP])
    people = {role: person(role) for role in ROLES}
    owner = people['owner']
    def decide(role, allow):
        uid, _, application = ROLES[role]
        expect(owner.do('ask', f'{NAME}.Grants1', 'Decide', 'usasasba{sv}', uid, application, TYPES, TYPES, allow, {})[0], None, f'{role} is decided about')
    for role, allow in (('granted', True), ('revoked', True), ('denied', False)): decide(role, allow)
    for role in OWNERS: people[role].do('ask', f'{NAME}.Grants1', 'List')

    while word(owner.do('ask', 'org.freedesktop.DBus.Properties', 'Get', 'ss', f'{NAME}.Manager1', 'Recording')) != 'true': time.sleep(1)
    sleeper = person('granted')
    for each in (*people.values(), sleeper): expect(each.do('ask', f'{NAME}.Live1', 'Subscribe', 'as', [])[0], None, 'Subscribe')
    def hear(seconds):
        for each in people.values(): each.begin('hear', seconds)
        return {role: {f'{interface.rsplit(".", 1)[1]}.{member}' for interface, member, _ in each.result()} for role, each in people.items()}
    before = hear(5)
    uid, _, application = ROLES['revoked']
    owner.do('ask', f'{NAME}.Grants1', 'Revoke', 'usasasa{sv}', uid, application, [], [], {})
    # What was sent before the revocation was answered is here by now.
    people['revoked'].do('ask', f'{NAME}.Authorization1', 'Status', 's', 'heartRate')
    people['revoked'].do('hear', 0)
    os.kill(sleeper.pid, signal.SIGSTOP)

    # Nobody calls for a minute: who answers pings gets values all the time, whoever it is.
    after = [hear(30), hear(30), hear(5)]
    heard = {role: before[role].union(*(part[role] for part in after)) for role in ROLES}
    live = {'Live1.Measurement', 'Live1.State'}
    expect('Live1.Measurement' in after[2]['root'] and 'Live1.Measurement' in after[2]['granted'], True, 'values after a minute without calls')

    print(HEAD.format('', *OWNERS, '').rstrip()); print(HEAD.format('', *list(ROLES)[3:])); print('-' * 79)
    def made(interface):
        """The path of an object that the granted program has just made."""
        time.sleep(5 if interface == 'Session1' else 0)   # until the strap measures again
        member, signature, *arguments = MADE[interface]
        of, _, name = member.partition('.')
        error, _, _, values = people['granted'].do('ask', f'{NAME}.{of}', name, signature, *arguments)
        if error: sys.exit(f'{member}: {error}: {values}')
        if interface in FILLED: expect(people['granted'].do('ask_at', values[0], f'{NAME}.{interface}', *FILLED[interface])[0], None, f'{interface} is filled')
        return values[0]
    def end(path, interface):
        expect(people['granted'].do('ask_at', path, f'{NAME}.{interface}', *LEFT[interface])[0], None, f'the granted program ends its {interface}')

    def until_stored(workout):
        """`End` answers before the store has the workout, and until then it counts as one of its program's."""
        until = time.time() + 30
        while (answer := word(people['granted'].do('ask_at', workout, f'{NAME}.Workout1', 'Statistics', 's', 'heartRate'))) != 'UnknownObject':
            if time.time() > until: sys.exit(f'{workout} is not stored after 30 s: {answer}')
            time.sleep(.1)

    for member, (path, signature, arguments, wanted) in CALLS.items():
        interface, name = member.split('.')
        asked = {role: person(role) if member != 'Authorization1.Identify' else Person(*ROLES[role][:2]) for role in ROLES} if name == 'Identify' else people
        got = {}
        if name in ('BeginSession', 'BeginSessions'):   # one after the other: a sensor has one at a time
            for role, each in asked.items():
                answer = each.do('ask_at', path, f'{NAME}.{interface}', name, signature, *arguments)
                got[role] = word(answer)
                if answer[0]: continue
                begun = answer[3][0] if name == 'BeginSessions' else [answer[3][0]]
                ended = each.do('ask_at', path, f'{NAME}.{interface}', 'EndSessions', 'aoa{sv}', begun, {})
                expect((ended[0], len(ended[3][0])), (None, len(begun)), f'{role} ends its sessions')
        elif interface in MADE:                   # one after the other, each with an object that is there
            path = None
            for count, (role, each) in enumerate(asked.items()):
                if not path:
                    path = made(interface)
                    if ONCE.get(name): expect(people['granted'].do('ask_at', path, f'{NAME}.{interface}', *ONCE[name])[0], None, f'before {member}')
                got[role] = word(each.do('ask_at', path, f'{NAME}.{interface}', name, signature, *(arguments(count + 1) if callable(arguments) else arguments)))
                if name in ONCE and got[role] == 'ok': end(path, interface)
                if member == 'Workout1.End' and got[role] == 'ok': until_stored(path)
                if name in (*ENDS, *ONCE) and got[role] == 'ok': path = None
            if path and interface in LEFT: end(path, interface)
        else:
            for each in asked.values(): each.begin('ask_at', path, f'{NAME}.{interface}', name, signature, *arguments)
            got = {role: word(each.result()) for role, each in asked.items()}
        show(member, got, wanted)
        if name == 'Identify':
            for each in asked.values(): each.end()
    things = {interface: made(interface) for interface in LEFT}
    for member, (path, wanted) in PROPERTIES.items():
        interface, name = member.split('.')
        path = things.get(interface, path)
        got = {role: word(each.do('ask_at', path, 'org.freedesktop.DBus.Properties', 'Get', 'ss', f'{NAME}.{interface}', name)) for role, each in people.items()}
        show(member, got, wanted or all_of(got['owner']))
    for interface, path in things.items(): end(path, interface)
    # Those whose request was answered with notDetermined are told what is decided then.
    for role in ('undecided', 'revoked'): decide(role, False)
    owner.do('ask', f'{NAME}.HealthStore1', 'Save', 'aa{sv}', [STEPS])
    last = hear(2)
    for member, wanted in SIGNALS.items():
        got = {role: 'flows' if member in heard[role] | last[role] else 'none' for role in ROLES}
        if member in live: got['revoked'] = 'stops' if member in before['revoked'] and not any(member in part['revoked'] for part in after) else got['revoked']
        show(member, got, wanted)

    # A stopped subscriber: values ended after it owed an answer for 30 s, and go on with a hole when it goes on.
    os.kill(sleeper.pid, signal.SIGCONT)
    values = [values for _, member, values in sleeper.do('hear', 10) if member == 'Measurement']
    holes = [value[5]['missed'] for value in values if 'missed' in value[5]]
    expect(len(holes), 1, 'holes of a subscriber that was stopped')
    expect([b[1] - a[1] - 1 for a, b in zip(values, values[1:]) if b[1] - a[1] > 1], holes, 'numbers that it lacks')
    print(f'stopped for a minute and more: {len(values)} values, then a hole of {sum(holes)}')
    expect(people['owner'].do('ask', None, 'List')[0], 'org.freedesktop.DBus.Error.AccessDenied', 'a call without an interface')
    for each in (*people.values(), sleeper): each.end()

    # What a denied program is answered, while there is a session, then also with stored ones, and by a recorder that has nothing.
    open_session = probes('denied')
    expect(recorder.end(), 0, 'the recorder ends with')
    recorder = Recorder('/tmp/clients', [])
    time.sleep(15)
    stored = probes('denied')
    expect(recorder.end(), 0, 'the recorder ends with')
    empty = Recorder('/tmp/empty', [])
    # What it may save is told to it, so that has to be the same.
    owner = Person(900, [900])
    owner.do('ask', f'{NAME}.Grants1', 'Decide', 'usasasba{sv}', 1001, 'org.example.Denied', TYPES, TYPES, False, {})
    owner.end()
    nothing = probes('denied')
    expect(empty.end(), 0, 'the recorder ends with')
    for what, answers in (('while a session is open', open_session), ('with stored sessions', stored)):
        for probe, got, wanted in zip([*PROBES, 'signals'], answers, nothing): expect(got, wanted, f'denied, {what}: {probe}')
        expect(len(answers), len(nothing), f'denied, {what}: signals')
    print(f'denied: {len(PROBES)} answers compared with those of a recorder that has nothing, byte for byte')
    for failure in failures: print(f'differs: {failure}')
    print(f'clients: {"FAILED" if failures else "ok"}')
    return bool(failures)


sys.exit(main())
