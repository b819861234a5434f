/** The unit of `ops/systemd/`, checked by systemd where it is installed. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { roles } from "../../src/Service.ts"
import { unknownOptions } from "./UnknownOptions.ts"
import { needs } from "../support/Ledger.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const unit = readFileSync(join(root, "ops/systemd/rackwire@.service"), "utf8")

const analyze = (...args: ReadonlyArray<string>) => spawnSync("systemd-analyze", args, { encoding: "utf8" })

const hasSystemd = needs("systemd-analyze", analyze("--version").status === 0, "apt-get install systemd")

/** Highest exposure, in tenths of systemd's scale of 0 to 10. A service that uses the network and V8 has about 13. */
const exposureMax = 15

it("the unit sets variables that are options of the service, and the path of its Node", () => {
  const names = [...unit.matchAll(/^Environment=(\w+)=/gm)].map(([, name]) => name!)
  expect(unknownOptions(names)).toEqual(["PATH"])
})

it("the file of options that docs/install.md shows has options of the service", () => {
  const [, shown = ""] = /```ini\n([^`]+)```/.exec(readFileSync(join(root, "docs/install.md"), "utf8")) ?? []
  const names = [...shown.matchAll(/^(\w+)=/gm)].map(([, name]) => name!)
  expect(names).toContain("SECRET_KEY")
  expect(unknownOptions(names)).toEqual([])
})

it("the unit names every role in its first line", () => {
  expect(unit.split("\n")[0]).toContain(roles.map((role) => `rackwire@${role}`).join(" "))
})

describe.skipIf(!hasSystemd)("systemd", () => {
  const folder = mkdtempSync(join(tmpdir(), "rackwire-unit-"))
  const instance = join(folder, "rackwire@api.service")

  beforeAll(() => {
    const here = unit.replace("/opt/rackwire/node_modules/.bin/rackwire", join(root, "bin/rackwire.mjs"))
    writeFileSync(join(folder, "rackwire@.service"), here)
    symlinkSync("rackwire@.service", instance)
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  // It prints what it does not understand, and leaves that out.
  it("understands every line of the unit", () => {
    const { stderr, status } = analyze("verify", "--man=no", instance)
    expect([stderr, status]).toEqual(["", 0])
  })

  it("finds little that the service could do to the machine", () => {
    const { stdout, status } = analyze("security", "--offline=true", `--threshold=${exposureMax}`, instance)
    expect([status, stdout]).toEqual([0, stdout])
  })
})
