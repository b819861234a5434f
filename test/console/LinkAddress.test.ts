/** Addresses that templates of custom links made: none of them runs a script. */
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { linkAddress } from "../../src/console/link/LinkAddress.ts"

describe("the address of a custom link", () => {
  it.each([
    ["https://example.com/?site=a b&x=ü", "https://example.com/?site=a%20b&x=%C3%BC"],
    [" \n/dcim/sites/1/\t", "/dcim/sites/1/"],
    ["//example.com/x", "//example.com/x"],
    ["mailto:noc@example.com", "mailto:noc@example.com"],
    ["ssh://admin@r1", "ssh://admin@r1"],
    ["?q=java:script", "?q=java:script"],
    ["#a:b", "#a:b"],
    ["", ""]
  ])("of %j is %j", (rendered, address) => {
    expect(linkAddress(rendered)).toBe(address)
  })

  it.each([
    "javascript:alert(1)",
    " \u0001JaVaScRiPt:alert(1)",
    "data:text/html,<script>1</script>",
    "vbscript:x",
    "blob:x",
    "view-source:x",
    ":x"
  ])("of %j is refused, or has no scheme", (rendered) => {
    const address = linkAddress(rendered)
    expect(address === undefined || new URL(address, "https://host/").protocol === "https:").toBe(true)
  })

  it("never has a scheme that runs a script, however it is written", () => {
    const piece = fc.oneof(
      fc.constantFrom(
        "javascript",
        "JAVASCRIPT",
        "data",
        "java",
        "script",
        ":",
        "\n",
        "\t",
        "\0",
        " ",
        "\u00ad",
        "%0a",
        "&#58;",
        "//",
        "\\",
        "\ud800"
      ),
      fc.string({ unit: "binary", maxLength: 3 })
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const address = linkAddress(pieces.join("")) ?? ""
        expect(address).toMatch(/^[\x21-\x7e]*$/)
        expect(address).not.toMatch(/["'<>\\`]/)
        const protocol = URL.canParse(address) ? new URL(address).protocol : "none:"
        expect(protocol).not.toMatch(/^(javascript|data|vbscript|blob):$/)
      })
    )
  })
})
