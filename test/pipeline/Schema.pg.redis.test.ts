/** Tables whose columns are altered while their changes are captured. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApi } from "../support/Api.ts"
import { named } from "../support/Client.ts"
import { type Receiver, startReceiver } from "../support/Receiver.ts"

let api: Api
let receiver: Receiver
const sql = (statement: string) => api.database.sql.query<Record<string, unknown>>(statement)

beforeAll(async () => {
  receiver = await startReceiver()
  api = await startApi()
  await api.call("POST", "/api/extras/webhooks/", {
    name: "tags",
    content_types: ["extras.tag"],
    type_create: true,
    type_update: true,
    type_delete: true,
    payload_url: `${receiver.url}/tags`
  })
})

afterAll(async () => {
  await api.stop()
  await receiver.close()
})

interface Body {
  readonly event: string
  readonly data: { readonly slug: string | null; readonly id: number; readonly description: string }
  readonly snapshots: { readonly prechange: unknown; readonly postchange: unknown }
}

const arrival = async (event: string, matches: (data: Body["data"]) => boolean): Promise<Body> => {
  const bodyOf = (bytes: Buffer) => JSON.parse(bytes.toString()) as Body
  const found = await receiver.until(({ body }) => bodyOf(body).event === event && matches(bodyOf(body).data), event)
  return bodyOf(found.body)
}

describe("a table whose columns change", () => {
  it("is still captured, with the columns of its declaration", async () => {
    await sql("insert into extras_tag (name, slug) values ('A', 'a')")
    await sql("alter table extras_tag add column legacy text default 'x'")
    await sql("insert into extras_tag (name, slug, legacy) values ('B', 'b', 'y')")
    await api.database.sql.transaction(
      "insert into extras_tag (name, slug) values ('C', 'c')",
      "alter table extras_tag add column late int",
      "insert into extras_tag (name, slug, late) values ('D', 'd', 1)",
      "alter table extras_tag drop column legacy",
      "update extras_tag set description = 'e' where slug = 'd'"
    )
    await sql("alter table extras_tag drop column late")
    await sql("alter table extras_tag alter column name type text")
    await sql("insert into extras_tag (name, slug) values ('E', 'e')")
    for (const slug of ["a", "b", "c", "d", "e"]) await arrival("created", (data) => data.slug === slug)
    expect((await arrival("created", ({ slug }) => slug === "d")).data.description).toBe("e")
  })
})

describe("a table that lost its replica identity full", () => {
  const identity = async () => {
    const [found] = await sql("select relreplident::text as is from pg_class where relname = 'extras_tag'")
    return found!["is"]
  }

  it("has changes without the state before, and is repaired, with a log message that names it", async () => {
    const { id } = (await api.call<{ id: number }>("POST", "/api/extras/tags/", named("Kept"))).json
    await api.database.sql.transaction(
      "alter table extras_tag replica identity default",
      `update extras_tag set description = 'unseen' where id = ${id}`
    )
    const { snapshots } = await arrival("updated", (data) => data.id === id)
    expect(snapshots).toMatchObject({ prechange: null, postchange: { description: "unseen" } })
    await api.database.sql.transaction(
      "alter table extras_tag replica identity default",
      `delete from extras_tag where id = ${id}`
    )
    expect((await arrival("deleted", (data) => data.id === id)).data.slug).toBeNull()
    await expect.poll(identity).toBe("f")
    const told = "extras_tag had lost its replica identity full and has it again"
    await expect.poll(api.service.output).toContain(told)
  })
})
