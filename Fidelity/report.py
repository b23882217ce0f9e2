"""Figures of many sessions, and the tables that show them."""

import numpy as np

import heart
from classes import CLASSES

# The class in which the variability is scored, with sessions of its own.
VARIABILITY_CLASS = "art2"
# A habit has to be told where it touches this share of the beats.
TOUCHED = 0.05
# Where the program states no error of the drift it took 0, believing the clock to be off by 120 ppm (standard deviation).
DRIFT_UNRESOLVED = 120


def _join(results, key):
    return np.concatenate([result[key] for result in results])


def _rounded(value, digits=1):
    return None if value is None else round(float(value), digits)


def _uncertainty(error, uncertainty):
    """How much of the beats lies inside the stated uncertainty, and how wide its median is next to the 95th percentile."""
    if not len(error):
        return None
    return {
        "beats": len(error),
        "coveragePercent": _rounded(100 * np.mean(error <= uncertainty), 2),
        "medianMilliseconds": _rounded(1000 * np.median(uncertainty)),
        "medianToPercentile95": _rounded(np.median(uncertainty) / max(np.percentile(error, 95), 1e-6), 2),
    }


def _times(results):
    error, uncertainty, short = (_join(results, key) for key in ("error", "uncertainty", "short"))
    return {
        "hours": _rounded(sum(result["seconds"] for result in results) / 3600),
        "beats": sum(result["beats"] for result in results),
        "medianMilliseconds": _rounded(1000 * np.median(error)),
        "percentile95Milliseconds": _rounded(1000 * np.percentile(error, 95)),
        "percentile99Milliseconds": _rounded(1000 * np.percentile(error, 99)),
        "uncertainty": _uncertainty(error, uncertainty),
        "shortRuns": _uncertainty(error[short], uncertainty[short]),
    }


def _drift(results):
    """How far the stated drift of the clock is from the true one, and whether within twice what is stated of that."""
    true, stated = (np.array([result["drift"][place] for result in results], float) for place in (0, 1))
    errors = [result["drift"][2] for result in results]
    resolved = np.array([error is not None for error in errors])
    error = np.array([DRIFT_UNRESOLVED if one is None else one for one in errors], float)
    off = np.abs(stated - true)
    # Short sessions that stand for an hour together count together as much as one.
    weight = np.array([1 / CLASSES[result["class"]].sessions for result in results])
    return {
        "sessions": len(results),
        "resolvedPercent": _rounded(100 * np.average(resolved, weights=weight)),
        "insidePercent": _rounded(100 * np.average(off <= 2 * error, weights=weight), 2),
        "medianErrorPpm": _rounded(np.median(off)),
        "percentile95ErrorPpm": _rounded(np.percentile(off, 95)),
        "medianStatedPpm": _rounded(np.median(error[resolved])) if resolved.any() else None,
    }


def _beatless(results):
    """Figures of sensors without true beats."""
    told = [result["told"] for result in results if "told" in result and result["told"]["touched"] >= TOUCHED]
    if told:
        whole = [one["named"] and one["storedBeats"] == 0 and one["refused"] for one in told]
        return {
            "sessions": len(told),
            "told": sum(whole),
            "named": sum(one["named"] for one in told),
            "storedBeats": sum(one["storedBeats"] for one in told),
            "refused": sum(one["refused"] for one in told),
        }
    links = [result["links"] for result in results]
    return {"sessions": len(links), **{key: sum(one[key] for one in links) for key in ("lost", "found", "otherGaps")}}


def _recall(results):
    total = {}
    for result in results:
        for cause, (count, found) in result["recall"].items():
            entry = total.setdefault(cause, {"gaps": 0, "found": 0})
            entry["gaps"] += count
            entry["found"] += found
    return total


def _false(results):
    by_reason = {}
    for result in results:
        for reason, _ in result["false"]:
            by_reason[reason] = by_reason.get(reason, 0) + 1
    return {
        "hours": _rounded(sum(result["seconds"] for result in results) / 3600),
        "falseGaps": sum(by_reason.values()),
        "byReason": by_reason,
        "pauses": sum(result["pauses"] for result in results),
        "pausesMarked": sum(result["pausesMarked"] for result in results),
    }


def _quantiles(values):
    return {"median": _rounded(np.median(values), 3), "percentile95": _rounded(np.percentile(values, 95), 3)}


def _variability(results):
    figures = {}
    for rhythm in ("rest", "exercise"):
        for part in ("whole", "windows"):
            own = [result[part] for result in results if result["heart"] == rhythm and part in result]
            if own:
                errors = 100 * np.abs(np.concatenate(own))
                figures.setdefault(rhythm, {})[part] = {
                    "count": len(errors),
                    "sdnnPercent": _quantiles(errors[:, 0]),
                    "rmssdPercent": _quantiles(errors[:, 1]),
                }
    return figures


