/**
 * `npm run test:image`: carries out the steps of the Dockerfile in an empty Debian instead of the base image, and
 * starts the result as its user on a Postgres and a Redis outside of it. Passes if the health check of the image does,
 * and if the service says that it is ready. Needs root, `debootstrap` and the network.
 */
import { execFileSync, spawn } from "node:child_process"
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { basename, dirname, join } from "node:path"
import { fileURLToPath } from "node:url"
import { freePorts } from "../../../src/embedded/Ports.ts"
import { eventually } from "../../support/Eventually.ts"
import { startServers } from "../../support/EmbeddedServers.ts"
import { type Instruction, type Stage, stagesOf, wordsOf } from "./Instructions.ts"

const repository = fileURLToPath(new URL("../../../", import.meta.url))
const folder = mkdtempSync(join(tmpdir(), "rackwire-image-"))
const path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

/** The base image: Debian, Node, npm, and a user `node`. */
const makeBase = (root: string): void => {
  execFileSync("debootstrap", ["--variant=minbase", "bookworm", root], { stdio: ["ignore", "ignore", "inherit"] })
  cpSync(process.execPath, join(root, "usr/local/bin/node"))
  const npm = dirname(dirname(realpathSync(execFileSync("which", ["npm"], { encoding: "utf8" }).trim())))
  cpSync(npm, join(root, "usr/local/lib/node_modules/npm"), { recursive: true })
  execFileSync("chroot", [root, "ln", "-s", "../lib/node_modules/npm/bin/npm-cli.js", "/usr/local/bin/npm"])
  execFileSync("chroot", [root, "useradd", "--create-home", "--uid", "1000", "node"])
  // The network of this machine, and whom it trusts.
  mkdirSync(join(root, "etc/ssl/certs"), { recursive: true })
  for (const file of ["/etc/resolv.conf", "/etc/ssl/certs/ca-certificates.crt"]) {
    if (existsSync(file)) cpSync(file, join(root, file), { dereference: true })
  }
}

/** Settings with which an instruction of a stage, or the image itself, runs. */
interface Surroundings {
  readonly environment: Readonly<Record<string, string>>
  readonly directory: string
  readonly user: string
}

const empty: Surroundings = {
  environment: { PATH: path, HOME: "/tmp", NODE_EXTRA_CA_CERTS: "/etc/ssl/certs/ca-certificates.crt" },
  directory: "/",
  user: "root"
}

/** Carries out an instruction; returns what those after it run with. */
const carryOut = (root: string, { name, text }: Instruction, around: Surroundings): Surroundings => {
  if (name === "WORKDIR") mkdirSync(join(root, text), { recursive: true })
  if (name === "RUN") inside(root, around, ["sh", "-c", text])
  if (name === "COPY") copy(join(root, around.directory), text)
  const [variable = "", value = ""] = text.split("=")
  return {
    environment: name === "ENV" ? { ...around.environment, [variable]: value } : around.environment,
    directory: name === "WORKDIR" ? text : around.directory,
    user: name === "USER" ? text : around.user
  }
}

const copy = (directory: string, text: string): void => {
  const [, stage] = /^--from=(\S+)/.exec(text) ?? []
  const from = stage === undefined ? repository : join(folder, stage)
  const sources = text.split(/\s+/).slice(stage === undefined ? 0 : 1)
  const target = sources.pop()!
  for (const source of sources) {
    const to = join(directory, target, target.endsWith("/") ? basename(source) : "")
    cpSync(join(from, source), to, { recursive: true, verbatimSymlinks: true })
  }
}

/**
 * The arguments of `unshare` for a program in a root. Its /proc is mounted for this process only, so that nothing is
 * left to unmount.
 */
const inRoot = (root: string, { user, directory, environment }: Surroundings, words: ReadonlyArray<string>) => [
  ...["--mount", "sh", "-c", 'mount -t proc proc "$0/proc" && exec chroot "$@"', root],
  ...["--userspec", user, root, "env", "-i", "--chdir", directory],
  ...Object.entries(environment).map(([name, value]) => `${name}=${value}`),
  ...words
]

const inside = (...what: Parameters<typeof inRoot>): void => {
  execFileSync("unshare", inRoot(...what), { stdio: ["ignore", "inherit", "inherit"] })
}

/** Starts the image as an engine would, and runs its health check when it is ready. */
const start = async (root: string, image: Stage, built: Surroundings): Promise<void> => {
  const servers = await startServers(join(folder, "servers"))
  const [port] = await freePorts(1)
  const environment = {
    ...built.environment,
    ...{ PORT: `${port}`, SECRET_KEY: "a key for the image, of some length" },
    ...{ DATABASE_URL: servers.databaseUrl, REDIS_URL: servers.redisUrl }
  }
  const command = [...wordsOf(image, "ENTRYPOINT"), ...wordsOf(image, "CMD")]
  const service = spawn("unshare", inRoot(root, { ...built, environment }, command), {
    stdio: ["ignore", "pipe", "inherit"]
  })
  const ended = new Promise((resolve) => service.once("exit", resolve))
  try {
    let output = ""
    service.stdout.on("data", (chunk: Buffer) => (output += chunk.toString()))
    const ready = await eventually("the image is ready", () => /^ready \S+$/m.exec(output)?.[0])
    inside(root, { ...built, environment }, wordsOf(image, "HEALTHCHECK"))
    console.log(`passed: ${ready}, and the health check of the image answers`)
  } finally {
    service.kill("SIGTERM")
    await ended
    await servers.stop()
  }
}

try {
  const base = join(folder, "base")
  makeBase(base)
  for (const stage of stagesOf(readFileSync(join(repository, "Dockerfile"), "utf8"))) {
    const root = join(folder, stage.name)
    execFileSync("cp", ["-a", base, root])
    let around = empty
    for (const instruction of stage.instructions) {
      console.log(`${stage.name}: ${instruction.name} ${instruction.text}`)
      around = carryOut(root, instruction, around)
    }
    if (stage.name !== "image") continue
    console.log(execFileSync("du", ["-sh", join(root, around.directory)], { encoding: "utf8" }).trim())
    await start(root, stage, around)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
