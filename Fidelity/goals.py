"""What sensord promises, and whether the figures keep it."""

from report import VARIABILITY_CLASS

# Median and 99th percentile of the beat time error, in milliseconds.
TIMES = {
    "clean": (5, 30), "indep-round": (5, 30), "h10": (5, 30), "art2": (5, 30),
    "contact": (10, 75), "contact-nobit": (10, 75), "link": (10, 75), "filler": (10, 75), "mixed": (10, 75),
    "batch4": (15, 110), "batch4-hold": (15, 110),
    "h10-real": (12, 45), "h10-phone": (5, 20), "surplus": (None, 150),
    "early-after-loss": (None, 150), "early-at-start": (None, 150), "bursts": (None, 200),
}
# Everywhere the stated uncertainty has to be honest, and no wider than need be: in units of the error's 95th percentile, or in
# milliseconds where times are known better than anybody has to.
COVERAGE_PERCENT = 95
WIDEST, WIDEST_MILLISECONDS = 2, 40
# Of the sessions whose clock's drift lies within two stated errors.
DRIFT_PERCENT = 95
# Nothing is ever lost silently in these: a beat that comes late or a packet that comes early is no step of the sensor's time.
WITHOUT_STEPS = ("h10-real", "h10-phone")
# What variability may be off by where a sensor has a habit.
HABIT_PERCENT = 5
# Fewer beats than this in all short runs of a class say nothing of them.
FEWEST_SHORT = 100
# Per cent of the gaps of two beats and more that are found, by cause.
RECALL = {"link": 100, "contact": 100, "long": 100, "silence": 100, "silent": 99}
FALSE_PER_100_HOURS = 1
# 95th percentile of the error of SDNN and RMSSD with 2 % missed and extra beats, in per cent.
VARIABILITY = {
    "rest": {"whole": (0.5, 0.5), "windows": (2, 2)},
    "exercise": {"whole": (1.5, 4), "windows": (2, 2)},
}


def _goal(what, figure, reached):
    return {"goal": what, "figure": figure, "reached": bool(reached)}


def _honest(what, one):
    inside, width, stated = (one[key] for key in ("coveragePercent", "medianToPercentile95", "medianMilliseconds"))
    figure = f"{inside:.1f} %, {width:.2f}, {stated:.0f} ms"
    promise = f"≥ {COVERAGE_PERCENT} %, ≤ {WIDEST} × p95 or {WIDEST_MILLISECONDS} ms"
    narrow = width <= WIDEST or stated <= WIDEST_MILLISECONDS
    return _goal(f"{what}: {promise}", figure, inside >= COVERAGE_PERCENT and narrow)


def _drift(what, one):
    inside = one["insidePercent"]
    return _goal(f"{what}: drift within 2 errors in ≥ {DRIFT_PERCENT} %", f"{inside:.1f} %", inside >= DRIFT_PERCENT)


def _times(name, one):
    (median, worst), own, own_worst = TIMES[name], one["medianMilliseconds"], one["percentile99Milliseconds"]
    if median is None:
        return _goal(f"{name}: error's p99 ≤ {worst} ms", f"{own_worst:.1f}", own_worst <= worst)
    return _goal(
        f"{name}: error ≤ {median} / {worst} ms", f"{own:.1f} / {own_worst:.1f}", own <= median and own_worst <= worst)


def _habit(name, one):
    off = one["greatestVariabilityErrorPercent"]
    return [
        _goal(f"{name}: told, always", f"{one['named']} of {one['sessions']}", one["named"] == one["sessions"]),
        _goal(f"{name}: variability within {HABIT_PERCENT} %", f"{off:.1f} %", off <= HABIT_PERCENT)]


def _beatless(name, one):
    if "told" in one:
        return _goal(
            f"{name}: told, no beats, no variability, always", f"{one['told']} of {one['sessions']}",
            one["told"] == one["sessions"])
    return _goal(
        f"{name}: each lost link a gap, and no other", f"{one['found']} of {one['lost']}, {one['otherGaps']} others",
        one["found"] == one["lost"] and not one["otherGaps"])


def judge(figures):
    """Every promise that the figures can speak of."""
    verdicts = []
    for name, one in figures["classes"].items():
        if name in TIMES:
            verdicts.append(_times(name, one))
        verdicts.append(_honest(name, one["uncertainty"]))
        if one["shortRuns"] and one["shortRuns"]["beats"] >= FEWEST_SHORT:
            verdicts.append(_honest(f"{name}, short", one["shortRuns"]))
        verdicts.append(_drift(name, one["drift"]))
        if "habit" in one:
            verdicts += _habit(name, one["habit"])
        if name in WITHOUT_STEPS:
            verdicts.append(_goal(f"{name}: no false step", f"{one['steps']}", not one["steps"]))
    if figures["drift"]:
        verdicts.append(_drift("all classes", figures["drift"]))
    verdicts += [_beatless(name, one) for name, one in figures["beatless"].items()]
    for cause, percent in RECALL.items():
        entry = figures["gaps"].get(cause)
        if entry:
            own = 100 * entry["found"] / entry["gaps"]
            verdicts.append(_goal(f"gaps, {cause}: ≥ {percent} % found", f"{own:.2f} %", own >= percent))
    for group, what in (("sinusAndEarlyBeats", "false gaps"), ("paced", "false gaps, paced")):
        one = figures["false"].get(group)
        if one:
            own = 100 * one["falseGaps"] / one["hours"]
            verdicts.append(_goal(
                f"{what}: ≤ {FALSE_PER_100_HOURS} in 100 h", f"{one['falseGaps']} in {one['hours']:.0f} h",
                own <= FALSE_PER_100_HOURS))
    variability = figures["classes"].get(VARIABILITY_CLASS, {}).get("variability", {})
    for rhythm, parts in variability.items():
        for part, (sdnn, rmssd) in VARIABILITY.get(rhythm, {}).items():
            if part in parts:
                own = [parts[part][key]["percentile95"] for key in ("sdnnPercent", "rmssdPercent")]
                what = "five minutes" if part == "windows" else "whole"
                verdicts.append(_goal(
                    f"2 % artefacts, {rhythm}, {what}: ≤ {sdnn} / {rmssd} %", f"{own[0]:.2f} / {own[1]:.2f} %",
                    own[0] <= sdnn and own[1] <= rmssd))
    return verdicts


def text(verdicts):
    lines = ["Promises", ""]
    for verdict in verdicts:
        state = "kept  " if verdict["reached"] else "MISSED"
        lines.append(f"{state} {verdict['goal']:52}{verdict['figure']:>21}")
    return "\n".join(lines)


def changes(before, after):
    """The promises that only one of two programs keeps."""
    states = {verdict["goal"]: verdict for verdict in before}
    lines = []
    for verdict in after:
        other = states.get(verdict["goal"])
        if other and other["reached"] != verdict["reached"]:
            state = "kept now" if verdict["reached"] else "MISSED now"
            lines += [verdict["goal"], f"    {state}: {other['figure']} → {verdict['figure']}"]
    return "\n".join(["Promises that only one of them keeps", "", *(lines or ["none"])]) + "\n"
