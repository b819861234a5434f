/** The Dockerfile and compose.yaml, compared with the service. `npm run test:image` carries the Dockerfile out. */
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { describe, expect, it } from "vitest"
import { parse } from "yaml"
import { stagesOf, wordsOf } from "./image/Instructions.ts"
import { unknownOptions } from "./UnknownOptions.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const [build, image] = stagesOf(readFileSync(join(root, "Dockerfile"), "utf8"))

const textsOf = (stage: typeof build, name: string) =>
  stage!.instructions.flatMap((instruction) => (instruction.name === name ? [instruction.text] : []))

describe("the Dockerfile", () => {
  it("copies files that exist", () => {
    const copied = textsOf(build, "COPY").flatMap((text) => text.split(/\s+/).slice(0, -1))
    expect(copied.length).toBeGreaterThan(5)
    expect(copied.filter((file) => !existsSync(join(root, file)))).toEqual([])
  })

  it("makes an image that runs the service as a user without rights, with options that it has", () => {
    expect(textsOf(image, "USER")).toEqual(["node"])
    expect([...wordsOf(image!, "ENTRYPOINT"), ...wordsOf(image!, "CMD")]).toEqual(["rackwire", "serve"])
    expect(unknownOptions(textsOf(image, "ENV").map((text) => text.split("=")[0]!))).toEqual([])
    const [, option] = /process\.env\.(\w+)/.exec(wordsOf(image!, "HEALTHCHECK").join(" ")) ?? []
    expect(unknownOptions([option!])).toEqual([])
  })
})

it("every image is named by its digest", () => {
  const from = readFileSync(join(root, "Dockerfile"), "utf8").matchAll(/^FROM (\S+)/gm)
  const images = readFileSync(join(root, "compose.yaml"), "utf8").matchAll(/^ +image: (\S+)/gm)
  const named = [...from, ...images].map(([, image]) => image!)
  expect(named).toHaveLength(4)
  expect(named.filter((image) => !/^[a-z/]+:[\w-]+@sha256:[0-9a-f]{64}$/.test(image))).toEqual([])
})

describe("compose.yaml", () => {
  const { services, volumes } = parse(readFileSync(join(root, "compose.yaml"), "utf8")) as {
    readonly services: Readonly<Record<string, Readonly<Record<string, unknown>>>>
    readonly volumes: Readonly<Record<string, null>>
  }

  it("gives the service options that it has, with addresses of the servers beside it", () => {
    const environment = services["rackwire"]!["environment"] as Readonly<Record<string, string>>
    expect(unknownOptions(Object.keys(environment))).toEqual([])
    expect(new URL(environment["DATABASE_URL"]!.replace(/\$\{.*?\}/, "x")).hostname in services).toBe(true)
    expect(new URL(environment["REDIS_URL"]!).hostname in services).toBe(true)
  })

  it("waits for servers that tell their health, and keeps their data", () => {
    const awaited = Object.keys(services["rackwire"]!["depends_on"] as object)
    expect(awaited).toEqual(Object.keys(services).filter((name) => name !== "rackwire"))
    for (const name of awaited) {
      expect(services[name]).toHaveProperty("healthcheck.test")
      const [volume] = services[name]!["volumes"] as ReadonlyArray<string>
      expect(Object.keys(volumes)).toContain(volume!.split(":")[0])
    }
  })

  it("sets what the service needs of its servers", () => {
    expect(services["postgres"]!["command"]).toContain("wal_level=logical")
    expect(services["valkey"]!["command"]).toEqual(expect.arrayContaining(["--appendonly", "yes", "noeviction"]))
  })
})
