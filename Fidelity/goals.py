"""What sensord promises, and whether the figures keep it."""

from report import VARIABILITY_CLASS

# Median and 99th percentile of the beat time error, in milliseconds.
TIMES = {
    "clean": (5, 30), "indep-round": (5, 30), "h10": (5, 30), "art2": (5, 30),
    "contact": (10, 75), "contact-nobit": (10, 75), "link": (10, 75), "filler": (10, 75), "mixed": (10, 75),
    "batch4": (15, 110), "batch4-hold": (15, 110),
}
# Where times cannot be known that well, the stated uncertainty has to be honest, and no wider than need be.
UNCERTAIN = ("link-flap", "overflow", "mixed-bad")
COVERAGE_PERCENT = 95
WIDEST = 3
# Fewer beats than this in all short runs of a class say nothing of them.
FEWEST_SHORT = 100
# Per cent of the gaps of two beats and more that are found, by cause.
RECALL = {"link": 100, "contact": 100, "long": 100, "silent": 99}
FALSE_PER_100_HOURS = 1
# 95th percentile of the error of SDNN and RMSSD with 2 % missed and extra beats, in per cent.
VARIABILITY = {
    "rest": {"whole": (0.5, 0.5), "windows": (2, 2)},
    "exercise": {"whole": (1.5, 4), "windows": (2, 2)},
}


def _goal(what, figure, reached):
    return {"goal": what, "figure": figure, "reached": bool(reached)}


def _honest(what, one):
    inside, width = one["coveragePercent"], one["medianToPercentile95"]
    figure = f"{inside:.1f} %, {width:.2f}"
    promise = f"≥ {COVERAGE_PERCENT} % inside, ≤ {WIDEST} × p95"
    return _goal(f"{what}: {promise}", figure, inside >= COVERAGE_PERCENT and width <= WIDEST)


def judge(figures):
    """Every promise that the figures can speak of."""
    verdicts = []
    for name, one in figures["classes"].items():
        if name in TIMES:
            median, worst = TIMES[name]
            own, own_worst = one["medianMilliseconds"], one["percentile99Milliseconds"]
            verdicts.append(_goal(
                f"{name}: error ≤ {median} / {worst} ms", f"{own:.1f} / {own_worst:.1f}", own <= median and own_worst <= worst))
        if name in UNCERTAIN:
            verdicts.append(_honest(name, one["uncertainty"]))
        if one["shortRuns"] and one["shortRuns"]["beats"] >= FEWEST_SHORT:
            verdicts.append(_honest(f"{name}, short runs", one["shortRuns"]))
    for cause, percent in RECALL.items():
        entry = figures["gaps"].get(cause)
        if entry:
            own = 100 * entry["found"] / entry["gaps"]
            verdicts.append(_goal(f"gaps, {cause}: ≥ {percent} % found", f"{own:.2f} %", own >= percent))
    regular = figures["false"].get("sinusAndEarlyBeats")
    if regular:
        own = 100 * regular["falseGaps"] / regular["hours"]
        verdicts.append(_goal(
            f"false gaps: ≤ {FALSE_PER_100_HOURS} in 100 h", f"{regular['falseGaps']} in {regular['hours']:.0f} h",
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
        lines.append(f"{state}  {verdict['goal']:52}{verdict['figure']:>20}")
    return "\n".join(lines)