def _without_latency(results):
    """The same with the size of each error, less the constant latency that nothing can know.

    It is each session's own, unless sessions are short: one that is misplaced as a whole would seem to be right.
    """
    scored = [result for result in results if "error" in result]
    common = {
        name: np.median([result["latency"] for result in scored if result["class"] == name])
        for name in {result["class"] for result in scored} if CLASSES[name].length}
    return [
        {**result, "error": np.abs(result["error"] - common.get(result["class"], result["latency"]))}
        if "error" in result else result for result in results]


def figures(results):
    """All figures, ready for JSON."""
    results = _without_latency(results)
    classes, hearts, beatless = {}, {}, {}
    for name, sensor in CLASSES.items():
        own = [result for result in results if result["class"] == name]
        if not own:
            continue
        if sensor.promise:
            beatless[name] = _beatless(own)
            continue
        classes[name] = {**_times(own), "drift": _drift(own), "gaps": _recall(own)}
        if sensor.habit:
            touched = [one["habit"] for one in own if one["habit"]["touched"] >= TOUCHED]
            classes[name]["habit"] = {
                "sessions": len(touched), "named": sum(one["named"] for one in touched),
                "greatestVariabilityErrorPercent": _rounded(100 * max((one["habit"]["off"] for one in own), default=0)),
            }
        classes[name]["steps"] = sum(result["steps"] for result in own)
        if name == VARIABILITY_CLASS:
            classes[name]["variability"] = _variability(own)
        for rhythm in heart.HEARTS + heart.PACED + heart.TWICE_A_SECOND:
            some = [result for result in own if result["heart"] == rhythm]
            if some:
                error = 1000 * _join(some, "error")
                hearts.setdefault(name, {})[rhythm] = {
                    "medianMilliseconds": _rounded(np.median(error)),
                    "percentile99Milliseconds": _rounded(np.percentile(error, 99)),
                    "falseGaps": sum(len(result["false"]) for result in some),
                }
    results = [result for result in results if "error" in result]
    groups = {
        "sinusAndEarlyBeats": [result for result in results if result["heart"] in heart.REGULAR],
        "pausesAndFibrillation": [result for result in results if result["heart"] in heart.IRREGULAR],
        "paced": [result for result in results if result["heart"] in heart.PACED + heart.TWICE_A_SECOND],
    }
    return {
        "classes": classes,
        "hearts": hearts,
        "beatless": beatless,
        "drift": _drift(results) if results else None,
        "gaps": _recall(results),
        "missed": [
            {"class": result["class"], "heart": result["heart"], "seed": result["seed"], "cause": cause,
             "second": _rounded(second), "beats": lost}
            for result in results for cause, second, lost in result["missed"]
        ],
        "false": {group: _false(some) for group, some in groups.items() if some},
    }


def _percent(part, whole):
    return f"{100 * part / whole:.1f} %" if whole else "–"


def _times_table(figures):
    lines = [
        "Beat times, all hearts; one constant latency per session (of short ones: per class) taken out",
        "",
        f"{'':16}{'error, ms':>21}{'uncertainty':>17}{'runs under 120 beats':>26}",
        f"{'sensor class':16}{'median':>7}{'p95':>7}{'p99':>7}{'inside':>9}{'width':>8}{'beats':>9}{'inside':>9}{'width':>8}",
    ]
    for name, one in figures["classes"].items():
        every, short = one["uncertainty"], one["shortRuns"]
        line = f"{name:16}{one['medianMilliseconds']:7.1f}{one['percentile95Milliseconds']:7.1f}"
        line += f"{one['percentile99Milliseconds']:7.1f}{every['coveragePercent']:7.1f} %{every['medianToPercentile95']:8.2f}"
        if short:
            line += f"{short['beats']:9}{short['coveragePercent']:7.1f} %{short['medianToPercentile95']:8.2f}"
        lines.append(line)
    return lines + ["", "width: what is stated at the median, in units of the error's p95"]


def _hearts_table(figures):
    lines = ["The same by heart: median / p99 of the error in ms", ""]
    lines.append(f"{'sensor class':16}" + "".join(f"{rhythm:>10}" for rhythm in heart.HEARTS))
    paced = []
    for name, one in figures["hearts"].items():
        cells = {
            rhythm: f"{entry['medianMilliseconds']:.0f}/{entry['percentile99Milliseconds']:.0f}" for rhythm, entry in one.items()}
        if any(rhythm in cells for rhythm in heart.HEARTS):
            lines.append(f"{name:16}" + "".join(f"{cells.get(rhythm, '–'):>10}" for rhythm in heart.HEARTS))
        else:
            paced.append(f"{name:16}" + "; ".join(f"{rhythm} with packets: {cell}" for rhythm, cell in cells.items()))
    return lines + paced


