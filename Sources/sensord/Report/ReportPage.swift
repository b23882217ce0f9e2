import HealthModel
import Support

/// A recording as one page: HTML that needs nothing else, runs no program and is well-formed XML. The same recording gives the
/// same bytes.
struct ReportPage {
  /// A part of the page under a heading of its own.
  struct Section {
    var heading: String
    /// Markup.
    var content: String
  }

  var title: String
  /// The facts of the recording, each a label and a value; an empty label continues the one before.
  var facts: [(label: String, value: String)]
  var sections: [Section]
  /// The program's.
  var version: String

  /// The page.
  var text: String {
    let parts = sections.filter { !$0.content.isEmpty }.map {
      "<section>\n<h2>\(Markup.escaped($0.heading))</h2>\n\($0.content)</section>\n"
    }
    return """
      <!DOCTYPE html>
      <html xmlns="http://www.w3.org/1999/xhtml" lang="en">
      <head>
      <meta charset="utf-8"/>
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"/>
      <meta name="viewport" content="width=device-width, initial-scale=1"/>
      <meta name="color-scheme" content="light dark"/>
      <meta name="generator" content="sensord \(Markup.escaped(version))"/>
      <title>\(Markup.escaped(title))</title>
      <style>
      \(Self.style)
      </style>
      </head>
      <body>
      <main>
      <h1>\(Markup.escaped(title))</h1>
      \(Self.pattern)<table class="facts"><caption>What was recorded</caption>
      <tbody>
      \(rows)</tbody></table>
      \(parts.joined())</main>
      <footer><p>Made by sensord \(Markup.escaped(version)). This page has all that it needs: nothing is loaded from elsewhere. \
      Figures of heart rate variability are no diagnosis.</p></footer>
      </body>
      </html>

      """
  }

  private var rows: String {
    var rows: [(label: String, value: String)] = []
    for fact in facts where !fact.value.isEmpty {
      let value = Markup.escaped(fact.value)
      if fact.label.isEmpty, let last = rows.indices.last {
        rows[last].value += "<br/>" + value
      } else {
        rows.append((Markup.escaped(fact.label), value))
      }
    }
    return rows.map { "<tr><th scope=\"row\">\($0.label)</th><td>\($0.value)</td></tr>\n" }.joined()
  }

  /// The hatching of gaps, which needs no colour to be seen.
  private static let pattern = """
    <svg width="0" height="0" class="defs" aria-hidden="true"><defs>
    <pattern id="hatch" width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
    <rect width="6" height="6" class="hatch-ground"/><path d="M0 0v6" class="hatch-line"/></pattern></defs></svg>

    """

  /// Blue and vermillion of Okabe and Ito's palette, which people with any colour vision can tell apart; lighter in the dark.
  private static let light = """
    --paper:#fff;--ink:#1b1b1b;--soft:#555;--grid:#d8d8d8;--curve:#0072b2;--mark:#b34c00;--gap:#ececec;--hatch:#b5b5b5;--pause:#dfe9f2
    """
  private static let dark = """
    --paper:#15171a;--ink:#ececec;--soft:#b4b4b4;--grid:#3a3d42;--curve:#56b4e9;--mark:#f0a030;--gap:#2a2d31;--hatch:#6a6e74;--pause:#1f2c38
    """

