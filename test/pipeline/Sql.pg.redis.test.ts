/** Changes made with plain SQL, and what receivers get. */
import { createHmac } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { objectType } from "../../src/inventory/Registry.ts"
import { type Api, startApi } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { type Received, type Receiver, startReceiver } from "../support/Receiver.ts"

let api: Api
let receiver: Receiver

const secret = "sécret ☃"

beforeAll(async () => {
  receiver = await startReceiver()
  api = await startApi()
  await api.call("POST", "/api/extras/webhooks/", {
    name: "sites",
    content_types: ["dcim.site"],
    type_create: true,
    type_update: true,
    type_delete: true,
    payload_url: `${receiver.url}/sites`,
    secret
  })
})

afterAll(async () => {
  await api.stop()
  await receiver.close()
})

interface Body {
  readonly event: string
  readonly username: string
  readonly request_id: string
  readonly data: Readonly<Record<string, unknown>>
  readonly snapshots: Readonly<Record<"prechange" | "postchange", Readonly<Record<string, unknown>> | null>>
}

const bodyOf = (received: Received): Body => JSON.parse(received.body.toString()) as Body

const arrival = async (slug: string, event: string): Promise<Body> =>
  bodyOf(
    await receiver.until((one) => {
      const body = bodyOf(one)
      return body.event === event && body.data["slug"] === slug
    }, `${event} ${slug}`)
  )

describe("a change made with plain SQL", () => {
  it("is delivered and signed like one made by the API, without an author and with an id from its transaction", async () => {
    await api.database.sql.transaction(
      "insert into dcim_site (name, slug) values ('Plain 1', 'plain-1')",
      "insert into dcim_site (name, slug) values ('Plain 2', 'plain-2')"
    )
    const [first, second] = [await arrival("plain-1", "created"), await arrival("plain-2", "created")]
    expect(first.username).toBe("")
    expect(first.request_id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(second.request_id).toBe(first.request_id)
    await api.database.sql.query("insert into dcim_site (name, slug) values ('Plain 3', 'plain-3')")
    expect((await arrival("plain-3", "created")).request_id).not.toBe(first.request_id)
    for (const { headers, body } of receiver.received) {
      expect(headers["x-hook-signature"]).toBe(createHmac("sha512", secret).update(body).digest("hex"))
    }
  })

  it("carries the author and the request that rackwire_context names", async () => {
    const request = "0b0e7b1e-5f0a-4c39-9f2b-6d7b1a2c3d4e"
    await api.database.sql.transaction(
      `select rackwire_context('importer', '${request}')::text`,
      "insert into dcim_site (name, slug) values ('Signed', 'signed')"
    )
    expect(await arrival("signed", "created")).toMatchObject({ username: "importer", request_id: request })
  })

  it("shows the object as the API does", async () => {
    const region = await api.call<{ id: number }>("POST", "/api/dcim/regions/", named("Asia"))
    const tag = await api.call<{ id: number }>("POST", "/api/extras/tags/", named("Coastal"))
    await api.database.sql.query(
      `insert into dcim_site (name, slug, region_id, tags, latitude) values ('Osaka', 'osaka', ${region.json.id}, '{${tag.json.id}}', 34.69)`
    )
    const { data, snapshots } = await arrival("osaka", "created")
    // The numbers that the database counts for whoever reads are in no event.
    const counts = Object.keys(objectType("dcim.site").counts).join(",")
    const shown = await api.call<{ results: ReadonlyArray<unknown> }>(
      "GET",
      `/api/dcim/sites/?slug=osaka&omit=${counts}`
    )
    // In events the address of the service is the configured one, in answers that of the request.
    const withoutAddress = (json: unknown) =>
      JSON.parse(JSON.stringify(json).replaceAll(/http:\/\/[^/"]+/g, "")) as unknown
    expect(withoutAddress(data)).toEqual(withoutAddress(shown.json.results[0]))
    expect(snapshots).toMatchObject({
      prechange: null,
      postchange: { region: region.json.id, tags: ["Coastal"], status: "active", latitude: "34.690000" }
    })
  })

  it("is one event per object and transaction, from the first state to the last", async () => {
    await api.database.sql.transaction(
      "insert into dcim_site (name, slug) values ('Fold', 'fold')",
      "update dcim_site set description = 'a' where slug = 'fold'",
      "insert into dcim_site (name, slug) values ('Gone', 'gone')",
      "delete from dcim_site where slug = 'gone'"
    )
    expect((await arrival("fold", "created")).data["description"]).toBe("a")
    await api.database.sql.transaction(
      "update dcim_site set description = 'b' where slug = 'fold'",
      "update dcim_site set description = 'c' where slug = 'fold'"
    )
    const { snapshots } = await arrival("fold", "updated")
    expect([snapshots.prechange?.["description"], snapshots.postchange?.["description"]]).toEqual(["a", "c"])
    expect(receiver.received.some((one) => bodyOf(one).data["slug"] === "gone")).toBe(false)
  })

  it("by a cascade is captured too: a site whose region is deleted is updated", async () => {
    const region = await api.call<{ id: number }>("POST", "/api/dcim/regions/", named("Atlantis"))
    await api.call("POST", "/api/dcim/sites/", { ...named("Sunken"), region: region.json.id })
    await arrival("sunken", "created")
    await api.call("DELETE", `/api/dcim/regions/${region.json.id}/`)
    const { snapshots, username } = await arrival("sunken", "updated")
    expect([snapshots.prechange?.["region"], snapshots.postchange?.["region"], username]).toEqual([
      region.json.id,
      null,
      "admin"
    ])
  })

  it("that is rolled back leaves no trace", async () => {
    await expect(
      api.database.sql.transaction("insert into dcim_site (name, slug) values ('Never', 'never')", "select 1 / 0")
    ).rejects.toThrow("division by zero")
    await api.database.sql.query("insert into dcim_site (name, slug) values ('After', 'after')")
    await arrival("after", "created")
    expect(receiver.received.some((one) => bodyOf(one).data["slug"] === "never")).toBe(false)
    const logged = await api.call<{ count: number }>("GET", "/api/extras/object-changes/?object_repr=Never")
    expect(logged.json.count).toBe(0)
  })

  it("cannot change the id of an object", async () => {
    await expect(api.database.sql.query("update dcim_site set id = id + 1000")).rejects.toThrow("cannot change")
  })

  it("cannot be a TRUNCATE, which would not be captured", async () => {
    await expect(api.database.sql.query("truncate dcim_site cascade")).rejects.toThrow("would go unseen")
  })
})

describe("a webhook", () => {
  it("receives changes from its own position in the WAL on", async () => {
    const hook = (name: string) =>
      `insert into extras_webhook (name, content_types, type_create, payload_url) values ('${name}', '{extras.tag}', true, '${receiver.url}/${name}')`
    await api.database.sql.transaction(
      "insert into extras_tag (name, slug) values ('Before', 'before')",
      hook("ordered"),
      "insert into extras_tag (name, slug) values ('Behind', 'behind')",
      "update extras_webhook set enabled = false where name = 'ordered'",
      "update extras_webhook set enabled = true where name = 'ordered'"
    )
    await api.database.sql.query("insert into extras_tag (name, slug) values ('Last', 'last')")
    await receiver.until((one) => one.path === "/ordered" && bodyOf(one).data["slug"] === "last")
    const slugs = receiver.received.filter((one) => one.path === "/ordered").map((one) => bodyOf(one).data["slug"])
    // The webhook's changes fold to one at their end, after both tags of its transaction.
    expect(slugs).toEqual(["last"])
  })
})
