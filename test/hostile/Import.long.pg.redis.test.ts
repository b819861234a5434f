/**
 * Import files made to occupy the service, as a process, because its memory and the waits of others are measured. The
 * answer says the fault and its place.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Api, startApiProcess } from "../support/Api.ts"
import type { ServiceProcess } from "../support/Process.ts"
import { named } from "../support/Client.ts"
import { Bystander, expectCalm } from "./Bystander.ts"
import {
  type ImportAttack,
  type Imported,
  full,
  goodRows,
  goodYaml,
  importAttacks,
  importSites,
  wrongRows
} from "./ImportAttacks.ts"

let api: Api<ServiceProcess>
let bystander: Bystander
let token: string

beforeAll(async () => {
  api = await startApiProcess({ IMPORTS_AT_ONCE: "2" })
  bystander = await Bystander.arrive(api)
  token = await api.newToken()
})
afterAll(async () => {
  await bystander.leave()
  await api.stop()
})

const send = (format: ImportAttack["format"], body: string) => importSites(api, token, format, body)

describe("an import, while others wait at most a second,", () => {
  test.each(importAttacks(full))("of $title is refused with the place", async ({ format, body, status, detail }) => {
    const text = body()
    let reply: Imported | undefined
    const seen = await bystander.during(async () => (reply = await send(format, text)))
    expect(reply).toMatchObject({ status, json: { detail: expect.stringMatching(detail) as string } })
    expectCalm(seen)
  })

  test("of 50,000 rows is written", { timeout: 600_000 }, async () => {
    let reply: Imported | undefined
    const seen = await bystander.during(async () => (reply = await send("csv", goodRows(50_000))))
    expect(reply).toMatchObject({ status: 200, json: { rows: 50_000, created: 50_000, errors: [] } })
    // Events leave in the order of commits: a change after the import waits for its 50,000 events.
    expectCalm(seen, "receipt")
  })

  test("with an error in each row reports the first thousand, and shortens long values", async () => {
    let reply: Imported | undefined
    const seen = await bystander.during(async () => (reply = await send("csv", wrongRows(5_000, 2_000))))
    expect(reply).toMatchObject({ status: 400, json: { rows: 5_000, created: 0 } })
    expect(reply!.json["errors"]).toHaveLength(1_000)
    expect(JSON.stringify(reply!.json).length).toBeLessThan(1_000_000)
    expectCalm(seen)
  })

  test("continues beside 19 others; those beyond the limit are asked to retry", async () => {
    let replies: ReadonlyArray<Imported> = []
    const seen = await bystander.during(async () => {
      replies = await Promise.all(Array.from({ length: 20 }, (_, n) => send("yaml", goodYaml(n, 5_000))))
    })
    const refused = replies.filter(({ status }) => status === 503)
    expect(replies.filter(({ status }) => status === 200).length).toBe(20 - refused.length)
    expect(refused.length).toBeGreaterThan(0)
    for (const { retryAfter } of refused) expect(Number(retryAfter)).toBeGreaterThan(0)
    expectCalm(seen)
    expect((await send("json", JSON.stringify([named("after the others")]))).status).toBe(200)
  })
})
