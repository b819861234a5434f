/** Paths of the service and their public addresses. */
import { Effect, Stream } from "effect"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { html } from "../../src/console/Html.ts"
import { basePathOf, basePathProblem, inward, outward } from "../../src/http/publish/BasePath.ts"
import { routes } from "../../src/Service.ts"

const path = "/tools/rackwire"

describe("the path of BASE_URL", () => {
  it("is that of the address, without a slash at its end", () => {
    expect(basePathOf(undefined)).toBe("")
    expect(basePathOf("https://example.org")).toBe("")
    expect(basePathOf("https://example.org/tools/rackwire")).toBe(path)
    expect(basePathOf("https://example.org/tools/rackwire/")).toBe(path)
  })

  it("is refused where it has other characters, or is a path of the service", () => {
    for (const good of ["", path, "/r", "/a.b/~c_d-e"])
      expect([good, basePathProblem(good, routes)]).toEqual([good, undefined])
    for (const bad of ["/a%20b", "/a;b", "/a//b", "/a'b", "/a&b", "/a$&"])
      expect(basePathProblem(bad, routes)).toMatch(/^BASE_URL: its path is /)
    for (const own of ["/api", "/dcim/sites", "/static", "/user"])
      expect(basePathProblem(own, routes)).toMatch(/^BASE_URL: its path \S+ is one of the service's own/)
  })
})

describe("the target of a request", () => {
  it("is the same whether a proxy stripped the path or not", () => {
    for (const target of ["/", "/dcim/sites/?q=a", "/api/", "/?next=/tools/rackwire/"]) {
      expect(inward(target, path)).toBe(target)
      expect(inward(path + target, path)).toBe(target)
    }
    expect(inward(path, path)).toBe("")
    expect(inward(`${path}?a=1`, path)).toBe("?a=1")
  })

  it("that only begins alike stays as it is", () => {
    for (const target of ["/tools/rackwired/", "/tools/", "/x/tools/rackwire/"])
      expect(inward(target, path)).toBe(target)
    expect(inward("/dcim/", "")).toBe("/dcim/")
  })
})

describe("an answer", () => {
  const page = (content: string) => ({ status: 200, text: { type: "text/html", content } })

  it("has public addresses in its markup, its redirect and its cookies", () => {
    const { text } = html`<a href="/dcim/"><use href="/static/i.svg#a"></use></a>
      <form action="/login/"><button formaction="/a/" hx-post="/b/"></button><img src="/c" /></form>`
    expect(outward(page(text), path).text!.content.match(/"[^"]*"/g)).toEqual([
      ...[`"${path}/dcim/"`, `"${path}/static/i.svg#a"`, `"${path}/login/"`, `"${path}/a/"`, `"${path}/b/"`],
      `"${path}/c"`
    ])
    const moved = outward({ status: 302, headers: { location: "/login/?next=/dcim/", allow: "GET" } }, path)
    expect(moved.headers).toEqual({ location: `${path}/login/?next=/dcim/`, allow: "GET" })
    const cookies = [
      { name: "a", value: "1", options: { path: "/", httpOnly: true } },
      { name: "b", value: undefined, options: { path: "/user/" } }
    ]
    expect(outward({ status: 200, cookies }, path).cookies!.map(({ options }) => options)).toEqual([
      { path: `${path}/`, httpOnly: true },
      { path: `${path}/user/` }
    ])
  })

  it("keeps addresses of other hosts, queries, and places in the page", () => {
    const { text } = html`<a href="//b/"></a><a href="https://a/"></a><a href="?a=1"></a><a href="#b"></a
      ><a href=""></a>`
    expect(outward(page(text), path).text!.content).toBe(text)
    expect(outward({ status: 302, headers: { location: "https://a/" } }, path).headers).toEqual({
      location: "https://a/"
    })
  })

  it("keeps every text of a page", () => {
    fc.assert(
      fc.property(fc.constantFrom("href", "src", "action", "hx-get"), fc.string(), (name, rest) => {
        const { text } = html`<p title="${`${name}="/${rest}`}">${`${name}="/${rest}`}</p>`
        expect(outward(page(text), path).text!.content).toBe(text)
      })
    )
  })

  it("has public addresses in events", async () => {
    const event = `data: ${JSON.stringify({ rows: '<a\nhref="/dcim/1/">1</a>' })}\n\n`
    const reply = { status: 200, stream: { type: "text/event-stream", content: Stream.make(event) } }
    const [sent] = await Effect.runPromise(Stream.runCollect(outward(reply, path).stream!.content))
    expect(JSON.parse(sent!.slice("data: ".length))).toEqual({ rows: `<a\nhref="${path}/dcim/1/">1</a>` })
  })

  it("is the same object where there is no path", () => {
    const reply = page(`<a href="/">`)
    expect(outward(reply, "")).toBe(reply)
  })
})
