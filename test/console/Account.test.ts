import { describe, expect, it } from "vitest"
import { html } from "../../src/console/Html.ts"
import { agentName } from "../../src/console/account/Agent.ts"
import { inZone, timeOf } from "../../src/console/value/Time.ts"

describe("times", () => {
  const shown = (text: string, zone: string) => /">?\s*>?([^<>]+)<\/time/.exec(inZone(timeOf(text), zone).text)?.[1]

  it("are moved to a zone, in summer and in winter, and keep their exact time in UTC", () => {
    expect(shown("2026-07-01T22:30:15.123456Z", "Europe/Oslo")).toBe("2026-07-02 00:30 CEST")
    expect(shown("2026-12-01T22:30:15Z", "Europe/Oslo")).toBe("2026-12-01 23:30 CET")
    expect(inZone(timeOf("2026-12-01T22:30:15Z", "second"), "Asia/Kolkata").text).toContain(
      "2026-12-02 04:00:15 GMT+5:30"
    )
    expect(inZone(timeOf("2026-12-01T22:30:15Z"), "Asia/Tokyo").text).toContain('title="2026-12-01 22:30:15 UTC"')
  })

  it("stay as they are where they are none, or a text of somebody else", () => {
    for (const page of [timeOf("9999-99-99T00:00:00Z"), html`<p>${timeOf("2026-12-01T22:30:15Z").text}</p>`]) {
      expect(inZone(page, "Asia/Tokyo")).toEqual(page)
    }
  })
})

describe("a browser", () => {
  it("is named by what it is, though it names others as well", () => {
    const chrome =
      "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36"
    const phone =
      "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1"
    expect(agentName(chrome)).toBe("Chrome on Linux")
    expect(agentName(`${chrome} Edg/140.0.0.0`)).toBe("Edge on Linux")
    expect(agentName(phone)).toBe("Safari on iOS")
    expect(agentName("curl/8.5.0")).toBe("curl/8.5.0")
    expect(agentName("")).toBe("Unknown")
    expect(agentName("\u{1F600}".repeat(30)).isWellFormed()).toBe(true)
  })
})
