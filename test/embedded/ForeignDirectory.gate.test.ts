/** A data directory of another user. */
import { spawn } from "node:child_process"
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { program } from "../support/Process.ts"
import { thorough } from "../support/Seed.ts"

/** The user that runs the program: no file belongs to it. */
const stranger = 54_321

let directory: string

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), "rackwire-foreign-"))
})

afterEach(() => rmSync(directory, { recursive: true, force: true }))

const serve = async () => {
  // Node hands the folder of its coverage on by itself, and this user cannot write there.
  const env = { PATH: process.env["PATH"], RACKWIRE_DATA_DIR: directory, NODE_V8_COVERAGE: "" }
  const child = spawn(process.execPath, [program, "serve"], { env, cwd: "/", uid: stranger, gid: stranger })
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)])
  return output + errors
}

// Only root can run it as another user.
describe.skipIf(process.getuid?.() !== 0)("a data directory of another user", () => {
  it("is refused with the names of both", async () => {
    expect(await serve()).toBe(
      `rackwire: ${directory} belongs to root, and this process runs as the user ${stranger}: run it as root, or set RACKWIRE_DATA_DIR to another directory.\n`
    )
  })

  thorough("is refused for a file in it", async () => {
    chownSync(directory, stranger, stranger)
    writeFileSync(join(directory, "secrets.json"), "{}")
    chmodSync(join(directory, "secrets.json"), 0o600)
    expect(await serve()).toMatch(/^rackwire: \S+secrets\.json belongs to root, and .*\n$/)
  })
})
