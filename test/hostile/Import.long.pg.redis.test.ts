/** Import files made to occupy the process: others must not notice, and the answer says what is wrong and where. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { type Api, startApiProcess } from "../support/Api.ts"
import type { ServiceProcess } from "../support/Process.ts"
import { type Json, named } from "../support/Client.ts"
import { Bystander, expectCalm } from "./Bystander.ts"

const sites = "/api/dcim/sites/import/"
const mebibyte = 1 << 20

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

const types = { csv: "text/csv", json: "application/json", yaml: "application/yaml" }

const send = async (format: keyof typeof types, body: string) => {
  const headers = { authorization: `Token ${token}`, "content-type": types[format] }
  const response = await fetch(api.service.url + sites, { method: "POST", headers, body })
  return {
    status: response.status,
    retryAfter: response.headers.get("retry-after"),
    json: (await response.json()) as Json
  }
}

const manyKeys = (count: number) => `- ${Array.from({ length: count }, (_, n) => `key${n}: 1`).join("\n  ")}\n`

describe("an import, while others wait at most a second,", () => {
  test.each<readonly [string, keyof typeof types, () => string, number, RegExp]>([
    ["of YAML with 70,000 keys in a row", "yaml", () => manyKeys(70_000), 413, /^Row 1 has 70000 keys/],
    ["of YAML with 1,000,000 keys in a row", "yaml", () => manyKeys(1_000_000), 413, /^Row 1 has \d+ characters/],
    ["of YAML in one line", "yaml", () => `[${"[],".repeat(4 * mebibyte)}]`, 413, /begins? with "- "/],
    ["of YAML full of small lists", "yaml", () => `- ${"[],".repeat(300_000)}`, 400, /cannot be read/],
    ["of YAML nested deeply", "yaml", () => `- ${"[".repeat(50_000)}`, 400, /cannot be read|nested/],
    ["of YAML with too many rows", "yaml", () => "- a\n".repeat(200_000), 413, /more than 100000 rows/],
    ["of JSON nested deeply", "json", () => `[${"[".repeat(8 * mebibyte)}`, 400, /^Row 1 is nested more than/],
    ["of JSON full of small lists", "json", () => `[${"[],".repeat(5 * mebibyte)}0]`, 413, /more than 100000 rows/],
    ["of JSON with a row of 15 MiB", "json", () => `["${"x".repeat(15 * mebibyte)}"]`, 413, /^Row 1 has/],
    ["of JSON that never ends", "json", () => `["${'\\"'.repeat(7 * mebibyte)}`, 400, /the list does not end/],
    ["of CSV with a cell of 15 MiB", "csv", () => `name,slug\n${"x".repeat(15 * mebibyte)},y`, 413, /^Line 2, cell 1/],
    ["of CSV with a quoted cell of 15 MiB", "csv", () => `name,slug\n"${'""'.repeat(7 * mebibyte)}",y`, 413, /cell 1/],
    ["of CSV full of commas", "csv", () => `name,slug\n${",".repeat(15 * mebibyte)}`, 400, /^Line 2 has more than/],
    ["of CSV with too many rows", "csv", () => `name,slug\n${"a,b\n".repeat(200_000)}`, 413, /more than 100000 rows/],
    ["of CSV with a wide header", "csv", () => `${"a,".repeat(7 * mebibyte)}a\n`, 400, /^Line 1 has more than/]
  ])("%s is refused with the place", async (_, format, body, status, detail) => {
    const text = body()
    let reply: Awaited<ReturnType<typeof send>> | undefined
    const seen = await bystander.during(async () => (reply = await send(format, text)))
    expect(reply).toMatchObject({ status, json: { detail: expect.stringMatching(detail) as string } })
    expectCalm(seen)
  })

  test("of 50,000 rows is written", { timeout: 600_000 }, async () => {
    const row = (n: number) => `Row ${n},row-${n},${"d".repeat(100)}\n`
    const rows = Array.from({ length: 50_000 }, (_, n) => row(n)).join("")
    let reply: Awaited<ReturnType<typeof send>> | undefined
    const seen = await bystander.during(async () => (reply = await send("csv", `name,slug,description\n${rows}`)))
    expect(reply).toMatchObject({ status: 200, json: { rows: 50_000, created: 50_000, errors: [] } })
    // Events leave in the order of commits: a change after the import waits for its 50,000 events.
    expectCalm(seen, "receipt")
  })

  test("with an error in each row reports the first thousand, and shortens long values", async () => {
    const rows = Array.from({ length: 5_000 }, (_, n) => `Wrong ${n},wrong-${n},${"!".repeat(2_000)}\n`).join("")
    let reply: Awaited<ReturnType<typeof send>> | undefined
    const seen = await bystander.during(async () => (reply = await send("csv", `name,slug,status\n${rows}`)))
    expect(reply).toMatchObject({ status: 400, json: { rows: 5_000, created: 0 } })
    expect(reply!.json["errors"]).toHaveLength(1_000)
    expect(JSON.stringify(reply!.json).length).toBeLessThan(1_000_000)
    expectCalm(seen)
  })

  test("continues beside 19 others; those beyond the limit are asked to retry", async () => {
    const body = (n: number) =>
      Array.from({ length: 5_000 }, (_, row) => `- name: Many ${n} ${row}\n  slug: many-${n}-${row}\n`).join("")
    let replies: ReadonlyArray<Awaited<ReturnType<typeof send>>> = []
    const seen = await bystander.during(async () => {
      replies = await Promise.all(Array.from({ length: 20 }, (_, n) => send("yaml", body(n))))
    })
    const refused = replies.filter(({ status }) => status === 503)
    expect(replies.filter(({ status }) => status === 200).length).toBe(20 - refused.length)
    expect(refused.length).toBeGreaterThan(0)
    for (const { retryAfter } of refused) expect(Number(retryAfter)).toBeGreaterThan(0)
    expectCalm(seen)
    expect((await send("json", JSON.stringify([named("after the others")]))).status).toBe(200)
  })
})
