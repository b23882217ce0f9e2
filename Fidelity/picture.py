"""Draws points over time as an SVG, without any library."""

from html import escape

import numpy as np

WIDTH, HEIGHT, LEFT, RIGHT, TOP = 1400, 300, 80, 40, 90
BETWEEN = 50
INK, PALE, EARLY = "#1f3b57", "#d9dee3", "#d1481f"


def _step(span, most):
    """A round distance of at most so many marks."""
    rough = max(span, 1e-9) / most
    power = 10 ** np.floor(np.log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough)


def _clock(second, span):
    minutes, seconds = divmod(round(second), 60)
    return f"{minutes // 60}:{minutes % 60:02}" + (f":{seconds:02}" if span < 7200 else "")


class Picture:
    """Panels one below the other with one axis of time, in seconds from the session's first value."""

    def __init__(self, begin, end, headline):
        self.begin, self.end = begin, max(end, begin + 1)
        self.parts, self.bottom = [], TOP
        for place, line in enumerate(headline):
            self._text(LEFT, 22 + 17 * place, line, weight="bold" if place == 0 else "normal")

    def _x(self, time):
        return LEFT + (WIDTH - LEFT - RIGHT) * (np.asarray(time) - self.begin) / (self.end - self.begin)

    def _text(self, x, y, text, anchor="start", colour="#222", weight="normal"):
        self.parts.append(
            f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}" font-weight="{weight}">{escape(text)}</text>')

    def _line(self, x1, y1, x2, y2, colour):
        self.parts.append(f'<path d="M{x1:.1f} {y1:.1f}L{x2:.1f} {y2:.1f}" stroke="{colour}" fill="none"/>')

    def _dots(self, x, y, colour, size):
        if len(x):
            path = "".join(f"M{a:.1f} {b:.1f}h0" for a, b in zip(x, y))
            self.parts.append(f'<path d="{path}" stroke="{colour}" stroke-width="{size}" stroke-linecap="round" fill="none"/>')

    def panel(self, title, time, value, marked, gaps):
        """Points, `marked` ones in another colour; `gaps` are (start, end, reason). What is far out stands at the edge."""
        top, bottom = self.bottom + 20, self.bottom + 20 + HEIGHT
        self.bottom = bottom + BETWEEN - 20
        usual = np.percentile(value, [0.5, 99.5]) if len(value) else np.array([0.0, 1.0])
        margin = max(0.3 * (usual[1] - usual[0]), 20)
        low, high = (max(usual[0] - margin, np.min(value, initial=usual[0]) - 5),
                     min(usual[1] + margin, np.max(value, initial=usual[1]) + 5))
        self._text(LEFT, top - 6, title)
        for start, end, _ in gaps:
            x1, x2 = self._x([start, end])
            self.parts.append(
                f'<rect x="{x1:.1f}" y="{top}" width="{max(x2 - x1, 1):.1f}" height="{HEIGHT}" fill="#f2c14e" opacity="0.5"/>')

        def y(values):
            return bottom - HEIGHT * (np.clip(values, low, high) - low) / (high - low)

        step = _step(high - low, 8)
        for mark in np.arange(np.ceil(low / step) * step, high, step):
            self._line(LEFT, y(mark), WIDTH - RIGHT, y(mark), PALE)
            self._text(LEFT - 6, y(mark) + 4, f"{round(mark, 6) + 0:g}", "end")
        seconds = next(
            (one for one in (10, 30, 60, 120, 300, 600, 1200, 3600, 7200) if one * 14 >= self.end - self.begin), 14400)
        for mark in np.arange(np.ceil(self.begin / seconds) * seconds, self.end, seconds):
            self._line(self._x(mark), top, self._x(mark), bottom, PALE)
            self._text(self._x(mark), bottom + 15, _clock(mark, self.end - self.begin), "middle")
        out = (value < low) | (value > high)
        for which, colour, size in ((~marked & ~out, INK, 3), (~marked & out, "#7b4fa3", 5), (marked, EARLY, 5)):
            self._dots(self._x(time[which]), y(value[which]), colour, size)
        # Words that would stand in each other go to the next line, as long as there is room.
        lines = [-np.inf] * 8
        for start, end, reason in gaps:
            x = float(self._x((start + end) / 2))
            line = next((place for place, last in enumerate(lines) if x - last > 7 * len(reason) + 8), None)
            if line is not None:
                self._text(x, top + 12 + 13 * line, reason, "middle", "#8a5a00")
                lines[line] = x

    def write(self, path):
        with open(path, "w", encoding="utf-8") as file:
            file.write(
                f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{self.bottom}" '
                f'viewBox="0 0 {WIDTH} {self.bottom}" font-family="sans-serif" font-size="12">\n'
                f'<rect width="100%" height="100%" fill="white"/>\n')
            file.write("\n".join(self.parts) + "\n</svg>\n")