def _drift_table(figures):
    lines = ["Drift of the sensor's clock, in ppm", ""]
    lines.append(
        f"{'sensor class':16}{'sessions':>9}{'resolved':>10}{'in 2 errors':>13}{'error: median':>15}{'p95':>8}{'stated':>9}")
    for name, one in [*((name, one["drift"]) for name, one in figures["classes"].items()), ("all", figures["drift"])]:
        stated = "–" if one["medianStatedPpm"] is None else f"{one['medianStatedPpm']:.1f}"
        lines.append(
            f"{name:16}{one['sessions']:9}{one['resolvedPercent']:8.1f} %{one['insidePercent']:11.1f} %"
            f"{one['medianErrorPpm']:15.1f}{one['percentile95ErrorPpm']:8.1f}{stated:>9}")
    return lines


def _recall_table(figures):
    lines = ["Gaps of two beats and more that were found", ""]
    single = {}
    for cause, entry in sorted(figures["gaps"].items()):
        if cause.endswith("one beat"):
            single[cause] = entry
        else:
            lines.append(f"{cause:24}{entry['found']:7} of {entry['gaps']:6}{_percent(entry['found'], entry['gaps']):>10}")
    if single:
        found, gaps = (sum(entry[key] for entry in single.values()) for key in ("found", "gaps"))
        lines.append(f"{'one beat, for comparison':24}{found:7} of {gaps:6}{_percent(found, gaps):>10}")
    return lines


def _false_table(figures):
    lines = ["Gaps where nothing was lost, and true pauses that were marked", ""]
    names = {"sinusAndEarlyBeats": "sinus, early beats", "pausesAndFibrillation": "pauses, fibrillation", "paced": "paced"}
    for group, one in figures["false"].items():
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(one["byReason"].items()))
        line = f"{names[group]:22}{one['falseGaps']:4} false in {one['hours']:.1f} h"
        lines.append(line + (f" ({reasons})" if reasons else ""))
        if one["pauses"]:
            lines.append(f"{'':22}{one['pausesMarked']:4} of {one['pauses']} pauses marked")
    return lines


def _beatless_table(figures):
    lines = ["Sensors that send no true interval", ""]
    for name, one in figures["beatless"].items():
        if "told" in one:
            line = (
                f"told in {one['named']} of {one['sessions']} sessions, {one['storedBeats']} beats made of them, "
                f"variability refused in {one['refused']}")
        else:
            line = f"{one['found']} of {one['lost']} lost links are gaps in their place, {one['otherGaps']} other gaps"
        lines.append(f"{name:12}{line}")
    return lines


def _habits_table(classes):
    lines = ["Sensors with a habit that leaves beats", ""]
    for name, one in classes.items():
        own = one["habit"]
        lines.append(
            f"{name:14}told in {own['named']} of {own['sessions']} sessions; variability off by "
            f"{own['greatestVariabilityErrorPercent']:.1f} % at most")
    return lines


def _variability_table(rows):
    lines = ["Variability with 2 % missed and extra beats, error in %: median, p95", ""]
    for rhythm, part, entry in rows:
        sdnn, rmssd = entry["sdnnPercent"], entry["rmssdPercent"]
        what = "five minutes" if part == "windows" else "whole hours"
        lines.append(
            f"{rhythm:9}{entry['count']:5} {what:13} SDNN {sdnn['median']:6.2f} {sdnn['percentile95']:6.2f}"
            f"   RMSSD {rmssd['median']:6.2f} {rmssd['percentile95']:6.2f}"
        )
    return lines


def text(figures):
    """The tables, at most 80 columns wide."""
    tables = []
    if figures["classes"]:
        tables += [_times_table(figures), _hearts_table(figures), _drift_table(figures)]
        tables += [_recall_table(figures), _false_table(figures)]
    if figures["beatless"]:
        tables.append(_beatless_table(figures))
    habits = {name: one for name, one in figures["classes"].items() if "habit" in one}
    if habits:
        tables.append(_habits_table(habits))
    rows = [
        (rhythm, part, entry)
        for one in figures["classes"].values()
        for rhythm, parts in one.get("variability", {}).items()
        for part, entry in parts.items()
    ]
    if rows:
        tables.append(_variability_table(rows))
    return "\n\n".join("\n".join(table) for table in tables) + "\n"


def comparison(before, after):
    """What another program makes of the same captures, next to this one: at most 80 columns."""
    columns = (
        ("median, ms", lambda one: f"{one['medianMilliseconds']:.1f}"),
        ("p99, ms", lambda one: f"{one['percentile99Milliseconds']:.1f}"),
        ("inside, %", lambda one: f"{one['uncertainty']['coveragePercent']:.1f}"),
        ("width / p95", lambda one: f"{one['uncertainty']['medianToPercentile95']:.2f}"),
    )
    lines = [
        "Before and after, on the same captures",
        "",
        f"{'':16}" + "".join(f"{title:>16}" for title, _ in columns),
        f"{'sensor class':16}" + f"{'before':>8}{'after':>8}" * len(columns),
    ]
    for name in CLASSES:
        pair = [figures["classes"].get(name) for figures in (before, after)]
        if any(pair):
            cells = [figure(one) if one else "–" for _, figure in columns for one in pair]
            lines.append(f"{name:16}" + "".join(f"{cell:>8}" for cell in cells))
    return "\n".join(lines) + "\n"
