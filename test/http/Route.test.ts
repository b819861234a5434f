import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { type Route, makeRouter } from "../../src/http/Route.ts"

const route = (path: string): Route => ({ path, access: "open", methods: {} })

const found = (paths: ReadonlyArray<string>, path: string) => {
  const match = makeRouter(paths.map(route))(path)
  return match === undefined ? undefined : { path: match.route.path, params: match.params }
}

const paths = [
  "/",
  "/api/dcim/sites/",
  "/api/dcim/sites/:id/",
  "/api/extras/webhooks/render/",
  "/api/extras/webhooks/:id/",
  "/api/extras/webhooks/:id/test/",
  "/api/extras/:type/:id/logs/:attempt",
  "/health/live"
]

describe("a path", () => {
  test.each([
    ["/", "/", {}],
    ["/api/dcim/sites/", "/api/dcim/sites/", {}],
    ["/api/dcim/sites/5/", "/api/dcim/sites/:id/", { id: "5" }],
    ["/api/dcim/sites/%2F/", "/api/dcim/sites/:id/", { id: "%2F" }],
    ["/api/extras/webhooks/7/test/", "/api/extras/webhooks/:id/test/", { id: "7" }],
    [
      "/api/extras/deliveries/9/logs/2",
      "/api/extras/:type/:id/logs/:attempt",
      { type: "deliveries", id: "9", attempt: "2" }
    ],
    ["/health/live", "/health/live", {}]
  ])("finds its route and the values in it: %s", (path, route, params) => {
    expect(found(paths, path)).toEqual({ path: route, params })
  })

  test("prefers a literal segment to a parameter, whichever was declared first", () => {
    for (const order of [paths, paths.toReversed()]) {
      expect(found(order, "/api/extras/webhooks/render/")).toEqual({ path: "/api/extras/webhooks/render/", params: {} })
    }
  })

  test.each([
    "",
    "/api",
    "/api/dcim/sites",
    "/api/dcim/sites//",
    "/api/dcim/sites/5",
    "/api/dcim/sites/5/6/",
    "/api/DCIM/sites/",
    "//",
    "/health/live/",
    "/api/extras/webhooks//test/",
    "/__proto__/",
    "/constructor"
  ])("finds nothing that is not declared: %j", (path) => {
    expect(found(paths, path)).toBeUndefined()
  })

  test("finds its own route among any others", () => {
    const segment = fc.constantFrom("a", "b", ":x", "c")
    const declared = fc.uniqueArray(
      fc.array(segment, { minLength: 1, maxLength: 4 }).map((segments) => `/${segments.join("/")}/`),
      { maxLength: 8 }
    )
    fc.assert(
      fc.property(declared, (declared) => {
        const find = makeRouter(declared.map(route))
        for (const path of declared) {
          // A value that no literal segment equals leads to the route with the parameter itself.
          expect(find(path.replaceAll(":x", "value"))?.route.path).toBe(path)
        }
      })
    )
  })
})

describe("routes", () => {
  test("are refused when two have the same path", () => {
    expect(() => makeRouter([route("/a/"), route("/b/"), route("/a/")])).toThrow("two routes for /a/")
    expect(() => makeRouter([route("/a/:id/"), route("/a/:id/")])).toThrow("two routes for /a/:id/")
  })

  test("are refused when they name the same segment differently: one of them would not get its value", () => {
    expect(() => makeRouter([route("/a/:id/"), route("/a/:name/b/")])).toThrow(":id and :name")
    expect(() => makeRouter([route("/a/:id/"), route("/b/:name/")])).not.toThrow()
  })
})
