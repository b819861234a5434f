/**
 * Checks the subject of a commit: `node ops/commit-msg.mjs FILE` refuses the message in a file, as git's hook of this
 * name. `npm ci` installs the hook in a clone. JavaScript, because it runs on whatever Node git finds.
 */
import { lstatSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

/** Words that make a headless sentence if they begin it: the reader has to guess its noun. */
export const headless = /^(?:what|who|whose|whom|whatever|of|those|that)\b/i

/** Longest subject, characters. */
const subjectMax = 70

const staged = /^[\w-]+(?:, [\w-]+)*: (?<text>\S.*)$/

/** Subjects that git writes, the marks of a later rebase included. */
const generated =
  /^(?:Merge (?:branch|branches|commit|commits|pull request|remote-tracking branch|tag)|Revert "|Reapply "|(?:amend|fixup|squash)! )/

/** The first paragraph on one line, as git reads a subject. */
const subjectOf = (message) => {
  const lines = message.split(/\r?\n/).filter((line) => !line.startsWith("#"))
  return lines
    .join("\n")
    .trim()
    .split(/\n\s*\n/)[0]
    .replaceAll("\n", " ")
}

/** The fault of a message's subject; undefined if it has none, or if the message is empty, which git refuses. */
export const subjectFault = (message) => {
  const subject = subjectOf(message)
  if (subject === "" || generated.test(subject)) return undefined
  const { length } = [...subject]
  if (length > subjectMax) return `has ${length} characters (at most ${subjectMax})`
  const text = staged.exec(subject)?.groups.text
  if (text === undefined) return "names no stage (expected for example: match: refuse regex on numbers)"
  const [word] = headless.exec(text) ?? []
  if (word !== undefined) return `begins with "${word}" (expected an imperative: refuse, limit, show)`
  return undefined
}

/** In a checkout of an older version, and without Node, commits are not checked. */
const hook = `#!/bin/sh
# Installed by npm (ops/commit-msg.mjs).
if [ -f ops/commit-msg.mjs ] && command -v node >/dev/null; then exec node ops/commit-msg.mjs "$1"; fi
`

/** Writes the hook into a clone: a package has no `.git`, a worktree has the hooks of its clone. */
export const install = () => {
  const git = fileURLToPath(new URL("../.git", import.meta.url))
  try {
    if (!lstatSync(git).isDirectory()) return
    mkdirSync(join(git, "hooks"), { recursive: true })
    writeFileSync(join(git, "hooks", "commit-msg"), hook, { flag: "wx", mode: 0o755 })
  } catch {
    // No clone, another hook, or a folder that is read-only. An installation does not fail because of it.
  }
}

if (process.argv[1]?.endsWith("commit-msg.mjs")) {
  const fault = subjectFault(readFileSync(process.argv[2], "utf8"))
  if (fault !== undefined) {
    console.error(`The commit's subject ${fault}`)
    process.exitCode = 1
  }
}
