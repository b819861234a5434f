/** Markdown that people write becomes HTML of a few harmless elements, in bounded time. */
import { describe, expect, it } from "vitest"
import { markdown } from "../../src/console/value/Markdown.ts"

/** Attempts to run a script, to load a file, to change the page, or to imitate a part of it. */
const hostile = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "<svg/onload=alert(1)>",
  "<svg><a xlink:href='javascript:alert(1)'><text>x</text></a></svg>",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](&#106;avascript:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  "[x](vbscript:x)",
  "![x](javascript:alert(1))",
  "![x](https://example.com/pixel.png)",
  '[x](https://a.example/ "x" onmouseover=alert(1) x="")',
  "<a href='java\tscript:alert(1)'>x</a>",
  "<a href=//evil.example>x</a>",
  "<p hx-get=/logout/ hx-trigger=load>x</p>",
  "<hx-partial hx-target='body'>x</hx-partial>",
  "<iframe src=/>",
  "<form action=/dcim/sites/add/><input name=a><button>x</button></form>",
  "<p style='position:fixed' class=card id=main>x</p>",
  "<base href=//evil.example>",
  "<meta http-equiv=refresh content=0>",
  "<math><mtext><table><mglyph><style><!--</style><img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
  "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>",
  "```html\n<script>alert(1)</script>\n```",
  "`<img src=x onerror=alert(1)>`",
  "</div></main><h1>x</h1>",
  "<!--><img src=x onerror=alert(1)>-->",
  "<template><script>alert(1)</script></template>",
  "<textarea></textarea><script>alert(1)</script>",
  "<time datetime='x' title='y'>z UTC</time>"
]

const names = "div|p|br|hr|h3|blockquote|pre|ul|ol|li|table|thead|tbody|tr|th|td|a|b|strong|i|em|del|s|code|kbd|sub|sup"

describe("Markdown", () => {
  it("has headings of one level, lists, tables, code and links that name no referrer", () => {
    const text = "# A\n\n## B\n\n- [x] done\n\n|a|b|\n|-|-|\n|1|2|\n\n`c` ~~d~~ https://example.com/ [e](/dcim/sites/)"
    const { text: made } = markdown(text)
    expect(made.match(/<h\d>/g)).toEqual(["<h3>", "<h3>"])
    expect(made).toContain("☑ done")
    expect(made).toContain("<td>1</td>")
    expect(made).toContain("<code>c</code> <del>d</del>")
    expect(made).toContain('<a href="https://example.com/" rel="noreferrer noopener nofollow">')
    expect(made).toContain('<a href="/dcim/sites/"')
  })

  it("keeps no element or attribute beside those of texts", () => {
    const allowed = new RegExp(String.raw`^<(/?(${names})|br /|hr /)( (href|rel|start|class)="[^"<>]*")*>$`)
    for (const text of [...hostile, hostile.join("\n\n"), hostile.join(" "), `> ${hostile.join("\n> - ")}`]) {
      const made = markdown(text).text
      const tags = made.match(/<[^>]*>/g) ?? []
      expect(tags.filter((tag) => !allowed.test(tag))).toEqual([])
      expect(made.match(/class="(?!markdown links"|plain-text")/g)).toBeNull()
      const addresses = [...made.matchAll(/href="([^"]*)"/g)].map(([, href = ""]) => href)
      expect(addresses.filter((href) => !/^(https?:\/\/|mailto:|\/(?!\/)|[^:/]*$)/i.test(href))).toEqual([])
    }
  })

  it("shows a text that would take seconds as it is written", () => {
    const text = "***a* ".repeat(3400)
    expect(markdown(text).text).toBe(`<div class="plain-text">${text}</div>`)
    const quotes = `${">".repeat(15_000)} a`
    expect(markdown(quotes).text.length).toBeGreaterThan(0)
  })
})
