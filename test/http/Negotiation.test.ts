/** Clients that get a page for an answer of the API, by the header `Accept` alone. */
import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { prefersHtml } from "../../src/http/wire/Negotiation.ts"

describe("a client", () => {
  test.each([
    ["curl, requests, urllib, Go", "*/*"],
    ["pynetbox", "application/json"],
    ["httpie", "application/json, */*;q=0.5"],
    ["axios", "application/json, text/plain, */*"],
    ["jQuery", "application/json, text/javascript, */*; q=0.01"],
    ["an image of a page", "image/avif,image/webp,image/apng,image/svg+xml,image/*,*/*;q=0.8"],
    ["a client of texts", "text/*"],
    ["one without a type", ""],
    ["one that takes both alike", "text/html, application/json"],
    ["one that prefers JSON", "text/html;q=0.8, application/json;q=0.9"],
    ["one that would rather have anything else", "text/html;q=0.5, */*"],
    ["one that refuses HTML", "text/html;q=0, */*"],
    ["one whose wish is no number", "text/html;q=much, */*;q=0.1"]
  ])("that does not prefer HTML gets none: %s", (_, accept) => {
    expect(prefersHtml(accept)).toBe(false)
  })

  test.each([
    ["Chrome", "text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8"],
    ["Firefox", "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"],
    ["lynx", "text/html, text/plain, text/sgml, */*;q=0.01"],
    ["one that names HTML alone", "Text/HTML; charset=utf-8"],
    ["one that prefers HTML", "application/json;q=0.8, text/html;q=0.9"]
  ])("that prefers HTML gets it: %s", (_, accept) => {
    expect(prefersHtml(accept)).toBe(true)
  })
})

const quality = fc.option(fc.integer({ min: 0, max: 10 }))
const range = fc.record({
  type: fc.constantFrom("application/json", "application/*", "text/plain", "text/*", "image/png", "*/*", "text/html"),
  quality
})
const ranges = fc.uniqueArray(range, { selector: ({ type }) => type, maxLength: 7 })
const blank = fc.constantFrom("", " ", "  ")

const written = ({ type, quality }: { readonly type: string; readonly quality: number | null }, space: string) =>
  `${space}${type}${quality === null ? "" : `${space};${space}q=${quality / 10}`}`

describe("whatever a client accepts", () => {
  test("it gets no HTML unless it names HTML", () => {
    fc.assert(
      fc.property(ranges, blank, (all, space) => {
        const others = all.filter(({ type }) => type !== "text/html")
        expect(prefersHtml(others.map((each) => written(each, space)).join(","))).toBe(false)
      })
    )
  })

  test("it gets HTML only if it wants JSON less, and nothing else more, in any order", () => {
    const shuffled = ranges.chain((all) => fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }))
    fc.assert(
      fc.property(shuffled, blank, (all, space) => {
        const wanted = (...names: ReadonlyArray<string>) =>
          Math.max(0, ...all.filter(({ type }) => names.includes(type)).map(({ quality }) => quality ?? 10))
        const html = wanted("text/html")
        const isBest = html > wanted("application/json", "application/*") && html >= wanted("*/*")
        expect(prefersHtml(all.map((each) => written(each, space)).join(","))).toBe(isBest)
      })
    )
  })
})
