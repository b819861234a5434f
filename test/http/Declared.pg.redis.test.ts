/** Answers of the routes that declare them: the client of the tests compares each with its declaration. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { routes } from "../../src/Service.ts"
import { type Api, sharedApi } from "../support/Api.ts"

let api: Api

beforeAll(async () => {
  api = await sharedApi()
})
afterAll(() => api.stop())

/** Queries without which the request is refused. */
const queries: Readonly<Record<string, string>> = {
  "/api/extras/deliveries/retry/": "?status=failed",
  "/api/extras/deliveries/discard/": "?status=failed"
}

/** Paths that answer for an object which the query names. */
const ofAnObject = new Set(["/api/dcim/connected-device/"])

it("every declared GET without an id answers as declared", async () => {
  const paths = routes
    .filter(({ path, methods }) => methods.GET?.declared !== undefined && !path.includes(":") && !ofAnObject.has(path))
    .map(({ path }) => path)
  expect(paths).toEqual(expect.arrayContaining(["/api/status/", "/api/core/capture/", "/api/extras/journeys/"]))
  for (const path of paths) {
    const { status } = await api.call("GET", path + (queries[path] ?? ""))
    expect([path, status]).toEqual([path, 200])
  }
})

it("every refusal to find an object answers 404, as declared", async () => {
  const lost = routes.filter(({ path, methods }) => methods.GET?.declared !== undefined && path.includes(":id"))
  for (const { path } of lost) {
    const { status } = await api.call("GET", path.replace(":id", "999999"))
    expect([path, status]).toEqual([path, 404])
  }
})
