import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { afterAll, describe, expect, it } from "vitest"
import { splitHeaders } from "../../src/template/Headers.ts"
import { sampleEvent } from "../../src/template/Samples.ts"
import type { Filter, Plugin } from "../../src/template/plugin/Contract.ts"
import { runExamples } from "../../src/template/plugin/PluginExamples.ts"
import { type PluginRefused, findPlugins, readPlugins } from "../../src/template/plugin/PluginLoader.ts"
import { Renderer } from "../../src/template/Renderer.ts"
import { outcome, renderer, shipped } from "./Installed.ts"
import { runs } from "../support/Seed.ts"

const folder = mkdtempSync(join(tmpdir(), "rackwire-plugins-"))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0

/** A module with that text; its path. */
const file = (text: string): string => {
  const path = join(folder, `plugin${files++}.ts`)
  writeFileSync(path, text)
  return path
}

/** A module that exports a plugin of these parts, written as source. */
const pluginFile = (name: string, parts: string): string =>
  file(`import { definePlugin } from "#plugin"
export default definePlugin({ name: "${name}", examples: [], ${parts} })`)

const load = async (...configured: ReadonlyArray<string>): Promise<Renderer> => {
  const plugins = await readPlugins(findPlugins(configured))
  const made = new Renderer(plugins)
  await runExamples(plugins, made)
  return made
}

const refusal = async (...configured: ReadonlyArray<string>): Promise<PluginRefused> =>
  load(...configured).then(
    () => expect.fail("was loaded"),
    (error: PluginRefused) => error
  )

describe("the shipped plugins", () => {
  it("are loaded, and their examples give the stated results", async () => {
    await runExamples(shipped, renderer)
    expect(shipped.map(({ plugin }) => plugin.name)).toEqual(expect.arrayContaining(["encoding", "liquid", "network"]))
  })

  it.each(shipped.map(({ plugin }) => [plugin.name, plugin] as const))("%s has a description", (_, plugin) => {
    expect(plugin.description).toMatch(/\.$/)
    expect(plugin.examples.length).toBeGreaterThan(0)
  })
})

describe("a ready-made template", () => {
  const templates = shipped.flatMap(({ plugin }) => Object.entries(plugin.templates ?? {}))
  /** An event about an object with such texts in it. */
  const event = fc
    .record({
      event: fc.constantFrom("created", "updated", "deleted"),
      username: fc.string({ unit: "grapheme" }),
      display: fc.string({ unit: "grapheme" }),
      before: fc.option(fc.jsonValue()),
      after: fc.option(fc.jsonValue()),
      status: fc.option(fc.constantFrom({ value: "active" }, { value: "planned" }), { nil: undefined })
    })
    .map(({ event, username, display, before, after, status }) => ({
      ...sampleEvent,
      event,
      username,
      data: { id: 1, url: "https://inventory.example.com/api/dcim/sites/1/", display, ...(status && { status }) },
      snapshots: {
        prechange: event === "created" ? null : { name: before },
        postchange: event === "deleted" ? null : { name: after }
      }
    }))

  it.each(templates)("gives JSON and valid headers for any event: %s", (_, { body, headers = "" }) => {
    fc.assert(
      fc.property(event, (event) => {
        if (body !== "") JSON.parse(outcome(body, event) as string)
        expect(splitHeaders(outcome(headers, event, { headers: true }) as string)).not.toHaveProperty("error")
      }),
      { numRuns: runs(100) }
    )
  })
})

describe("a plugin elsewhere", () => {
  it("is loaded by path", async () => {
    const loaded = await load(pluginFile("mine", "filters: { twice: (call, text) => text + text }"))
    expect(loaded.check("{{ 'a'|twice }}", "jinja")).toBeUndefined()
  })

  it("is loaded by the name of an npm package", async () => {
    const path = new URL("../../node_modules/rackwire-test-plugin/", import.meta.url).pathname
    mkdirSync(path, { recursive: true })
    try {
      writeFileSync(join(path, "package.json"), JSON.stringify({ name: "rackwire-test-plugin", main: "main.mjs" }))
      writeFileSync(
        join(path, "main.mjs"),
        `import { definePlugin } from "rackwire/plugin"
export default definePlugin({ name: "packaged", filters: { packed: () => 1 }, examples: [{ template: "{{ 0|packed }}", expect: "1" }] })`
      )
      expect((await load("rackwire-test-plugin")).check("{{ 0|packed }}", "jinja")).toBeUndefined()
    } finally {
      rmSync(path, { recursive: true })
    }
  })
})

