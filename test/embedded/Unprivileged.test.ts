import { chmodSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { reachable } from "../../src/embedded/Unprivileged.ts"

const nobody = { name: "nobody", uid: 65_534, gid: 65_534 }

let folder: string
let umask: number

beforeAll(() => {
  umask = process.umask(0o077)
  folder = mkdtempSync(join(tmpdir(), "rackwire-umask-"))
})

afterAll(() => {
  process.umask(umask)
  rmSync(folder, { recursive: true, force: true })
})

/** A tree as `npm ci` writes it under this umask. */
const makeTree = (): string => {
  const tree = join(folder, "tree")
  mkdirSync(join(tree, "bin"), { recursive: true })
  writeFileSync(join(tree, "bin/postgres"), "#!", { mode: 0o700 })
  writeFileSync(join(tree, "postgres.bki"), "", { mode: 0o600 })
  return tree
}

const modesOf = (copy: string): ReadonlyArray<string> =>
  ["..", ".", "bin", "bin/postgres", "postgres.bki"].map((name) =>
    (statSync(join(copy, name)).mode & 0o777).toString(8)
  )

const open = ["755", "755", "755", "755", "644"]

describe("a copy of the programs for a user without privileges", () => {
  it("is open to that user although the umask is 077", () => {
    const cache = join(folder, "cache")
    const copy = reachable(nobody, makeTree(), "postgres-1", cache)
    expect(copy).toBe(join(cache, "postgres-1"))
    expect(modesOf(copy)).toEqual(open)
  })

  it("is opened again if an earlier start closed it", () => {
    const cache = join(folder, "closed")
    const copy = reachable(nobody, makeTree(), "postgres-1", cache)
    for (const [path, mode] of [
      [cache, 0o700],
      [join(copy, "bin"), 0o700],
      [join(copy, "postgres.bki"), 0o600]
    ] as const) {
      chmodSync(path, mode)
    }
    expect(modesOf(reachable(nobody, makeTree(), "postgres-1", cache))).toEqual(open)
  })

  it("is made as well of a tree that lies in open folders but has closed files", () => {
    const tree = makeTree()
    for (const path of [folder, tree, join(tree, "bin"), join(tree, "bin/postgres")]) chmodSync(path, 0o755)
    expect(reachable(nobody, tree, "postgres-1", join(folder, "files"))).toBe(join(folder, "files/postgres-1"))
    chmodSync(join(tree, "postgres.bki"), 0o644)
    expect(reachable(nobody, tree, "postgres-1", join(folder, "files"))).toBe(tree)
    chmodSync(folder, 0o700)
  })
})
