import fc from "fast-check"
import { describe, expect, test } from "vitest"
import { everything } from "../../src/inventory/derive/filter/Where.ts"
import { orderBy } from "../../src/inventory/derive/table/Order.ts"
import { objectType, registry } from "../../src/inventory/Registry.ts"
import { pageQuery } from "../../src/inventory/read/Read.ts"
import { runs } from "../support/Seed.ts"

const site = objectType("dcim.site")
const delivery = objectType("extras.delivery")

describe("the order of a list", () => {
  test("is by the given fields, then by id in the direction of the last one", () => {
    expect(orderBy(site, ["name"])).toBe("t.name collate rackwire_natural, t.id")
    expect(orderBy(site, ["status", "-name"])).toBe("t.status, t.name collate rackwire_natural desc, t.id desc")
    expect(orderBy(site, ["region"])).toBe("t.region_id, t.id")
  })

  test("may be by id alone", () => {
    expect([orderBy(site, ["id"]), orderBy(site, ["-id"])]).toEqual(["t.id, t.id", "t.id desc, t.id desc"])
  })

  test("is the default of the type if no known field is given", () => {
    expect(orderBy(site, [])).toBe("t.name collate rackwire_natural, t.id")
    expect(orderBy(delivery, ["", "nope", "--time"])).toBe("t.time desc, t.id desc")
  })

  test("is never by fields that are not shown or have no order", () => {
    const user = objectType("users.user")
    const log = objectType("extras.objectchange")
    expect(orderBy(user, ["password", "-is_superuser", "groups", "last_name"])).toBe("t.last_name, t.id")
    expect(orderBy(log, ["data", "prechange_data", "position", "action"])).toBe("t.action, t.id")
    expect(orderBy(objectType("users.token"), ["key", "-key_copy"])).toBe("t.created, t.id")
    for (const type of registry.values()) {
      const kept = Object.keys(type.fields).filter((name) => /^(write|once|none)$/.test(type.fields[name]!.wire))
      for (const name of kept) expect(orderBy(type, [name])).toBe(orderBy(type, []))
    }
  })

  test("never contains text of the client", () => {
    const columns = new Set(["id", ...Object.values(site.columns)])
    const names = fc.constantFrom(
      ...Object.keys(site.columns),
      "constructor",
      "-toString",
      "__proto__",
      "valueOf",
      "id"
    )
    fc.assert(
      fc.property(fc.array(fc.oneof(names, fc.string()), { maxLength: 4 }), (ordering) => {
        const terms = orderBy(site, ordering).split(", ")
        const parts = terms.map((term) => /^t\.(\w+)(?: collate rackwire_natural)?(?: desc)?$/.exec(term)?.[1] ?? term)
        expect(parts.filter((column) => !columns.has(column))).toEqual([])
      }),
      { numRuns: runs(500) }
    )
  })
})

describe("the page of a list", () => {
  const page = { where: everything, ordering: [], limit: 50, offset: 0 }

  test("is read without what is kept apart, cut or whole", () => {
    for (const isCut of [true, false]) {
      const { sql } = pageQuery(delivery, { ...page, isCut }, everything)
      expect(sql).toContain("t.delivery_id")
      expect(sql).not.toMatch(/only_attempt|t\.\*/)
    }
  })

  test("is read whole where nothing is kept apart", () => {
    expect(pageQuery(site, page, everything).sql).toContain("select t.* from")
  })
})