describe("a plugin is refused", () => {
  it.each([
    ["filter", "filters: { upper: () => '' }", "filter upper is already provided by Jinja"],
    ["test", "tests: { defined: () => true }", "test defined is already provided by Jinja"],
    ["global", "globals: { range: 1 }", "global range is already provided by Jinja"],
    ["tag", "tags: { for: { body: false, run: () => '' } }", "tag for is already provided by Jinja"],
    ["engine", "engines: { jinja: { compile: () => () => '' } }", "engine jinja is already provided by Jinja"],
    ["engine", "engines: { liquid: { compile: () => () => '' } }", "engine liquid is already provided by liquid"],
    ["filter", "filters: { upcase: () => '' }", "filter upcase is already provided by liquid"]
  ])("when its %s has a taken name, with both sides: %s", async (_kind, parts, message) => {
    expect(await refusal(pluginFile("mine", parts))).toMatchObject({
      reason: "Clash",
      message: `plugin mine: ${message}`
    })
  })

  it("if another plugin has its name", async () => {
    const error = await refusal(pluginFile("time", ""))
    expect(error).toMatchObject({ reason: "Clash" })
    expect(error.message).toContain("plugin time: there is another plugin of that name")
  })

  it("but not for a name that it declares to override", async () => {
    const loaded = await load(pluginFile("mine", "override: ['upper'], filters: { upper: () => 'mine' }"))
    expect(loaded.check("{{ 'a'|upper }}", "jinja")).toBeUndefined()
  })

  it.each([
    ["filters: { 'two words': () => '' }", 'filter "two words"'],
    ["filters: { Upper: () => '' }", 'filter "Upper"'],
    ["filters: { 'other.name': () => '' }", 'filter "other.name"'],
    ["tests: { 'a-b': () => true }", 'test "a-b"'],
    ["globals: { 'mine.x': 1 }", 'global "mine.x"'],
    ["tags: { '%}': { body: false, run: () => '' } }", 'tag "%}"']
  ])("when a name is none: %s", async (parts, message) => {
    const error = await refusal(pluginFile("mine", parts))
    expect(error).toMatchObject({ reason: "BadName" })
    expect(error.message).toContain(`plugin mine: ${message}`)
  })

  it("if its own name is invalid", async () => {
    expect(await refusal(pluginFile("My Plugin", ""))).toMatchObject({ reason: "BadName" })
  })

  it.each([
    [`examples: [{ template: "{{ 1 + 1 }}", expect: "3" }]`, `example "{{ 1 + 1 }}" gave "2", not "3"`],
    [`examples: [{ template: "{{ 1|nosuch }}", expect: "3" }]`, "No filter named 'nosuch'"],
    [`examples: [{ template: "{{ 1 }}", expect: { error: "Type" } }]`, `gave "1", not "fault: Type"`],
    [`templates: { broken: { description: "", body: "{% if %}" } }`, "template broken: line 1: "],
    [`templates: { broken: { description: "", body: "", headers: "X: {{" } }`, "template broken: line 1: "]
  ])("when an example does not come out as it says, with what came out: %s", async (parts, message) => {
    const error = await refusal(pluginFile("mine", parts))
    expect(error).toMatchObject({ reason: "Example" })
    expect(error.message).toContain("plugin mine: ")
    expect(error.message).toContain(message)
  })

  it("if its file exports no plugin or cannot be read, with the path of the file", async () => {
    const none = file("export default 5")
    expect(await refusal(none)).toMatchObject({
      reason: "NotAPlugin",
      message: expect.stringContaining(none) as string
    })
    const broken = file("export default {")
    expect(await refusal(broken)).toMatchObject({
      reason: "Unreadable",
      message: expect.stringContaining(broken) as string
    })
    const missing = join(folder, "missing.ts")
    expect(await refusal(missing)).toMatchObject({
      reason: "Unreadable",
      message: expect.stringContaining(missing) as string
    })
    expect(await refusal("rackwire-no-such-package")).toMatchObject({ reason: "Unreadable" })
  })
})

describe("a pattern of the regex plugin", () => {
  it.each([
    ["{{ x is match('.*a[a-z]{400}q') }}"],
    ["{{ x|regex_search('.*a[a-z]{400}q') }}"],
    ["{{ x|regex_findall('a(.*!)?') }}"],
    ["{{ x|regex_replace('a', 'b' * 1000) }}"]
  ])("pays for what it looks at: %s", (source) => {
    expect(outcome(source, { x: "a".repeat(200_000) })).toMatchObject({ reason: "Limit" })
  })

  it("has a sufficient budget for usual searches", () => {
    const x = "interface ge-0/0/1 description uplink ".repeat(200)
    expect(outcome("{{ x|regex_findall('[a-z]{2}-[0-9/]+')|length }}", { x })).toBe("200")
    expect(outcome("{{ x|regex_replace('[^a-z0-9]+', '_')|length }}", { x })).toBe(`${x.length}`)
  })
})

describe("what a plugin's function throws", () => {
  const plugin: Plugin = {
    name: "mine",
    filters: {
      fails: () => {
        throw new Error(`wrong ${"x".repeat(1000)}`)
      },
      waits: (async () => "x") as unknown as Filter,
      loops: (call) => {
        for (;;) call.charge(1)
      }
    },
    examples: []
  }
  const made = new Renderer([{ plugin, module: "test" }])

  it.each([
    ["fails", "Plugin", /^mine\.fails: wrong x{194}$/],
    ["waits", "Plugin", /^mine\.waits: returned a promise$/],
    ["loops", "Limit", /steps/]
  ])("is a fault that names it and says no more: %s", (filter, reason, message) => {
    expect(outcome(`{{ 1|${filter} }}`, {}, { by: made })).toMatchObject({
      reason,
      message: expect.stringMatching(message) as string
    })
  })
})
