/** A name of an entry is in one file of src, and no file lists the entries of a folder (OneFile.gate adds one of each). */
import { readFileSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import { options } from "../../src/Config.ts"
// Metrics are declared where they are counted.
import "../../src/Service.ts"
import { described } from "../../src/telemetry/Series.ts"
import { symptoms } from "../../src/telemetry/Symptom.ts"

const root = new URL("../../src/", import.meta.url).pathname

const sources = new Map(
  readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts"))
    .map((file) => [file, readFileSync(join(root, file), "utf8")])
)

/** Files that have a text in quotes, or as the name of an option that each provider has. */
const filesWith = (text: string): ReadonlyArray<string> => {
  const ofEach = text.startsWith("OIDC_") ? [`\`OIDC_\${name}${text.slice("OIDC_".length)}\``] : []
  const spellings = [`"${text}"`, ...ofEach]
  return [...sources].flatMap(([file, source]) => (spellings.some((each) => source.includes(each)) ? [file] : []))
}

const metrics = described.filter(({ name }) => name.startsWith("rackwire_"))

describe("the name of an entry is in one file", () => {
  it("of every metric", () => {
    expect(metrics.length).toBeGreaterThan(50)
    expect(metrics.filter(({ name }) => filesWith(name).length !== 1).map(({ name }) => name)).toEqual([])
  })

  it("of every option", () => {
    const names = Object.values(options).map(({ env }) => env)
    expect(names.length).toBeGreaterThan(30)
    // Messages name these.
    const rights = ["DEFAULT_PERMISSIONS", "REMOTE_AUTH_DEFAULT_PERMISSIONS"]
    const named = ["DATABASE_URL", "REDIS_URL", "SUPERUSER_API_TOKEN", ...rights]
    expect(names.filter((name) => filesWith(name).length !== 1)).toEqual(named)
  })
})

it("no file loads the file of an object type, a page, a route or a command by its name", () => {
  const entries = [...sources].flatMap(([file, source]) =>
    /^(?:inventory\/types|console|http|command)\//.test(file) && /^export default /m.test(source) ? [file] : []
  )
  expect(entries.length).toBeGreaterThan(100)
  const loaded = [...sources].flatMap(([file, source]) =>
    [...source.matchAll(/(?:^(?:import|export) (\w+)[^\n]* from|\bimport\() ?"(\.[^"]+)"/gm)].flatMap(
      ([, first, path = ""]) => {
        const target = join(file, "..", path)
        return first !== "type" && entries.includes(target) ? [`${file} -> ${target}`] : []
      }
    )
  )
  expect(loaded).toEqual([])
})

it("every symptom has a metric", () => {
  const named = new Set<string>(metrics.map(({ symptom }) => symptom))
  expect(Object.keys(symptoms).filter((symptom) => !named.has(symptom))).toEqual([])
})
