/** Past events sent again, over the API and from the command line. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, environmentOf, startApi } from "../support/Api.ts"
import type { Json } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { type Received, type Receiver, startReceiver } from "../support/Receiver.ts"
import { runCommand } from "../support/Command.ts"

let api: Api
let receiver: Receiver

beforeAll(async () => {
  receiver = await startReceiver()
  api = await startApi()
  await api.database.sql.query(
    "insert into dcim_site (name, slug) select 'Past ' || n, 'past-' || n from generate_series(1, 1200) n"
  )
  await api.database.sql.query("update dcim_site set status = 'planned' where slug like 'past-1%'")
  await eventually("an update is in the change log", async () => {
    const changes = await api.call<{ count: number }>("GET", "/api/extras/object-changes/?action=update&limit=1")
    return changes.json.count > 0
  })
})

afterAll(async () => {
  await api.stop()
  await receiver.close()
})

const webhook = async (name: string, fields: Json): Promise<number> => {
  return api.make("extras/webhooks", {
    name,
    content_types: ["dcim.site"],
    payload_url: `${receiver.url}/${name}`,
    ...fields
  })
}

interface Replay {
  readonly id: number
  readonly status: { readonly value: string }
  readonly total: number
  readonly seen: number
  readonly matched: number
}

/** The replay, once it has ended. */
const done = (id: number): Promise<Replay> =>
  eventually(`replay ${id} has ended`, async () => {
    const { json } = await api.call<Replay>("GET", `/api/extras/replays/${id}/`)
    return ["done", "failed"].includes(json.status.value) && json
  })

const at = (path: string) => receiver.received.filter((one) => one.path === `/${path}`)
const slugOf = ({ body }: Received) =>
  (JSON.parse(body.toString()) as { readonly data: { readonly slug: string } }).data.slug

describe("a replay", () => {
  it("counts what it would send when it is a dry run, and sends nothing", async () => {
    const id = await webhook("dry", { type_update: true })
    const asked = await api.call<Replay>("POST", `/api/extras/webhooks/${id}/replay/`, {
      since: "2020-01-01T00:00Z",
      dry_run: true
    })
    expect(asked.status).toBe(202)
    const planned = Array.from({ length: 1200 }, (_, n) => `past-${n + 1}`).filter((slug) => slug.startsWith("past-1"))
    expect(await done(asked.json.id)).toMatchObject({ matched: planned.length, status: { value: "done" } })
    const deliveries = await api.call<{ count: number }>("GET", `/api/extras/deliveries/?webhook_id=${id}`)
    expect([at("dry"), deliveries.json.count]).toEqual([[], 0])
  })

  it("sends what the current condition accepts, under ids of its own, each once", async () => {
    const id = await webhook("again", {
      type_create: true,
      conditions: { attr: "slug", op: "regex", value: "past-11.*" }
    })
    const expected = Array.from({ length: 1200 }, (_, n) => `past-${n + 1}`).filter((slug) =>
      slug.startsWith("past-11")
    )
    for (const turn of [1, 2]) {
      const asked = await api.call<Replay>("POST", `/api/extras/webhooks/${id}/replay/`, { since: "2020-01-01T00:00Z" })
      expect((await done(asked.json.id)).matched).toBe(expected.length)
      await receiver.untilAll(() => at("again").length === expected.length * turn)
    }
    expect(new Set(at("again").map(slugOf))).toEqual(new Set(expected))
    expect(new Set(at("again").map(({ headers }) => headers["x-hook-delivery"])).size).toBe(expected.length * 2)
    expect(at("again").every(({ headers }) => headers["x-hook-attempt"] === "1")).toBe(true)
  })

  it("over a span without events is done at once, and wrong times are refused with the field", async () => {
    const id = await webhook("span", { type_create: true })
    const empty = { since: "2020-01-01T00:00Z", until: "2020-01-02T00:00Z" }
    const asked = await api.call<Replay>("POST", `/api/extras/webhooks/${id}/replay/`, empty)
    expect(await done(asked.json.id)).toMatchObject({ total: 0, seen: 0, matched: 0 })
    const wrong = await api.call("POST", `/api/extras/webhooks/${id}/replay/`, { until: "yesterday" })
    expect([wrong.status, Object.keys(wrong.json)]).toEqual([400, ["since", "until"]])
  })

  it("can be asked for from the command line, which shows its progress", async () => {
    await webhook("line", { type_update: true })
    const args = ["replay", "--webhook", "line", "--since", "2020-01-01", "--dry-run"]
    const { output } = await runCommand(args, { env: environmentOf(api.database) })
    expect(output).toMatch(/^done: (\d+) of \1 events, \d+ would be sent$/m)
  })
})
