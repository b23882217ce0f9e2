"""A real Chromium looks at the pages of a running hub as people do: small and large, dark and light, with the keyboard, with axe.

    browser.py PLACE LINK TOKEN [FOLDER]

LINK lets it in, once. Waits until the live page has shown a value, none, and a value again. Prints a line for each thing that it looked at,
figures too, and ends with 1 if one of them was wrong. Screenshots go to FOLDER.
"""
import sys
import time

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

PLACE, LINK, TOKEN = sys.argv[1:4]
FOLDER = sys.argv[4] if len(sys.argv) > 4 else None
# The second is a desktop's page at a zoom of 200 %.
SIZES, SCHEMES = ((360, 640), (640, 400), (1920, 1080), (3840, 2160)), ("light", "dark")
# Stands for "never".
PATIENCE = 120
# What night.py writes.
NIGHT = "0f6a1c52-9d1e-4a35-8c1b-2b8f5a7e9d15"
wrong = []


def check(what, is_right, why=""):
    print("ok" if is_right else "WRONG", what, "" if is_right else why, flush=True)
    if not is_right:
        wrong.append(what)


def wait_for(page, condition, argument=None):
    """Asks again and again: what playwright would do in the page, the page's own policy forbids."""
    end = time.monotonic() + PATIENCE
    while not page.evaluate(f"(argument) => {condition}", argument):
        if time.monotonic() > end:
            raise SystemExit(f"waited in vain for {condition}")
        time.sleep(0.05)


def look(page, name):
    """Every size in both schemes: nothing to scroll sideways, nothing that axe finds."""
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            check(f"{name} {scheme} {width}: nothing is wider than the window", wide == 0, f"{wide} px")
            if FOLDER and width < 3000:
                page.screenshot(path=f"{FOLDER}/{name}-{scheme}-{width}.png", full_page=True)
        found = Axe().run(page)
        text = "; ".join(f'{violation["id"]}: {violation["nodes"][0]["html"]}' for violation in found.response["violations"])
        check(f"{name} {scheme}: axe finds nothing", found.violations_count == 0, text)
    page.set_viewport_size({"width": 1280, "height": 800})


CONTROLS = """[...document.querySelectorAll("a[href], button, input, select, summary, [tabindex='0']")].filter((each) => each.checkVisibility())"""


def with_the_keyboard(page, name):
    """Tab reaches every control, and each shows that it has the focus."""
    controls = page.evaluate(f"{CONTROLS}.length")
    reached = set()
    page.evaluate("document.activeElement.blur()")
    for _ in range(controls + 1):
        page.keyboard.press("Tab")
        place = page.evaluate(f"""(() => {{
          const style = getComputedStyle(document.activeElement);
          const box = document.activeElement.getBoundingClientRect();
          const isSeen = style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2 && box.width > 0 && box.top >= 0 && box.top < innerHeight;
          return [{CONTROLS}.indexOf(document.activeElement), isSeen];
        }})()""")
        if place[0] >= 0 and place[1]:
            reached.add(place[0])
    check(f"{name}: Tab reaches each of {controls} controls, and it is seen", len(reached) == controls > 0, f"{sorted(reached)}")


def crossed(page):
    """How many gaps of the rate's curve are shaded, and how many of them a line crosses."""
    return page.evaluate("""(() => {
      const chart = document.querySelector(".chart.rates");
      const gaps = [...chart.querySelectorAll("rect.gap")].map((gap) => [+gap.getAttribute("x"), +gap.getAttribute("x") + +gap.getAttribute("width")]);
      const lines = chart.querySelector("path.trace").getAttribute("d").split("M").slice(1).map((line) => line.split("L").map((point) => parseFloat(point)));
      const crossed = gaps.filter(([start, end]) => lines.some((line) => line.some((x, index) =>
        index > 0 && line[index - 1] < (start + end) / 2 && x > (start + end) / 2)));
      return [gaps.length, crossed.length];
    })()""")


def start(chromium):
    context = chromium.new_context(color_scheme="light", viewport={"width": 1280, "height": 800})
    context.set_default_timeout(PATIENCE * 1000)
    page = context.new_page()
    # What a page tries to load from elsewhere, and what its policy refuses, is told on the console.
    page.on("console", lambda message: message.type == "error" and check("the console is silent", False, message.text))
    page.on("pageerror", lambda error: check("no script fails", False, str(error)))
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    return context, page, asked


