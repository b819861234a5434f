import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { html } from "../../src/console/Html.ts"
import { documentReply } from "../../src/console/frame/Document.ts"

describe("HTML", () => {
  it("escapes text in content and in attributes", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), (text) => {
        const { text: made } = html`<a title="${text}">${[text, html`<b>${text}</b>`]}</a>`
        const cells = /^<a title="([^"<>]*)">([^"<>]*)<b>([^"<>]*)<\/b><\/a>$/.exec(made)
        expect(cells).not.toBeNull()
      })
    )
    expect(html`${"<i>&'\""}`.text).toBe("&lt;i&gt;&amp;&#39;&quot;")
  })

  it("is not indented, but keeps the white space of texts that are put into it", () => {
    const made = html`<ul>
      <li>${"a\n    b"}</li>
    </ul>`
    expect(made.text).toBe("<ul>\n<li>a\n    b</li>\n</ul>")
  })

  it("of a page escapes the title", () => {
    expect(documentReply("</title>", html``).text!.content).toContain("<title>&lt;/title&gt; · Rackwire</title>")
  })
})