  private static let style = """
    :root{color-scheme:light dark;\(light)}
    @media (prefers-color-scheme:dark){:root{\(dark)}}
    *{box-sizing:border-box}
    body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
    main,footer{max-width:62rem;margin:0 auto;padding:0 1rem}
    h1{font-size:1.6rem;line-height:1.25;overflow-wrap:anywhere}
    h2{font-size:1.2rem;margin-top:2rem}
    figure{margin:1rem 0}
    figure.square{max-width:30rem}
    figcaption,caption,footer{color:var(--soft);font-size:.9rem;text-align:left}
    svg{display:block;width:100%;height:auto;overflow:visible}
    svg.defs{position:absolute;width:0;height:0}
    svg text{fill:var(--soft);font-size:12px;font-family:inherit;paint-order:stroke;stroke:var(--paper);stroke-width:3px}
    .grid{stroke:var(--grid);fill:none}
    .curve{stroke:var(--curve);stroke-width:1.5;fill:none;stroke-linecap:round;stroke-linejoin:round}
    .level{stroke:var(--soft);stroke-dasharray:2 4;fill:none}
    .moment{stroke:var(--mark);stroke-dasharray:6 3;fill:none}
    .doubt{stroke:var(--mark);stroke-width:1;fill:none}
    .gap{fill:url(#hatch)}
    .hatch-ground{fill:var(--gap)}
    .hatch-line{stroke:var(--hatch);stroke-width:1.5}
    .pause{fill:var(--pause)}
    .pairs{stroke:var(--curve);stroke-width:2;fill:none}
    .few{opacity:.65}
    .some{opacity:.8}
    table{border-collapse:collapse;margin:1rem 0;max-width:100%;font-variant-numeric:tabular-nums}
    th,td{padding:.2rem .7rem .2rem 0;text-align:left;vertical-align:top;border-bottom:1px solid var(--grid);overflow-wrap:anywhere}
    th.n,td.n{text-align:right}
    .facts th{white-space:nowrap}
    summary{cursor:pointer;color:var(--soft)}
    @media (max-width:40rem){body{font-size:15px}table{display:block;overflow-x:auto}svg text{font-size:22px}.square svg text{font-size:15px}}
    @media print{
    :root{color-scheme:light;\(light)}
    @page{margin:15mm}
    body{font-size:10pt}
    main,footer{max-width:none;padding:0}
    figure,tr{break-inside:avoid}
    h2{break-after:avoid}
    figure.square{max-width:11cm}
    details{display:none}
    }
    """
}

/// Pieces of a page that is HTML and well-formed XML at once.
enum Markup {
  /// `text` as the content of an element or attribute: nothing in it is markup, and nothing steers the reader's browser.
  static func escaped(_ text: String) -> String {
    var result = ""
    for scalar in PrintableText.line(text).unicodeScalars {
      switch scalar {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      case "'": result += "&#39;"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }

  /// A coordinate, to a tenth of the smallest thing that is drawn.
  static func number(_ value: Double) -> String {
    let text = FixedPoint.text(value, digits: 1)
    return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
  }

  /// A picture that a screen reader can name and describe.
  static func picture(
    _ identifier: String, width: Double, height: Double, title: String, description: String, _ content: String
  ) -> String {
    """
    <svg viewBox="0 0 \(number(width)) \(number(height))" role="img" aria-labelledby="\(identifier)-t \(identifier)-d">
    <title id="\(identifier)-t">\(escaped(title))</title><desc id="\(identifier)-d">\(escaped(description))</desc>
    \(content)</svg>

    """
  }

  static func text(_ text: String, x: Double, y: Double, anchor: String = "middle") -> String {
    "<text x=\"\(number(x))\" y=\"\(number(y))\" text-anchor=\"\(anchor)\">\(escaped(text))</text>\n"
  }

  static func line(_ kind: String, _ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double) -> String {
    "<path class=\"\(kind)\" d=\"M\(number(x1)) \(number(y1))L\(number(x2)) \(number(y2))\"/>\n"
  }
}

extension TextTable {
  /// As a table of a page; a screen reader knows the heading of each cell.
  func markup(caption: String) -> String {
    func cell(_ text: String, _ column: Column) -> String {
      "<td\(column.alignment == .right ? " class=\"n\"" : "")>\(Markup.escaped(text))</td>"
    }
    let heading = columns.map {
      "<th scope=\"col\"\($0.alignment == .right ? " class=\"n\"" : "")>\(Markup.escaped($0.title))</th>"
    }
    let body = rows.map { row in "<tr>" + zip(row, columns).map { cell($0, $1) }.joined() + "</tr>\n" }
    return """
      <table><caption>\(Markup.escaped(caption))</caption>
      <thead><tr>\(heading.joined())</tr></thead>
      <tbody>
      \(body.joined())</tbody></table>

      """
  }
}
