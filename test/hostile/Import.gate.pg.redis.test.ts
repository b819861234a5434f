/** Import files made to occupy the service: parsed by a thread, written in slices, and refused with the place. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Api, startApiAlone } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { causesOf, sliceSteps } from "./Causes.ts"
import {
  type ImportAttack,
  goodRows,
  goodYaml,
  importAttacks,
  importSites,
  reduced,
  wrongRows
} from "./ImportAttacks.ts"
import { fewOf, thorough } from "../support/Seed.ts"

let api: Api
let token: string

beforeAll(async () => {
  api = await startApiAlone({ IMPORTS_AT_ONCE: "2" })
  token = await api.newToken()
})
afterAll(() => api.stop())

const send = (format: ImportAttack["format"], body: string, query = "") => importSites(api, token, format, body, query)

describe("an import", () => {
  test.each(fewOf(importAttacks(reduced), 4, "attacks"))(
    "of $title is parsed by a thread, overtaken by reads, and refused with the place",
    async ({ format, body, status, detail }) => {
      const text = body()
      const { answer, workers, besideThread } = await causesOf(api, () => send(format, text))
      expect(answer).toMatchObject({ status, json: { detail: expect.stringMatching(detail) as string } })
      expect(workers).toBe(1)
      expect(besideThread).toBeGreaterThan(0)
    }
  )

  test("at the limits of a cell and of a row's keys is parsed, and its values are refused by their fields", async () => {
    const cell = `name,slug\n${"x".repeat(1 << 20)},y`
    const long = await send("csv", cell)
    expect(long).toMatchObject({ status: 400, json: { rows: 1, errors: [{ row: 1 }] } })
    const keys = Object.fromEntries(Array.from({ length: 998 }, (_, n) => [`key${n}`, 1]))
    const wide = await send("json", JSON.stringify([{ ...named("Wide"), ...keys }]))
    expect(wide).toMatchObject({ status: 400, json: { rows: 1, errors: [{ errors: { key9: ["Unknown field."] } }] } })
    expect(Object.keys((wide.json["errors"] as ReadonlyArray<{ readonly errors: object }>)[0]!.errors)).toHaveLength(10)
  })

  test("is checked and written in slices, and overtaken by reads", async () => {
    const rows = 1_000
    const { answer, slices, overtaking } = await causesOf(api, () => send("csv", goodRows(rows)))
    expect(answer).toMatchObject({ status: 200, json: { rows, created: rows, errors: [] } })
    // The rows are made of cells, then each is checked.
    expect(slices).toBeGreaterThan((2 * rows) / sliceSteps)
    expect(overtaking).toBeGreaterThan(2)
  })

  thorough("with an error in each row reports the first thousand, and shortens long values", async () => {
    const { answer, slices } = await causesOf(api, () => send("csv", wrongRows(1_001, 600)))
    expect(answer).toMatchObject({ status: 400, json: { rows: 1_001, created: 0 } })
    expect(answer.json["errors"]).toHaveLength(1_000)
    expect(JSON.stringify(answer.json).length).toBeLessThan(1_000_000)
    expect(JSON.stringify(answer.json).includes("!".repeat(501))).toBe(false)
    expect(slices).toBeGreaterThan(1_001 / sliceSteps)
  })

  test("continues beside others; those beyond the limit are asked to retry", async () => {
    const replies = await Promise.all(Array.from({ length: 6 }, (_, n) => send("yaml", goodYaml(n, 200))))
    const refused = replies.filter(({ status }) => status === 503)
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(6 - refused.length)
    expect(refused.length).toBeGreaterThan(0)
    for (const { retryAfter } of refused) expect(Number(retryAfter)).toBeGreaterThan(0)
    expect((await send("json", JSON.stringify([named("after the others")]))).status).toBe(200)
  })
})
