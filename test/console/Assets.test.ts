/** The files that pages load. */
import { gunzipSync } from "node:zlib"
import { describe, expect, it } from "vitest"
import { assetUrl, serveAsset } from "../../src/console/Assets.ts"
import { namesIn } from "../../src/http/wire/Negotiation.ts"

const encodingFor = async (accepted: string) => (await serveAsset("app.js", "", namesIn(accepted)))!.headers

describe("a file of the console", () => {
  it("comes in an encoding that the browser accepts, and in none that it refuses", async () => {
    expect(await encodingFor("gzip, deflate, br")).toMatchObject({ "content-encoding": "br" })
    expect(await encodingFor("br;q=0, gzip;q=0.5")).toMatchObject({ "content-encoding": "gzip" })
    expect(await encodingFor("br;q=0.0,gzip;q=0")).not.toHaveProperty("content-encoding")
    expect(await encodingFor("")).not.toHaveProperty("content-encoding")
  })

  it("is kept for ever under the address of its content, and asked for again under any other", async () => {
    const digest = assetUrl("app.js").split("?v=")[1]!
    const [own, other] = [await serveAsset("app.js", digest, []), await serveAsset("app.js", "other", [])]
    expect(own!.headers["cache-control"]).toContain("immutable")
    expect(other!.headers["cache-control"]).toBe("no-cache")
  })

  it("holds all scripts of ours as one module, which imports nothing", async () => {
    const { content } = (await serveAsset("app.js", "", ["gzip"]))!
    const text = gunzipSync(content).toString("utf8")
    expect(text).not.toMatch(/^(import|export) /m)
    // Two scripts may use one name.
    expect(text.match(/^\{$/gm)!.length).toBeGreaterThan(5)
    for (const part of ["data-picker", "data-theme-toggle", "data-gauges", "htmx:before:swap"])
      expect(text).toContain(part)
  })
})
