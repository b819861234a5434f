/** Parts of the pages of the API: JSON as people read it, and the request as a command. */
import { execFileSync } from "node:child_process"
import { Effect } from "effect"
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { curl } from "../../src/console/api/Curl.ts"
import { shownJson } from "../../src/console/api/Json.ts"
import { replaceTimeOf } from "../support/TimeOf.ts"
import { hostileJson } from "./HostileJson.ts"
import { thorough } from "../support/Seed.ts"

const shown = (value: unknown) => Effect.runPromise(shownJson(JSON.stringify(value)))

const signs: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', "#39": "'", amp: "&" }

/** The text of HTML that a reader sees. */
const textOf = (markup: string) =>
  markup.replaceAll(/<[^>]*>/g, "").replaceAll(/&(lt|gt|quot|#39|amp);/g, (_, name: string) => signs[name]!)

/**
 * Runs the work on a clock that advances by a millisecond with each reading, so that slices have the same number of
 * steps on every machine; returns the turns of the event loop that began meanwhile as well.
 */
const watched = async <A>(work: () => Promise<A>) => {
  let [isDone, turns, millis] = [false, 0, 0]
  const endTime = replaceTimeOf("/src/eventloop/Slices.ts", () => millis++)
  const count = () => {
    turns += 1
    if (!isDone) setImmediate(count)
  }
  setImmediate(count)
  try {
    return { result: await work(), turns }
  } finally {
    isDone = true
    endTime()
  }
}

describe("JSON on a page", () => {
  test("reads as the same JSON, indented, whatever stands in it", async () => {
    const markup = fc.constantFrom("<script>", "&lt;", `"><img src=x>`, "https://a.example/?b=<c>", "\\", "\u2028")
    const value = fc.oneof(fc.jsonValue(), fc.array(fc.dictionary(markup, fc.oneof(markup, fc.jsonValue()))))
    await fc.assert(
      fc.asyncProperty(value, async (json) => {
        const { html, isCut } = await shown(json)
        expect([textOf(html.text), isCut]).toEqual([JSON.stringify(json, undefined, 2), false])
        expect(html.text).not.toMatch(/<(?!\/?(span|a)\b)/)
      })
    )
  })

  test("links addresses of the web, and no others", async () => {
    const { html } = await shown([
      "https://a.example/x?y=1&z",
      "javascript:alert(1)",
      "http://[",
      "say https://b.example"
    ])
    expect([...html.text.matchAll(/href="([^"]*)"/g)].map(([, address]) => address)).toEqual([
      "https://a.example/x?y=1&amp;z"
    ])
  })

  thorough("is cut where it is long, and lets the event loop turn while it is made", async () => {
    for (const hostile of hostileJson) {
      const text = JSON.stringify(hostile)
      const { result, turns } = await watched(() => Effect.runPromise(shownJson(text)))
      const { html, isCut } = result
      expect(isCut).toBe(true)
      expect(html.text.length).toBeLessThan(5_000_000)
      // A slice has ten steps, and each word and sign in the HTML is a step.
      const words = html.text.match(/<span/g)!.length
      expect(turns).toBeGreaterThanOrEqual(Math.floor(words / 11))
    }
  })
})

describe("the command", () => {
  test("is the same request for a shell, whatever stands in it", () => {
    for (const text of ["it's", '$(id) `id` \\ "x"', "a\nb", "''"]) {
      const command = curl({ method: "POST", url: `http://host/?q=${text}`, content: text })
      const words = execFileSync("sh", ["-c", command.replace(/^curl/, "printf '%s\\0'")], { encoding: "utf8" })
      expect(words.split("\0")).toEqual([
        ...["-X", "POST", `http://host/?q=${text}`, "-H", "Authorization: Token ", "-H"],
        ...["Content-Type: application/json", "--data", text, ""]
      ])
    }
  })
})
