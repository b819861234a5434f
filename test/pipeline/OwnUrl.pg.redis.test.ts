/** The address that URLs in events begin with, where the system picks the port. */
import { afterAll, beforeAll, expect, it } from "vitest"
import { type Api, environmentOf, startApi } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { startService } from "../support/Service.ts"
import { thorough } from "../support/Seed.ts"

let api: Api

beforeAll(async () => {
  api = await startApi()
})
afterAll(() => api.stop())

it("is the one where the service listens", async () => {
  const made = await api.call<{ url: string }>("POST", "/api/dcim/sites/", named("here"))
  const logged = await eventually("the change is logged", async () => {
    const [row] = await api.database.sql.query<{ readonly url: string }>(
      "select data ->> 'url' as url from extras_objectchange where data ->> 'slug' = 'here'"
    )
    return row
  })
  expect(logged.url).toBe(made.json.url)
  expect(logged.url).toContain(api.service.url)
})

it("cannot be known by a process that captures and has no API", async () => {
  const environment = { ...environmentOf(api.database), PORT: "0" }
  await expect(startService(environment, { roles: ["capture"] })).rejects.toThrow("BASE_URL")
})

thorough("is warned of where no BASE_URL is set and the service listens on every address", async () => {
  const warning = "BASE_URL is not set, so the URLs in events begin with http://0.0.0.0:"
  const open = await startApi({ HOST: "0.0.0.0" })
  expect(open.service.output()).toContain(warning)
  await open.stop()
  const known = await startApi({ HOST: "0.0.0.0", BASE_URL: "http://127.0.0.1:1" }, { roles: ["capture"] })
  expect(known.service.output()).not.toContain(warning)
  await known.stop()
})
