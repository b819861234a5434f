/**
 * The data directory: its owner, the servers that run from it, and its generated secrets.
 *
 *   secrets.json   generated once: SECRET_KEY and the passwords of the servers, their superuser's included (0600)
 *   owner.json     the process that owns the servers, and where they answer (0600)
 *   ports.json     the ports of the servers, chosen once (0600)
 *   database-url   the address of the embedded Postgres, for `psql "$(cat .rackwire/database-url)"` (0600)
 *
 * One process owns the directory at a time. An owner is identified by process id and start time, so a process that
 * reuses the id of a dead owner is not mistaken for it.
 */
import { execFileSync } from "node:child_process"
import { randomBytes } from "node:crypto"
import {
  accessSync,
  constants,
  existsSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync
} from "node:fs"
import { join, resolve } from "node:path"

interface Secrets {
  readonly secretKey: string
  readonly postgresPassword: string
  /** Password of the role that created the cluster. */
  readonly superuserPassword: string
  readonly redisPassword: string
}

/** A process, identified so that a later process with the same id differs. */
interface Identity {
  readonly pid: number
  readonly started: string
}

export interface Owner {
  readonly process: Identity
  readonly servers: ReadonlyArray<Identity>
  readonly databaseUrl: string
  readonly redisUrl: string
  /** Whether all servers have answered; undefined in files of earlier versions. */
  readonly isReady?: boolean
}

export class DataDirectory {
  readonly path: string

  constructor(path: string) {
    this.path = resolve(path)
    mkdirSync(this.path, { recursive: true })
  }

  file(...names: ReadonlyArray<string>): string {
    return join(this.path, ...names)
  }

  /** Names the user who owns the directory, or a file in it, that this process cannot use; undefined if it can use all. */
  ownerProblem(): string | undefined {
    const uid = process.getuid?.()
    const files = ["", "secrets.json", "owner.json", "ports.json"].map((name) => this.file(name))
    const foreign = files.find((file) => existsSync(file) && statSync(file).uid !== uid && !isUsable(file))
    if (uid === undefined || foreign === undefined) return undefined
    const [owner, user] = [statSync(foreign).uid, uid].map(userName)
    return `${foreign} belongs to ${owner}, and this process runs as ${user}: run it as ${owner}, or set RACKWIRE_DATA_DIR to another directory.`
  }

  /** The secrets of this directory; generates missing ones. */
  secrets(): Secrets {
    const file = this.file("secrets.json")
    const known = (existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {}) as Partial<Secrets>
    const word = () => randomBytes(32).toString("base64url")
    const { secretKey = word(), postgresPassword = word(), superuserPassword = word(), redisPassword = word() } = known
    const secrets = { secretKey, postgresPassword, superuserPassword, redisPassword }
    const isComplete = Object.keys(secrets).every((name) => Object.hasOwn(known, name))
    if (!isComplete) writePrivate(file, JSON.stringify(secrets))
    return secrets
  }

  /** The owner, if it is alive; `orphans` has the servers of a dead one. */
  owner(): Owner | undefined {
    const owner = this.recorded()
    return owner !== undefined && isAlive(owner.process) ? owner : undefined
  }

  /** Servers that still run although their owner is dead. */
  orphans(): ReadonlyArray<Identity> {
    const owner = this.recorded()
    return owner === undefined || isAlive(owner.process) ? [] : owner.servers.filter(isAlive)
  }

  /**
   * Tries to become the owner; returns false if a living process is. The file appears with its content, and only where
   * there is none, so of several processes that try at once one succeeds.
   */
  claim(): boolean {
    const nobody: Owner = { process: identify(process.pid), servers: [], databaseUrl: "", redisUrl: "", isReady: false }
    const [file, draft, old] = [
      this.file("owner.json"),
      this.file(`owner.${process.pid}`),
      this.file(`dead.${process.pid}`)
    ]
    writeFileSync(draft, JSON.stringify(nobody), { mode: 0o600 })
    try {
      // Once more after the file of a dead owner is deleted.
      if (placed(draft, file)) return true
      if (this.owner() !== undefined) return false
      renameSync(file, old)
      // Another process may have replaced it in between.
      const isStolen = readOwner(old) !== undefined && isAlive(readOwner(old)!.process)
      if (isStolen) placed(old, file)
      return !isStolen && placed(draft, file)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return false
      throw error
    } finally {
      rmSync(draft, { force: true })
      rmSync(old, { force: true })
    }
  }

  /** The ports of the servers, once they were chosen: every owner uses the same, so that addresses stay. */
  ports(): ReadonlyArray<number> | undefined {
    try {
      return JSON.parse(readFileSync(this.file("ports.json"), "utf8")) as ReadonlyArray<number>
    } catch {
      return undefined
    }
  }

  keepPorts(ports: ReadonlyArray<number>): void {
    writePrivate(this.file("ports.json"), JSON.stringify(ports))
  }

  record(owner: Owner): void {
    writePrivate(this.file("owner.json"), JSON.stringify(owner))
    writePrivate(this.file("database-url"), `${owner.databaseUrl}\n`)
  }

  release(): void {
    rmSync(this.file("owner.json"), { force: true })
    rmSync(this.file("database-url"), { force: true })
  }

  private recorded(): Owner | undefined {
    return readOwner(this.file("owner.json"))
  }
}

const readOwner = (file: string): Owner | undefined => {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Owner
  } catch {
    return undefined
  }
}

/** Whether this process may read and write the file, and enter a directory. */
const isUsable = (file: string): boolean => {
  const { R_OK, W_OK, X_OK } = constants
  try {
    accessSync(file, R_OK | W_OK | (statSync(file).isDirectory() ? X_OK : 0))
    return true
  } catch {
    return false
  }
}

const userName = (uid: number): string => {
  const users = existsSync("/etc/passwd") ? readFileSync("/etc/passwd", "utf8").split("\n") : []
  const found = users.map((line) => line.split(":")).find((fields) => fields[2] === `${uid}`)
  return found === undefined ? `the user ${uid}` : `${found[0]}`
}

/** Gives the file a second name; false if there is a file of that name. */
const placed = (file: string, name: string): boolean => {
  try {
    linkSync(file, name)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false
    throw error
  }
}

/** Replaces the file atomically: a reader sees the old or the new content, even after a crash. */
const writePrivate = (file: string, content: string): void => {
  writeFileSync(`${file}.new`, content, { mode: 0o600 })
  renameSync(`${file}.new`, file)
}

/** The start time of a process, in the system's format; undefined if there is no such process. */
const startedAt = (pid: number): string | undefined => {
  try {
    if (process.platform === "linux") {
      const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
      // A zombie has ended, but its parent has not waited for it yet.
      return fields[0] === "Z" ? undefined : fields[19]
    }
    return (
      execFileSync("ps", ["-o", "lstart=", "-p", `${pid}`], { encoding: "utf8", stdio: "pipe" }).trim() || undefined
    )
  } catch {
    return undefined
  }
}

export const identify = (pid: number): Identity => ({ pid, started: startedAt(pid) ?? "" })

export const isAlive = (identity: Identity): boolean => startedAt(identity.pid) === identity.started

/** The last lines of a log file, for an error message. */
export const readTail = (file: string, lines = 8): string => {
  try {
    return readFileSync(file, "utf8").trimEnd().split("\n").slice(-lines).join("\n")
  } catch {
    return "(no log)"
  }
}
