"""Figures of many sessions, and the tables that show them."""

import numpy as np

import heart
import strap

# The class in which the variability is scored, with sessions of its own.
VARIABILITY_CLASS = "art2"


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
        "medianToPercentile95": _rounded(np.median(uncertainty) / max(np.percentile(error, 95), 1e-6), 2),
    }


def _times(results):
    error, uncertainty, short = (_join(results, key) for key in ("error", "uncertainty", "short"))
    return {
        "hours": _rounded(sum(result["seconds"] for result in results) / 3600),
        "beats": sum(result["beats"] for result in results),
        "medianMilliseconds": _rounded(1000 * np.median(error)),
        "percentile99Milliseconds": _rounded(1000 * np.percentile(error, 99)),
        "uncertainty": _uncertainty(error, uncertainty),
        "shortRuns": _uncertainty(error[short], uncertainty[short]),
    }


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


def figures(results):
    """All figures, ready for JSON."""
    classes, hearts = {}, {}
    for name in strap.CLASSES:
        own = [result for result in results if result["class"] == name]
        if not own:
            continue
        classes[name] = {**_times(own), "gaps": _recall(own)}
        if name == VARIABILITY_CLASS:
            classes[name]["variability"] = _variability(own)
        for rhythm in heart.HEARTS:
            some = [result for result in own if result["heart"] == rhythm]
            if some:
                error = 1000 * _join(some, "error")
                hearts.setdefault(name, {})[rhythm] = {
                    "medianMilliseconds": _rounded(np.median(error)),
                    "percentile99Milliseconds": _rounded(np.percentile(error, 99)),
                    "falseGaps": sum(len(result["false"]) for result in some),
                }
    groups = {
        "sinusAndEarlyBeats": [result for result in results if result["heart"] in heart.REGULAR],
        "pausesAndFibrillation": [result for result in results if result["heart"] in heart.IRREGULAR],
    }
    return {
        "classes": classes,
        "hearts": hearts,
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


def text(figures):
    """The tables, at most 80 columns wide."""
    lines = [
        "Beat times, all hearts; one constant latency per session taken out",
        "",
        f"{'':14}{'error, ms':>16}{'inside the':>14}{'width /':>9}{'runs under 120 beats':>26}",
        f"{'sensor class':14}{'median':>8}{'p99':>8}{'uncertainty':>14}{'p95':>9}{'beats':>9}{'inside':>9}{'width':>8}",
    ]
    for name, one in figures["classes"].items():
        every, short = one["uncertainty"], one["shortRuns"]
        line = f"{name:14}{one['medianMilliseconds']:8.1f}{one['percentile99Milliseconds']:8.1f}"
        line += f"{every['coveragePercent']:12.1f} %{every['medianToPercentile95']:9.2f}"
        if short:
            line += f"{short['beats']:9}{short['coveragePercent']:7.1f} %{short['medianToPercentile95']:8.2f}"
        lines.append(line)

    lines += ["", "The same by heart: median / p99 of the error in ms", ""]
    lines.append(f"{'sensor class':14}" + "".join(f"{rhythm:>11}" for rhythm in heart.HEARTS))
    for name, one in figures["hearts"].items():
        line = f"{name:14}"
        for rhythm in heart.HEARTS:
            entry = one.get(rhythm)
            cell = f"{entry['medianMilliseconds']:.0f}/{entry['percentile99Milliseconds']:.0f}" if entry else "–"
            line += f"{cell:>11}"
        lines.append(line)

    lines += ["", "Gaps of two beats and more that were found", ""]
    single = {}
    for cause, entry in sorted(figures["gaps"].items()):
        if cause.endswith("one beat"):
            single[cause] = entry
        else:
            lines.append(f"{cause:24}{entry['found']:7} of {entry['gaps']:6}{_percent(entry['found'], entry['gaps']):>10}")
    if single:
        found, gaps = (sum(entry[key] for entry in single.values()) for key in ("found", "gaps"))
        lines.append(f"{'one beat, for comparison':24}{found:7} of {gaps:6}{_percent(found, gaps):>10}")

    lines += ["", "Gaps where nothing was lost, and true pauses that were marked", ""]
    names = {"sinusAndEarlyBeats": "sinus, early beats", "pausesAndFibrillation": "pauses, fibrillation"}
    for group, one in figures["false"].items():
        reasons = ", ".join(f"{count} {reason}" for reason, count in sorted(one["byReason"].items()))
        line = f"{names[group]:22}{one['falseGaps']:4} false in {one['hours']:.1f} h"
        line += f" ({reasons})" if reasons else ""
        if one["pauses"]:
            line += f"; {one['pausesMarked']} of {one['pauses']} pauses"
        lines.append(line)

    rows = [
        (rhythm, part, entry)
        for one in figures["classes"].values()
        for rhythm, parts in one.get("variability", {}).items()
        for part, entry in parts.items()
    ]
    if rows:
        lines += ["", "Variability with 2 % missed and extra beats, error in %: median, p95", ""]
        for rhythm, part, entry in rows:
            sdnn, rmssd = entry["sdnnPercent"], entry["rmssdPercent"]
            what = "five minutes" if part == "windows" else "whole hours"
            lines.append(
                f"{rhythm:9}{entry['count']:5} {what:13} SDNN {sdnn['median']:6.2f} {sdnn['percentile95']:6.2f}"
                f"   RMSSD {rmssd['median']:6.2f} {rmssd['percentile95']:6.2f}"
            )
    return "\n".join(lines) + "\n"
