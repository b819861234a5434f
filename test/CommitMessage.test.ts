/** The rule for subjects of commits, and its installation as a hook of git by npm's `prepare`. */
import { execFile, spawnSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { devNull, tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { promisify } from "node:util"
import { afterEach, beforeEach, describe, expect, it } from "vitest"
import { subjectFault } from "../ops/commit-msg.mjs"
import { needs } from "./support/Ledger.ts"
import { thorough } from "./support/Seed.ts"

const root = new URL("..", import.meta.url).pathname

describe("a subject", () => {
  it.each([
    "match: refuse regex on numbers",
    "inventory, auth, http: read addresses once",
    "README: show what a receiver gets",
    `deliver: ${"x".repeat(61)}`,
    `deliver: ${"🚀".repeat(61)}`,
    "deliver: limit lookups\n\nWhat is longer than the subject may be longer than a line of the subject may ever be.",
    "# a comment of git\n\ndeliver: limit lookups\n# Changes to be committed:\n",
    "Merge branch 'a-branch-with-a-name-that-is-longer-than-any-subject-of-ours-may-be'",
    'Revert "console: a subject of seventy characters, to which git adds one more word"',
    "fixup! deliver: limit lookups",
    "deliver: offer lookups to other webhooks",
    "# Please enter the commit message\n"
  ])("is accepted: %s", (message) => {
    expect(subjectFault(message)).toBeUndefined()
  })

  it.each([
    [`deliver: ${"x".repeat(62)}`, "has 71 characters"],
    [`deliver: limit lookups\n${"x".repeat(60)}\n`, "has 83 characters"],
    ["limit lookups of one webhook", "names no stage"],
    ["Merge the lookups", "names no stage"],
    ["deliver:limit lookups", "names no stage"],
    ["deliver: ", "names no stage"],
    ["deliver: what Redis lost is read again", 'begins with "what"'],
    ["# a comment of git\ntest: Of two tests one fails", 'begins with "Of"']
  ])("is refused for its length, its stage or its first word: %s", (message, fault) => {
    expect(subjectFault(message)?.slice(0, fault.length)).toBe(fault)
  })
})

const hasGit = needs("git", spawnSync("git", ["--version"]).status === 0, "apt-get install git")

describe.skipIf(!hasGit)("npm's prepare", () => {
  const { prepare } = (
    JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly scripts: { readonly prepare: string } }
  ).scripts
  let folder: string
  const path = (name: string) => join(folder, name)
  const hook = ".git/hooks/commit-msg"

  const run = (command: string, args: ReadonlyArray<string>) =>
    promisify(execFile)(command, args, {
      cwd: folder,
      env: {
        PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
        ...{ GIT_CONFIG_GLOBAL: devNull, GIT_CONFIG_NOSYSTEM: "1" },
        ...{ GIT_AUTHOR_NAME: "a", GIT_AUTHOR_EMAIL: "a@test", GIT_COMMITTER_NAME: "a", GIT_COMMITTER_EMAIL: "a@test" }
      }
    })
  const prepared = () => run("sh", ["-c", prepare])
  const commit = (message: string) => run("git", ["commit", "--allow-empty", "-m", message])
  const silent = { stdout: "", stderr: "" }

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "rackwire-commit-"))
    cpSync(join(root, "ops/commit-msg.mjs"), path("ops/commit-msg.mjs"))
  })
  afterEach(() => rmSync(folder, { recursive: true, force: true }))

  thorough("installs the hook in a clone: git refuses a commit with a wrong subject", async () => {
    await run("git", ["init", "--template="])
    expect(await prepared()).toEqual(silent)
    expect(await prepared()).toEqual(silent)
    await run("git", ["add", "."])
    await commit("deliver: limit lookups")
    await expect(commit("deliver: what is looked up")).rejects.toMatchObject({
      stderr: 'The commit\'s subject begins with "what" (expected an imperative: refuse, limit, show)\n'
    })
    writeFileSync(path("file"), "")
    await run("git", ["add", "."])
    await commit("deliver: limit lookups by a file")
    await run("git", ["revert", "--no-edit", "HEAD"])
    rmSync(path("ops"), { recursive: true })
    await commit("what a checkout without the rule accepts")
    expect((await run("git", ["log", "--format=%s"])).stdout.split("\n")).toEqual([
      "what a checkout without the rule accepts",
      'Revert "deliver: limit lookups by a file"',
      "deliver: limit lookups by a file",
      "deliver: limit lookups",
      ""
    ])
  })

  it("keeps another hook", async () => {
    await run("git", ["init", "--template="])
    mkdirSync(path(".git/hooks"))
    writeFileSync(path(hook), "#!/bin/sh\n")
    expect(await prepared()).toEqual(silent)
    expect(readFileSync(path(hook), "utf8")).toBe("#!/bin/sh\n")
  })

  it("does nothing in a worktree, without git, in a package, and where nothing can be written", async () => {
    expect(await prepared()).toEqual(silent)
    expect(existsSync(path(".git"))).toBe(false)
    writeFileSync(path(".git"), "gitdir: elsewhere\n")
    expect(await prepared()).toEqual(silent)
    expect(statSync(path(".git")).isFile()).toBe(true)
    rmSync(path(".git"))
    mkdirSync(path(".git"))
    // Root may write into read-only folders, but not into a file as if it were one.
    writeFileSync(path(".git/hooks"), "")
    expect(await prepared()).toEqual(silent)
    rmSync(path("ops"), { recursive: true })
    expect(await prepared()).toEqual(silent)
  })
})
