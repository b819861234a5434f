/**
 * Names that every JavaScript object inherits (`constructor`, `__proto__`…) mean no more than any name that nobody
 * declared: each request that brings one is answered to the letter as the same request with an unknown name.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { routes } from "../../src/Service.ts"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"
import { type Api, startApiAlone } from "../support/Api.ts"
import { type Json, named } from "../support/Client.ts"

export const inherited = ["__proto__", "constructor", "toString", "hasOwnProperty"]
/**
 * A name of 8 to 14 characters, with a capital where the other has one: neither a limit of a text nor a rule about letters
 * tells them apart.
 */
const unknownLike = (name: string): string => (/[A-Z]/.test(name) ? "nodeClared" : "nodeclared")

interface Extent {
  /** The object types whose lists and routes are tried. */
  readonly types: ReadonlyArray<ObjectType>
  readonly names: ReadonlyArray<string>
  /** Collections that files are imported into: each import starts a worker. */
  readonly imports: ReadonlyArray<string>
}

/** Declares the tests. */
export const expectInheritedNamesUnknown = ({ types: all, names: inherited, imports }: Extent): void => {
  const types = all.map((type) => [type.id, type] as const)
  let api: Api
  beforeAll(async () => {
    api = await startApiAlone({ LOG_LEVEL: "Error", IMPORTS_AT_ONCE: "4" })
  })
  afterAll(() => api.stop())

  interface Asked {
    readonly method: string
    readonly path: string
    readonly body?: unknown
  }

  /** The answer without the name and without numbers: ids and times differ. */
  const answerTo = async ({ method, path, body }: Asked, name: string) => {
    const { status, text } = await api.call(method, path, body)
    return `${status} ${text.replaceAll(new RegExp(name, "gi"), "<name>").replaceAll(/\d+/g, "<n>")}`
  }

  const expectUnknown = async (ask: (name: string) => Asked) => {
    const answers = async (names: Iterable<string>) =>
      new Map(await Promise.all(Array.from(names, async (name) => [name, await answerTo(ask(name), name)] as const)))
    const unknown = await answers(new Set(inherited.map(unknownLike)))
    const expected = new Map(inherited.map((name) => [name, unknown.get(unknownLike(name))]))
    expect(await answers(inherited)).toEqual(expected)
  }

  const queries: ReadonlyArray<(name: string) => string> = [
    (name) => `${name}=x`,
    (name) => `${name}=x&strict=true`,
    (name) => `${name}_id=1&strict=true`,
    (name) => `id__${name}=1&strict=true`,
    (name) => `q__${name}=x&strict=true`,
    (name) => `cf_${name}=x&strict=true`,
    (name) => `ordering=${name}`,
    (name) => `fields=${name}`,
    (name) => `omit=${name}&brief=1`,
    (name) => `filter=${name}`,
    (name) => `format=${name}`
  ]

  describe("a name that objects inherit", () => {
    it.each(types)("is no filter in lists and exports of %s", async (_, { path }) => {
      for (const query of queries) {
        await expectUnknown((name) => ({ method: "GET", path: `${path}?${query(name)}&limit=1` }))
      }
      for (const query of [...queries.slice(0, 2), ...queries.slice(-1)]) {
        await expectUnknown((name) => ({ method: "GET", path: `${path}export/?${query(name)}` }))
      }
    })

    it.each(types.filter(([, { isReadOnly }]) => !isReadOnly))("writes nothing to %s", async (_, type) => {
      const { fields, path } = type
      const fieldNames = Object.keys(fields)
      const inside = (value: unknown): Json => Object.fromEntries(fieldNames.map((field) => [field, value]))
      for (const query of ["", "?strict=true"]) {
        await expectUnknown((name) => ({ method: "POST", path: path + query, body: { [name]: "x" } }))
        await expectUnknown((name) => ({ method: "POST", path: path + query, body: inside({ [name]: "x" }) }))
        await expectUnknown((name) => ({ method: "POST", path: path + query, body: inside([{ [name]: "x" }]) }))
        await expectUnknown((name) => ({ method: "POST", path: path + query, body: inside(name) }))
        await expectUnknown((name) => ({ method: "POST", path: path + query, body: inside([name]) }))
      }
    })

    it.each(imports)("is no column or key in files for %s", async (collection) => {
      const path = `/api/${collection}/import/`
      await expectUnknown((name) => ({ method: "POST", path, body: [{ [name]: "x" }] }))
      await expectUnknown((name) => ({ method: "POST", path: `${path}?format=csv`, body: `${name}\nx\n` }))
      await expectUnknown((name) => ({ method: "POST", path: `${path}?format=yaml`, body: `- ${name}: x\n` }))
    })

    // Excluded: trials of webhooks have a rate limit, imports take files (above), and a webhook to resume is not paused.
    const actions = routes.filter(
      ({ path, methods, access }) =>
        path.startsWith("/api/") &&
        (typeof access === "string" || all.includes(access)) &&
        methods.POST !== undefined &&
        !/\/(render|match|trial|history|import|sending\/resume)\/$/.test(path)
    )
    it.each(actions.map(({ path }) => path))("is no option of POST %s", async (route) => {
      const path = route.replaceAll(/:\w+/g, "1")
      await expectUnknown((name) => ({ method: "POST", path, body: { [name]: { [name]: "x" } } }))
      await expectUnknown((name) => ({ method: "POST", path, body: { [name]: [name], filter: { [name]: "x" } } }))
    })

    it("is never called as a method of a value", async () => {
      const options = "all dry_run filter keep since until object_change prefix_length user username password id".split(
        " "
      )
      for (const { path } of actions) {
        await expectUnknown((name) => ({
          method: "POST",
          path: path.replaceAll(/:\w+/g, "1"),
          body: Object.fromEntries(options.map((option) => [option, { [name]: "x" }]))
        }))
      }
      for (const [, { path }] of types) {
        for (const method of ["PATCH", "DELETE"]) {
          await expectUnknown((name) => ({ method, path, body: [{ id: { [name]: "x" } }] }))
        }
      }
    })

    it("can name a custom field, whose values are stored, shown and found", async () => {
      const names = inherited.filter((name) => !name.includes("__"))
      for (const name of names) {
        const made = await api.call("POST", "/api/extras/custom-fields/", {
          name,
          type: "text",
          content_types: ["dcim.site"]
        })
        expect(made.status).toBe(201)
      }
      const site = { ...named("Own names"), custom_fields: Object.fromEntries(names.map((name) => [name, "mine"])) }
      const made = await api.call("POST", "/api/dcim/sites/", site)
      expect(made.status).toBe(201)
      for (const name of names) {
        expect(Object.getOwnPropertyDescriptor(made.json["custom_fields"], name)?.value).toBe("mine")
        const found = await api.call("GET", `/api/dcim/sites/?strict=true&cf_${name}=mine`)
        expect(found.json["count"]).toBe(1)
        expect((await api.call("GET", `/api/dcim/sites/?strict=true&cf_${name}=yours`)).json["count"]).toBe(0)
      }
    })
  })
}
