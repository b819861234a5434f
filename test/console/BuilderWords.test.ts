/** The words of the builders, and the documents that their scripts read and write. */
import fc from "fast-check"
import { Effect } from "effect"
import { describe, expect, it } from "vitest"
import { conditionWords } from "../../src/console/builder/Conditions.ts"
import { constraintWords } from "../../src/console/builder/Constraints.ts"
import { constraint, constraintLookups } from "../../src/inventory/derive/filter/Constraint.ts"
import { eventPath } from "../../src/inventory/derive/represent/EventPaths.ts"
import { objectType, registry } from "../../src/inventory/Registry.ts"
import { operators } from "../../src/match/Operator.ts"

const all = [...registry.values()].filter(({ kind }) => kind === "object")

interface Scripts {
  readonly treeOf: (document: unknown, words: unknown) => unknown
  readonly documentOf: (node: unknown, usual: string) => unknown
  readonly groupsOf: (document: unknown, words: unknown) => { readonly items: ReadonlyArray<unknown> }
  readonly groupDocument: (group: unknown, usual: string) => unknown
}

const scripts = (await import(
  new URL("../../src/console/asset/script/builder-document.js", import.meta.url).href
)) as Scripts

describe("the words of conditions", () => {
  it("are the operators of match, and paths that events have", () => {
    const words = conditionWords(all)
    expect(words.operators.map(({ name }) => name)).toEqual(Object.keys(operators))
    expect(words.operators.filter(({ accepts }) => accepts.length === 0).map(({ name }) => name)).toEqual([
      "changed",
      "unchanged"
    ])
    const leads = all.flatMap((type) =>
      conditionWords([type]).fields.flatMap(({ name, state }) => [
        [type.id, name, eventPath(type.id, name.split("."), false)],
        ...(state === undefined ? [] : [[type.id, state, eventPath(type.id, state.split("."), true)]])
      ])
    )
    expect(leads.filter(([, , found]) => found === undefined)).toEqual([])
  })

  it("are read and written again as they were", () => {
    const words = conditionWords([objectType("dcim.site")])
    const row = fc.record(
      {
        attr: fc.constantFrom("name", "status.value", "x.y"),
        value: fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null), fc.array(fc.string())),
        op: fc.constantFrom("gt", "in", "contains"),
        negate: fc.constant(true)
      },
      { requiredKeys: ["attr", "value"] }
    )
    const { tree } = fc.letrec<{ readonly tree: unknown }>((tie) => ({
      tree: fc.oneof(
        { maxDepth: 4 },
        row,
        fc.array(tie("tree"), { maxLength: 4 }).map((items) => ({ and: items })),
        fc.array(tie("tree"), { maxLength: 4 }).map((items) => ({ or: items }))
      )
    }))
    fc.assert(
      fc.property(tree, (document) => {
        expect(scripts.documentOf(scripts.treeOf(document, words), words.usual)).toEqual(document)
      })
    )
    for (const wrong of [1, [], { attr: 1 }, { and: {} }, { and: [], or: [] }, { attr: "a", value: 1, more: 1 }]) {
      expect(() => scripts.treeOf(wrong, words)).toThrow(TypeError)
    }
  })
})

describe("the words of constraints", () => {
  const wordsOf = (...ids: ReadonlyArray<string>) => Effect.runPromise(constraintWords(ids.map((id) => objectType(id))))

  it("are lookups that the field has, of fields that all types have", async () => {
    const words = await wordsOf("dcim.site", "dcim.device")
    expect(words.operators.map(({ name }) => name)).toEqual([...constraintLookups])
    expect(words.fields.map(({ name }) => name)).toEqual(
      expect.arrayContaining(["name", "status", "tenant", "tenant__slug"])
    )
    expect(words.fields.some(({ name }) => name === "rack")).toBe(false)
    const { operators: lookups = [] } = words.fields.find(({ name }) => name === "name")!
    expect(lookups).toEqual(expect.arrayContaining(["exact", "in", "icontains", "startswith", "isnull"]))
    expect(lookups).not.toContain("net_contained")
    const prefixes = await wordsOf("ipam.prefix")
    expect(prefixes.fields.find(({ name }) => name === "prefix")!.operators).toContain("net_contained")
    for (const { name } of words.fields)
      expect(constraint(objectType("dcim.site"), { [`${name}__isnull`]: true })).toHaveProperty("where")
  })

  it("of every type take no longer than a moment each", async () => {
    for (const type of all) expect((await wordsOf(type.id)).fields.length).toBeGreaterThan(0)
  })

  it("are read and written again as they were", async () => {
    const words = await wordsOf("dcim.site")
    const documents = [
      { name: "a" },
      { name__in: ["a"], status: "active" },
      { site__region__slug: "x" },
      { name__isnull: true }
    ]
    const written = scripts.groupsOf(documents, words).items.map((group) => scripts.groupDocument(group, words.usual))
    expect(written).toEqual(documents)
    const row = { name: "name", op: "exact", value: 1 }
    expect(() => scripts.groupDocument({ items: [row, row] }, words.usual)).toThrow(/same operator once/)
  })
})
