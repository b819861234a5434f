/** Values that a field does not take: refused with the name of the field, and nothing is changed. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"
import { type Existing, bodiesOf, isWritten, makeWorld, writeAny } from "../support/AnyObject.ts"
import { type Api, startApiAlone } from "../support/Api.ts"
import type { Json } from "../support/Client.ts"
import { hostile } from "../support/Hostile.ts"

interface Extent {
  readonly types: ReadonlyArray<ObjectType>
  /** The values that a field is tried with; the name tells the choices of fields apart. */
  readonly valuesOf: (values: ReadonlyArray<unknown>, name: string) => ReadonlyArray<unknown>
}

/** Declares the tests for these types and values. */
export const expectBadInputRefused = ({ types, valuesOf }: Extent): void => {
  let api: Api
  let existing: Existing

  beforeAll(async () => {
    api = await startApiAlone()
    existing = await makeWorld(api.call, 2)
  })
  afterAll(() => api.stop())

  const count = async (type: ObjectType) =>
    (await api.database.sql.query<{ readonly count: number }>(`select count(*)::int as count from ${type.table}`))[0]!
      .count

  /** The names that the body of a refusal speaks of. */
  const named = (errors: Json): ReadonlyArray<string> => Object.keys(errors)

  describe.each(types.map((type) => [type.id, type] as const))("a field of %s", (_, type) => {
    const fields = Object.keys(type.fields).filter((name) => isWritten(type.fields[name]!))

    it("is refused under its name if its value is wrong, and nothing of the list is stored", async () => {
      const usual =
        type.kind === "object"
          ? bodiesOf(type, existing, 77)
          : [
              {
                username: "somebody",
                password: "x7 and more",
                name: "some",
                user: await api.adminId(),
                object_types: ["dcim.site"],
                actions: ["view"]
              }
            ]
      const made = await writeAny(type, usual, (body) => api.call<Json>("POST", type.path, body))
      const [good] = [...usual]
      const before = await count(type)
      for (const name of fields) {
        const field = type.fields[name]!
        const values = valuesOf(hostile, `${type.id} ${name}`)
        const reply = await api.call<ReadonlyArray<Json>>("POST", type.path, [
          ...values.map((value) => ({ ...good, [name]: value })),
          "no object"
        ])
        expect([name, reply.status, reply.status === 400 ? "" : api.service.output().slice(-2000)]).toEqual([
          name,
          400,
          ""
        ])
        const refused = [...values.entries()].filter(([, value]) => "errors" in field.parse(value))
        for (const [at, value] of refused) {
          const shown = `${name} ${JSON.stringify(value).slice(0, 80)}`
          expect([shown, named(reply.json[at]!)]).toEqual([shown, expect.arrayContaining([name])])
        }
      }
      expect(await count(type)).toBe(before)
      expect(made.id).toBeGreaterThan(0)
    })

    // Accounts are left alone: one of them is who asks.
    if (type.kind !== "object") return
    it("leaves the service whole when an object gets what the field alone takes", async () => {
      const id = existing(type.id)[0]!
      for (const name of fields) {
        const taken = hostile.filter((value) => "value" in type.fields[name]!.parse(value))
        for (const value of valuesOf(taken, `${type.id} ${name}`)) {
          const { status } = await api.call("PATCH", `${type.path}${id}/`, { [name]: value })
          const shown = `${name} ${JSON.stringify(value).slice(0, 80)}`
          expect([shown, status >= 500 ? api.service.output().slice(-3000) : status]).toEqual([
            shown,
            expect.toBeOneOf([200, 400])
          ])
        }
      }
    })
  })

  describe("a list of new objects", () => {
    it.each(types.filter(({ kind }) => kind === "object").map((type) => [type.id, type] as const))(
      "of %s that repeat what must be unique is refused whole",
      async (_, type) => {
        const body = await accepted(type)
        const single = Object.entries(type.fields).filter(([name, field]) => field.unique && body[name] !== undefined)
        if (single.length === 0) return
        const before = await count(type)
        const again = Object.fromEntries(single.map(([name]) => [name, unlike(body[name])]))
        const fresh = { ...body, ...again }
        const reply = await api.call<ReadonlyArray<Json>>("POST", type.path, [fresh, fresh])
        expect(reply.status).toBe(400)
        expect(await count(type)).toBe(before)
      }
    )
  })

  /** A body that the type has taken. */
  const accepted = async (type: ObjectType): Promise<Json> => {
    let taken: Json = {}
    await writeAny(type, bodiesOf(type, existing, 79), async (body) => {
      const reply = await api.call<Json>("POST", type.path, body)
      if (reply.status === 201) taken = body
      return reply
    })
    return taken
  }

  /** Another value of the same kind. */
  const unlike = (value: unknown): unknown => (typeof value === "number" ? value + 1 : `${String(value)}-2`)
}
