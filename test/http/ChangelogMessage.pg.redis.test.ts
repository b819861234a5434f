/** The reason for a change, from the body of a write to the change log, conditions and templates. */
import { describe, expect, it } from "vitest"
import { startDelivering } from "../deliver/Delivering.ts"
import { type Json, named } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"

const hooks = startDelivering()

const sites = "/api/dcim/sites/"

/** The messages of the changes of a site's name, oldest first, once there are so many. */
const messages = (name: string, count: number) =>
  eventually(`${count} changes of ${name}`, async () => {
    const path = `/api/extras/object-changes/?object_repr=${encodeURIComponent(name)}&ordering=time`
    const { results } = (await hooks.api.call<{ results: ReadonlyArray<Json> }>("GET", path)).json
    return results.length >= count && results.map(({ message }) => message)
  })

const made = (name: string, fields: Json = {}) => hooks.api.make("dcim/sites", { ...named(name), ...fields })

describe("a changelog_message", () => {
  it("of a creation, an update and a deletion is kept with the change", async () => {
    const id = await made("One", { changelog_message: "made" })
    await hooks.api.call("PATCH", `${sites}${id}/`, { facility: "a", changelog_message: "moved" })
    await hooks.api.call("PUT", `${sites}${id}/`, { ...named("One"), facility: "b", changelog_message: "moved again" })
    await hooks.api.call("PATCH", `${sites}${id}/`, { facility: "c" })
    await hooks.api.call("DELETE", `${sites}${id}/`, { changelog_message: "closed" })
    expect(await messages("One", 5)).toEqual(["made", "moved", "moved again", "", "closed"])
  })

  it("of many objects is one for all", async () => {
    const bodies = ["Two", "Three"].map((name) => ({ ...named(name), changelog_message: "a batch" }))
    const { json } = await hooks.api.call<ReadonlyArray<{ id: number }>>("POST", sites, bodies)
    const items = json.map(({ id }, at) => ({
      id,
      facility: "x",
      ...(at === 0 && { changelog_message: "the first says it" })
    }))
    expect((await hooks.api.call("PATCH", sites, items)).status).toBe(200)
    const gone = json.map(({ id }) => ({ id, changelog_message: "all gone" }))
    expect((await hooks.api.call("DELETE", sites, gone)).status).toBe(204)
    const expected = ["a batch", "the first says it", "all gone"]
    expect([await messages("Two", 3), await messages("Three", 3)]).toEqual([expected, expected])
  })

  it("is refused where it is no text, too long, or not the same in one request; then nothing is written", async () => {
    const refused = async (body: unknown) => {
      const { status, json } = await hooks.api.call<Json>("POST", sites, body)
      return [status, json["changelog_message"]]
    }
    const four = named("Four")
    expect(await refused({ ...four, changelog_message: 5 })).toEqual([400, ["Not a valid string."]])
    expect(await refused({ ...four, changelog_message: "\ud800" })).toEqual([400, ["Not a valid string."]])
    expect(await refused({ ...four, changelog_message: "a\0b" })).toEqual([400, ["Not a valid string."]])
    expect(await refused({ ...four, changelog_message: "x".repeat(201) })).toEqual([
      400,
      ["Ensure this field has no more than 200 characters."]
    ])
    const different = [
      { ...four, changelog_message: "one" },
      { ...named("Five"), changelog_message: "another" }
    ]
    expect(await refused(different)).toEqual([400, ["The items of one request have one message together."]])
    expect((await hooks.api.call<{ count: number }>("GET", `${sites}?name=Four`)).json.count).toBe(0)
    expect(await made("Six", { changelog_message: null })).toBeGreaterThan(0)
    expect(await messages("Six", 1)).toEqual([""])
  })

  it("is set by plain SQL, cut to the same length", async () => {
    const { sql } = hooks.api.database
    await sql.transaction(
      "select rackwire_context('ann', null, 'by hand')::text",
      "insert into dcim_site (name, slug) values ('Seven', 'seven')"
    )
    await sql.transaction(
      `select rackwire_context('ann', gen_random_uuid(), repeat('x', 300))::text`,
      "update dcim_site set facility = 'x' where name = 'Seven'"
    )
    expect(await messages("Seven", 2)).toEqual(["by hand", "x".repeat(200)])
    await sql.transaction(
      "select rackwire_context('ann', null, repeat('🏢', 300))::text",
      "update dcim_site set facility = 'y' where name = 'Seven'"
    )
    expect((await messages("Seven", 3))[2]).toBe("🏢".repeat(200))
  })

  it("is what conditions and templates see", async () => {
    await hooks.webhook("reasons", {
      ...{ conditions: { attr: "context.message", op: "contains", value: "outage" } },
      body_template: `{"why": {{ message | tojson }}}`
    })
    await hooks.api.call("POST", "/api/extras/tags/", { ...named("reasons one"), changelog_message: "planned" })
    await hooks.api.call("POST", "/api/extras/tags/", { ...named("reasons two"), changelog_message: "the outage" })
    await hooks.arrived("reasons", 1)
    await hooks.tag("reasons three")
    await eventually("the last change is in the log", async () => {
      const path = "/api/extras/object-changes/?object_repr=reasons%20three"
      return (await hooks.api.call<{ count: number }>("GET", path)).json.count === 1
    })
    expect(hooks.at("reasons").map(({ body }) => body.toString())).toEqual([`{"why": "the outage"}`])
  })
})
