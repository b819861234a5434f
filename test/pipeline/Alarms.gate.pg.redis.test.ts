/** Alarms as objects: each problem of the service is one, and webhooks fire for its begin and its end. */
import { describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { startDelivering } from "../deliver/Delivering.ts"
import { environmentOf } from "../support/Api.ts"
import { openBrowser } from "../auth/Browser.ts"
import type { Json, List } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { startService } from "../support/Service.ts"
import { thorough, thoroughly } from "../support/Seed.ts"

const pace = 0.1
const hooks = startDelivering({ pace })

/** Retries until a receiver is well again, without giving up. */
const patient = { retry_schedule: { kind: "fixed", delay: 1, attempts: 100 } }

const onAlarms = (name: string, fields: Json = {}) =>
  hooks.webhook(name, { content_types: ["extras.alarm"], type_update: true, conditions: null, ...patient, ...fields })

interface Alarm extends Json {
  readonly id: number
  readonly subject: string
  readonly message: string
  readonly ended: string | null
  readonly occurrences: number
}

/** The events at `/name`, each once, in their order. */
const toldAt = (name: string) => {
  const bodies = new Map(hooks.at(name).map(({ headers, body }) => [headers["x-hook-delivery"], body.toString()]))
  return [...bodies.values()].map((body) => JSON.parse(body) as { readonly event: string; readonly data: Alarm })
}

/** Waits for this many events about the subject at `/name`. */
const told = (name: string, subject: string, count: number) =>
  eventually(`${count} events about ${subject}`, () => {
    const found = toldAt(name).filter(({ data }) => data.subject === subject)
    return found.length >= count && found
  })

const alarms = async (query = ""): Promise<ReadonlyArray<Alarm>> =>
  (await hooks.api.call<List & { results: ReadonlyArray<Alarm> }>("GET", `/api/extras/alarms/?limit=0&${query}`)).json
    .results

const sql = <A extends object>(statement: string) => hooks.api.database.sql.query<A>(statement)

/** Makes a gap that has ended, and returns its id. */
const makeGap = async (reason: string): Promise<number> => {
  const [row] = await sql<{ id: number }>(
    `insert into rackwire_gap (cause, reason, since, until, from_position)
     values ('slot', '${reason}', now() - interval '1 minute', now(), 0) returning id::int as id`
  )
  return row!.id
}

const acknowledge = async (gap: number) => {
  const reply = await hooks.api.call("POST", `/api/core/capture/gaps/${gap}/acknowledge/`)
  expect(reply.status).toBe(200)
}

/** Events of tags that fail open the breaker. */
const tags = (name: string, count = 20) =>
  hooks.api.call(
    "POST",
    "/api/extras/tags/",
    Array.from({ length: count }, (_, n) => ({ name: `${name} ${n}`, slug: `${name}-${n}`.replaceAll(" ", "-") }))
  )

describe("a gap", () => {
  it("fires a webhook, and again when it is acknowledged; the API only reads it", async () => {
    await onAlarms("gaps", { conditions: { attr: "kind.value", value: "gap" } })
    const gap = await makeGap("a gap of the test")
    const subject = `gap ${gap}`
    const [begun] = await told("gaps", subject, 1)
    const message = expect.stringMatching(
      /^a gap in the captured changes, not acknowledged: .*a gap of the test$/
    ) as string
    expect(begun).toMatchObject({
      event: "created",
      data: { kind: { value: "gap", label: "Gap" }, webhook: null, message, ended: null, occurrences: 1 }
    })
    const path = `/api/extras/alarms/${begun!.data.id}/`
    for (const method of ["PUT", "PATCH", "DELETE"]) expect((await hooks.api.call(method, path)).status).toBe(405)
    expect((await hooks.api.call("POST", "/api/extras/alarms/", {})).status).toBe(405)
    await acknowledge(gap)
    const [, over] = await told("gaps", subject, 2)
    expect(over).toMatchObject({ event: "updated", data: { id: begun!.data.id, ended: expect.any(String) as string } })
    expect((await hooks.api.call<Alarm>("GET", path)).json.ended).toBe(over!.data.ended)
  })

  it("in which the alarms themselves were not captured is sent when they are again", async () => {
    await onAlarms("lost")
    await sql("alter publication rackwire drop table extras_alarm")
    const [gap] = await eventually("the gap", async () => {
      const found = await sql<{ id: number }>(
        "select id::int as id from rackwire_gap where acknowledged is null and reason like '%lacked extras_alarm%'"
      )
      return found.length > 0 && found
    })
    const [begun] = await told("lost", `gap ${gap!.id}`, 1)
    expect(begun!.data.message).toContain("lacked extras_alarm")
    await acknowledge(gap!.id)
    await told("lost", `gap ${gap!.id}`, 2)
  })
})

describe("a webhook that fails", () => {
  thorough("has one alarm until it is well, which others get and it does not", async () => {
    await onAlarms("others")
    const ailing = await onAlarms("ailing", { content_types: ["extras.alarm", "extras.tag"] })
    const subject = `webhook ${ailing}`
    hooks.answers.set("/ailing", 500)
    await tags("ailing")
    const [begun] = await told("others", subject, 1)
    expect(begun).toMatchObject({
      event: "created",
      data: { kind: { value: "webhook_failing" }, webhook: { id: ailing, name: "ailing" }, ended: null }
    })
    expect(begun!.data.message).toMatch(/^1 webhook is failing \(ailing\): /)
    hooks.answers.set("/ailing", 200)
    const [, over] = await told("others", subject, 2)
    expect(over).toMatchObject({ event: "updated", data: { id: begun!.data.id, ended: expect.any(String) as string } })
    await hooks.deliveries(ailing, "successful", 20)
    expect(toldAt("ailing").filter(({ data }) => data.subject === subject)).toEqual([])
    const query = `changed_object_type=extras.alarm&changed_object_id=${begun!.data.id}&ordering=-time`
    const changes = await hooks.api.call<List>("GET", `/api/extras/object-changes/?${query}`)
    const explained = `/api/extras/object-changes/${changes.json.results[0]!.id}/explain/?limit=0`
    const { json } = await hooks.api.call<{ results: ReadonlyArray<Json> }>("GET", explained)
    expect(json.results.find((each) => (each["webhook"] as Json)["id"] === ailing)).toMatchObject({ gate: "own" })
    // It fails again soon, so the same alarm lasts again.
    hooks.answers.set("/ailing", 503)
    await tags("ailing again", 60)
    const [, , again] = await told("others", subject, 3)
    expect(again).toMatchObject({ event: "updated", data: { id: begun!.data.id, ended: null, occurrences: 2 } })
    await hooks.api.call("DELETE", `/api/extras/webhooks/${ailing}/`)
  })

  it("has no alarm any more when it is deleted", async () => {
    await onAlarms("mourners")
    const deleted = await hooks.webhook("deleted", patient)
    hooks.answers.set("/deleted", 500)
    await tags("deleted")
    await told("mourners", `webhook ${deleted}`, 1)
    await hooks.api.call("DELETE", `/api/extras/webhooks/${deleted}/`)
    const [, over] = await told("mourners", `webhook ${deleted}`, 2)
    expect(over).toMatchObject({ event: "updated", data: { webhook: null, ended: expect.any(String) as string } })
  })
})

thoroughly("an alarm", () => {
  it("is written once by several processes, and lasts over their restarts", async () => {
    await onAlarms("once")
    const start = () => startService(environmentOf(hooks.api.database), { roles: ["deliver"], pace })
    const others = [await start(), await start()]
    const gap = await makeGap("seen by three")
    await told("once", `gap ${gap}`, 1)
    await Promise.all(others.map(({ stop }) => stop()))
    const later = await start()
    // A later alarm is behind whatever the restart could have written.
    const mark = await makeGap("after the restart")
    await told("once", `gap ${mark}`, 1)
    expect(await alarms(`subject=${encodeURIComponent(`gap ${gap}`)}`)).toMatchObject([{ ended: null, occurrences: 1 }])
    expect((await told("once", `gap ${gap}`, 1)).length).toBe(1)
    for (const each of [gap, mark]) await acknowledge(each)
    await told("once", `gap ${gap}`, 2)
    await later.stop()
  })

  it("about an outage of Postgres is written when it is over, and ends", async () => {
    await onAlarms("outages")
    // Each comparison fails without this table.
    await sql("alter table rackwire_gap rename to rackwire_gap_away")
    // So many that the problem has lasted for long enough.
    const failures = () => hooks.api.service.output().split("alarms were not compared").length - 1
    await eventually("failed comparisons", () => failures() >= 6)
    expect(await alarms("kind=database")).toEqual([])
    await sql("alter table rackwire_gap_away rename to rackwire_gap")
    const [begun] = await told("outages", "Database", 1)
    expect(begun!.data.message).toMatch(/^the database did not answer for \d+ s$/)
    const [, over] = await told("outages", "Database", 2)
    expect(over!.data.ended).not.toBeNull()
  })
})

describe("the console", () => {
  it("lists alarms and shows each, and has no forms for them", async () => {
    const gap = await makeGap("seen in the console")
    const [alarm] = await eventually("the alarm", async () => {
      const found = await alarms(`subject=${encodeURIComponent(`gap ${gap}`)}`)
      return found.length > 0 && found
    })
    await acknowledge(gap)
    const browser = openBrowser(hooks.api.service.url)
    await browser.logIn()
    const page = async (path: string) => {
      const reply = await browser.fetch(`/extras/alarms/${path}`, { headers: { accept: "text/html" } })
      return { status: reply.status, text: await reply.text() }
    }
    const [list, detail] = [await page(""), await page(`${alarm!.id}/`)]
    for (const { status, text } of [list, detail]) {
      expect(status).toBe(200)
      expect(text).toContain("seen in the console")
      expect(text).not.toMatch(/href="[^"]*\/alarms\/[^"]*(?:add|edit|delete|import)\//)
    }
    for (const path of ["add/", "import/", `${alarm!.id}/edit/`, `${alarm!.id}/delete/`]) {
      expect([path, (await page(path)).status]).toEqual([path, 404])
    }
  })
})

describe("alarms", () => {
  const view = { actions: ["view"] }

  it("are for users who may view them, and those that name webhooks for users who may view the webhooks", async () => {
    const [mine, hidden] = [await hooks.webhook("mine"), await hooks.webhook("hidden")]
    const insert = (kind: string, subject: string, webhook: number | null) =>
      `insert into extras_alarm (kind, subject, webhook_id, message, ended) values ('${kind}', '${subject}', ${webhook}, 'x', now())`
    const all = ["seen disk", "seen loop", "seen mine", "seen hidden", "seen deleted"]
    const users = {
      nobody: await makeUser(hooks.api, "nobody", { types: ["extras.webhook"], ...view }),
      general: await makeUser(hooks.api, "general", { types: ["extras.alarm"], ...view }),
      partial: await makeUser(
        hooks.api,
        "partial",
        { types: ["extras.alarm"], ...view },
        { types: ["extras.webhook"], ...view, constraints: { id: mine } }
      ),
      whole: await makeUser(hooks.api, "whole", { types: ["extras.alarm", "extras.webhook"], ...view })
    }
    for (const [name, { id }] of Object.entries(users)) await onAlarms(`scoped-${name}`, { scope_user: id })
    const webhookOfSubject: Readonly<Record<string, number>> = {
      "seen mine": mine,
      "seen hidden": hidden,
      "seen deleted": 999_999
    }
    const kindOfSubject: Readonly<Record<string, string>> = { "seen disk": "disk", "seen loop": "loop" }
    for (const subject of all) {
      await sql(insert(kindOfSubject[subject] ?? "webhook_failing", subject, webhookOfSubject[subject] ?? null))
    }
    const seenBy: Readonly<Record<string, ReadonlyArray<string>>> = {
      nobody: [],
      general: ["seen disk"],
      partial: ["seen disk", "seen mine"],
      whole: all
    }
    for (const subject of all) await told("scoped-whole", subject, 1)
    // Earlier alarms are decided when all have got this one.
    await sql(insert("disk", "later", null))
    for (const name of ["general", "partial", "whole"]) await told(`scoped-${name}`, "later", 1)
    const names = (found: ReadonlyArray<Alarm>) =>
      found
        .map(({ subject }) => subject)
        .filter((subject) => subject.startsWith("seen "))
        .toSorted()
    for (const [name, user] of Object.entries(users)) {
      const reply = await user.call("GET", "/api/extras/alarms/?limit=0")
      const listed = name === "nobody" ? 403 : 200
      expect([name, reply.status]).toEqual([name, listed])
      const seen = seenBy[name]!.toSorted()
      const results = (reply.json["results"] ?? []) as ReadonlyArray<Alarm>
      expect([name, ...names(results)]).toEqual([name, ...seen])
      // A webhook with their scope gets the same.
      const sent = names(toldAt(`scoped-${name}`).map(({ data }) => data))
      expect([name, ...sent]).toEqual([name, ...seen])
    }
  })
})
