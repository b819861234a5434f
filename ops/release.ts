/**
 * `npm run release [-- --publish]`: packs the committed version, checks the tarball in an empty folder, and publishes
 * it; without `--publish` npm only says what it would do. Keeps the tarball and its bill of materials in `release/`.
 * On a CI that npm can verify (GitHub, GitLab) the published package has a provenance statement.
 */
import { execFileSync } from "node:child_process"
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const out = join(root, "release")
const { name, version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
  readonly name: string
  readonly version: string
}

const run = (command: string, args: ReadonlyArray<string>, cwd = root): string =>
  execFileSync(command, args, {
    cwd,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 64 * 1024 * 1024
  })

const say = (what: string): void => console.log(`== ${what}`)

const changed = run("git", ["status", "--porcelain"])
if (changed !== "") throw new Error(`not committed:\n${changed}`)

say("dependencies")
console.log(run("npm", ["run", "--silent", "supply"]))

say("tarball")
rmSync(out, { recursive: true, force: true })
mkdirSync(out)
run("npm", ["pack", "--silent", "--pack-destination", out])
const tarball = join(out, `${name}-${version}.tgz`)

say("the tarball in an empty folder")
const folder = mkdtempSync(join(tmpdir(), "rackwire-release-"))
try {
  // npm makes a bill of materials of packages with a version only.
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "release", version, private: true }))
  run("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund", tarball], folder)
  const told = run("npx", ["rackwire", "--version"], folder)
  if (!told.includes(version)) throw new Error(`it is not version ${version}: ${told}`)
  const shown = run("npx", ["rackwire", "demo"], folder)
  console.log(shown)
  if (shown.match(/\| valid /g)?.length !== 5) throw new Error("the demo did not receive 5 signed webhooks")
  writeFileSync(join(out, "sbom.json"), run("npm", ["sbom", "--sbom-format=cyclonedx"], folder))
} finally {
  rmSync(folder, { recursive: true, force: true })
}

const { ACTIONS_ID_TOKEN_REQUEST_URL, SIGSTORE_ID_TOKEN } = process.env
const isVerifiable = ACTIONS_ID_TOKEN_REQUEST_URL !== undefined || SIGSTORE_ID_TOKEN !== undefined
const isPublished = process.argv.includes("--publish")
say(isPublished ? "published" : "what would be published")
console.log(
  run("npm", [
    ...["publish", tarball, "--access", "public", "--loglevel", "warn"],
    ...(isVerifiable ? ["--provenance"] : []),
    ...(isPublished ? [] : ["--dry-run"])
  ])
)