with sync_playwright() as playwright:
    chromium = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--disable-dev-shm-usage"])
    context, page, asked = start(chromium)
    page.goto(LINK)
    check("the link leads to the page, and leaves its code behind", page.url == f"http://{PLACE}/", page.url)
    wait_for(page, "document.body.dataset.state === 'measuring' && document.querySelector('h1.sensor').textContent.startsWith('Strap') && document.querySelector('path.trace') && document.querySelectorAll('.chart.rates rect.gap').length === 0")
    check("live: the rate, and its zone in words", page.inner_text("#rate").isdigit() and page.inner_text(".zoneline").startswith(("Zone", "Below zone")), page.inner_text(".big"))
    print("sees a value", flush=True)
    wait_for(page, "document.body.dataset.state === 'linkLost'")
    check("live: a dash and the reason in words, without a value", page.inner_text("#rate") == "–" and page.inner_text(".zoneline").startswith("No signal for"), page.inner_text(".big"))
    wait_for(page, "document.querySelector('.chart.rates rect.gap')")
    print("sees none", flush=True)
    wait_for(page, "document.body.dataset.state === 'measuring' && document.querySelector('path.trace').getAttribute('d').split('M').length > 2")
    gaps, lines = crossed(page)
    check(f"live: {gaps} gap is shaded, and no line crosses it", gaps == 1 and lines == 0, f"{lines} lines")

    # A page that is opened later shows the same, from the session's beginning.
    late = context.new_page()
    late.goto(f"http://{PLACE}/")
    wait_for(late, "document.querySelector('path.trace')")
    seen = [each.evaluate("[document.querySelectorAll('.chart.rates rect.gap').length, document.querySelector('path.trace').getAttribute('d').split('M').length - 1, document.querySelector('.curve h2').textContent]")
            for each in (page, late)]
    check("live: opened late it has the same stretches, gaps and beginning", seen[0] == seen[1] and seen[0][1] >= 2, str(seen))
    late.close()
    look(page, "live")
    with_the_keyboard(page, "live")
    page.locator(".chart.rates").focus()
    for _ in range(3):
        page.keyboard.press("ArrowLeft")
    told = page.get_attribute(".chart.rates", "aria-valuetext")
    check("live: arrow keys move a cursor that is told in words", "bpm" in told or "no signal" in told, told)
    page.emulate_media(reduced_motion="reduce")
    check("live: nothing moves for who does not want that", page.evaluate("getComputedStyle(document.querySelector('.bar i')).transitionDuration") == "0s")
    page.emulate_media(reduced_motion="no-preference")

    # The hub stands still and says nothing: no number stays.
    print("sees all", flush=True)
    wait_for(page, "document.body.dataset.state === 'noHub'")
    check("live: a hub that hangs leaves no number behind", page.inner_text("#rate") == "–", page.inner_text(".big"))
    print("sees no hub", flush=True)
    wait_for(page, "document.body.dataset.state === 'measuring'")

    # The night: from the first byte of the page to the frame after its curve is there, by the browser's own clock.
    page.add_init_script("""
      addEventListener("DOMContentLoaded", () => new MutationObserver((_, observer) => {
        const path = document.querySelector(".chart.rates path.trace");
        if (!path || !path.getAttribute("d")) return;
        observer.disconnect();
        requestAnimationFrame(() => requestAnimationFrame(() => { window.drawn = performance.now(); }));
      }).observe(document.getElementById("main"), { childList: true, subtree: true }));""")
    page.goto(f"http://{PLACE}/recordings#{NIGHT}")
    wait_for(page, "window.drawn > 0")
    wait_for(page, "document.querySelector('details.measured')")
    print(f"figure: a recording of ten hours is drawn {page.evaluate('window.drawn'):.0f} ms after its page was asked for", flush=True)
    headline = page.inner_text(".headline")
    check("recordings: a sentence says how it was", headline.startswith("10 h at ") and " gaps of " in headline, headline)
    gaps, lines = crossed(page)
    check(f"recordings: {gaps} gaps are shaded, and no line crosses one", gaps >= 2 and lines == 0, f"{lines} lines")
    figures = page.inner_text(".beatcard .facts").split()
    check("recordings: variability has two significant digits, and the share of artefacts", "RMSSD" in figures and "Artefacts" in figures, str(figures))
    page.locator(".measured summary").click()
    look(page, "recording")
    with_the_keyboard(page, "recording")
    for control, change in (("+", "!=="), ("Home", "===")):
        whole = page.evaluate("window.path ??= document.querySelector('path.trace').getAttribute('d')") if control == "+" else whole
        page.locator(".chart.rates").focus()
        page.keyboard.press(control)
        check(f"recordings: {control} zooms by the keyboard", page.evaluate(f"document.querySelector('path.trace').getAttribute('d') {change} window.path"))
    page.locator(".back a").focus()
    page.keyboard.press("Enter")
    wait_for(page, "document.querySelectorAll('.rows a').length === 2 && document.querySelectorAll('.spark').length === 2")
    look(page, "recordings")
    with_the_keyboard(page, "recordings")
    page.locator(f".rows a:not([href='#{NIGHT}'])").focus()
    page.keyboard.press("Enter")
    wait_for(page, "document.querySelector('details.measured')")
    check("recordings: Enter opens another one", NIGHT not in page.url and "#" in page.url, page.url)
    page.locator(".measured summary").click()
    check("recordings: figures that a rule refuses have its reason", "not given: " in page.inner_text(".measured"), page.inner_text(".measured"))
    for target in ("workouts", "sleep"):
        page.goto(f"http://{PLACE}/{target}")
        wait_for(page, "document.querySelector('.hint code')")
        look(page, target)
    page.locator("nav a").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(f"http://{PLACE}/")
    check("the way back to the live page", True)

    # A stream's overlay is another program's: it has a token, and no cookie.
    context, overlay, asked_too = start(chromium)
    overlay.goto(f"http://{PLACE}/overlay?size=4rem&colour=red&token={TOKEN}")
    wait_for(overlay, "document.body.dataset.state === 'measuring'")
    look_at = overlay.evaluate("[getComputedStyle(document.querySelector('.rate')).color, getComputedStyle(document.querySelector('.rate')).fontSize, getComputedStyle(document.body).backgroundColor]")
    check("overlay: its colour and size, on nothing", look_at == ["rgb(255, 0, 0)", "64px", "rgba(0, 0, 0, 0)"], str(look_at))
    if FOLDER:
        overlay.set_viewport_size({"width": 360, "height": 160})
        overlay.screenshot(path=f"{FOLDER}/overlay.png")
    elsewhere = [url for url in asked + asked_too if not url.startswith(f"http://{PLACE}/")]
    check(f"none of {len(asked) + len(asked_too)} requests left this machine", not elsewhere, str(elsewhere))
    chromium.close()
sys.exit(bool(wrong))
