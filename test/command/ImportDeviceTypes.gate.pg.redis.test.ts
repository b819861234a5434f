/** `import device-types`: a folder of the device type library, through a running service. */
import { cpSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, beforeEach, afterEach, expect, test } from "vitest"
import { type Api, startApiAlone } from "../support/Api.ts"
import { runCommand } from "../support/Command.ts"
import type { List } from "../support/Client.ts"

const library = fileURLToPath(new URL("library", import.meta.url))

let api: Api
let token: string
let folder: string

beforeAll(async () => {
  api = await startApiAlone()
  token = await api.newToken()
})
afterAll(() => api.stop())
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "library-"))
  cpSync(library, folder, { recursive: true })
})
afterEach(() => rmSync(folder, { recursive: true }))

const run = (...args: ReadonlyArray<string>) =>
  runCommand(["import", "device-types", ...args], { env: { RACKWIRE_URL: api.service.url, RACKWIRE_TOKEN: token } })

const count = async (plural: string) => (await api.call<List>("GET", `/api/dcim/${plural}/?limit=1`)).json.count

const counts = () => Promise.all(["device-types", "module-types", "interface-templates", "manufacturers"].map(count))

test("checks, imports, and imports again without a change", async () => {
  const dry = await run(folder, "--dry-run")
  expect(dry.output).toContain("4 of 4 files: 4 types with 29 components would be created, 0 unchanged\n")
  expect(dry.code).toBe(0)
  expect(await counts()).toEqual([0, 0, 0, 0])
  const first = await run(folder)
  expect(first).toEqual({
    code: 0,
    output: `3 of 4 files: 3 types with 23 components created, 0 unchanged
4 of 4 files: 4 types with 29 components created, 0 unchanged
manufacturers: 3 new
pictures: 1 named by types, 1 files; none is imported
keys without a field here: attributes, front_image, profile
files of rack types: 1; none is imported
`
  })
  expect(await counts()).toEqual([3, 1, 6, 3])
  const again = await run(folder)
  expect(again.output).toContain("4 of 4 files: 0 types with 0 components created, 4 unchanged\nmanufacturers: 0 new\n")
  expect([again.code, await counts()]).toEqual([0, [3, 1, 6, 3]])
})

test("reports wrong files by line, and imports the others", async () => {
  const wrong = join(folder, "device-types/Acme/a-wrong.yaml")
  writeFileSync(wrong, "manufacturer: Acme\nmodel: Wrong\nslug: wrong\ninterfaces:\n  - name: a\n    type: none\n")
  const broken = join(folder, "device-types/Borg/broken.yaml")
  writeFileSync(broken, "---\nmanufacturer: Borg\nmodel: &x Broken\nslug: *x\n")
  const empty = join(folder, "device-types/Borg/empty.yaml")
  writeFileSync(empty, "")
  const good = join(folder, "device-types/Borg/good.yaml")
  writeFileSync(good, "manufacturer: Borg\nmodel: Good\nslug: borg-good\n")
  const [before] = await counts()
  const { code, output } = await run(folder)
  expect(output).toContain(`${wrong}:5: interfaces[0].type: none is not a valid choice.\n`)
  expect(output).toContain(`${broken}:4: aliases are not read: *x.\n`)
  expect(output).toContain(`${empty}:1: The file is empty.\n`)
  expect(output).toContain("rackwire: 3 of 8 files were refused; nothing of them was written.\n")
  expect([code, (await counts())[0]]).toEqual([1, before! + 1])
})

test("says what is missing: the folder, its files, the service, or a right", async () => {
  expect((await run(join(folder, "nowhere"))).output).toMatch(/^rackwire: ENOENT/)
  expect((await run(join(folder, "elevation-images"))).output).toMatch(/^rackwire: There are no YAML files in /)
  const absent = { env: { RACKWIRE_URL: "http://127.0.0.1:9", RACKWIRE_TOKEN: token } }
  const unreachable = await runCommand(["import", "device-types", folder], absent)
  expect(unreachable.output).toMatch(/^rackwire: The service at http:\/\/127\.0\.0\.1:9\/? does not answer: /)
  const anonymous = await runCommand(["import", "device-types", folder], { env: { RACKWIRE_URL: api.service.url } })
  expect(anonymous.output).toMatch(/^rackwire: The service answered 403: .* RACKWIRE_TOKEN is not set\.\n$/)
})
