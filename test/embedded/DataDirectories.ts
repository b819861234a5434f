/** Data directories with embedded servers for the tests of one file, and the processes that own them. */
import { execFileSync } from "node:child_process"
import { readFileSync, rmSync } from "node:fs"
import { join } from "node:path"
import { afterAll, afterEach, beforeAll, beforeEach } from "vitest"
import { eventually } from "../support/Eventually.ts"
import { type ServiceProcess, startProcess } from "../support/Process.ts"
import { makeScratch } from "../support/Scratch.ts"

export interface Owner {
  readonly process: { readonly pid: number }
  readonly databaseUrl: string
  readonly servers: ReadonlyArray<{ readonly pid: number }>
}

/** A data directory that was made once: making the cluster and its tables takes most of a first start. */
let template: string
/** The data directory of the current test: a copy. */
export let directory: string
const running = new Set<ServiceProcess>()

// As a clone in /root or in `mktemp -d`: nobody else may enter.
export const makeDirectory = (): string => makeScratch("rackwire-embedded-")

export const start = async (folder = directory): Promise<ServiceProcess> => {
  const service = await startProcess({ RACKWIRE_DATA_DIR: folder, A_TOKEN_OF_OURS: "secret" })
  running.add(service)
  return service
}

export const stop = async (service: ServiceProcess, signal: NodeJS.Signals): Promise<void> => {
  running.delete(service)
  await service.stop(signal)
}

export const owner = (folder = directory): Owner =>
  JSON.parse(readFileSync(join(folder, "owner.json"), "utf8")) as Owner

const seen = new Set<number>()
export const serverPids = (): ReadonlyArray<number> => {
  try {
    for (const { pid } of owner().servers) seen.add(pid)
  } catch {
    // Nobody owns it any more.
  }
  return [...seen]
}

export const isAlive = (pid: number): boolean => {
  try {
    // A server whose parent was killed stays as a zombie until the system's first process has looked.
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ")
  } catch {
    return false
  }
}

/** Waits until none of these processes is left. */
export const ended = (pids: () => ReadonlyArray<number>) =>
  eventually("the servers ended", () => pids().every((pid) => !isAlive(pid)))

/** Gives each test of the file a copy of a data directory, and ends the processes and servers of the test after it. */
export const useDirectories = (): void => {
  beforeAll(async () => {
    template = makeDirectory()
    const service = await start(template)
    const pids = owner(template).servers.map(({ pid }) => pid)
    await stop(service, "SIGTERM")
    await ended(() => pids)
  })

  afterAll(() => rmSync(template, { recursive: true }))

  beforeEach(() => {
    directory = makeDirectory()
    // With owners and modes: Postgres insists on them.
    execFileSync("cp", ["-a", `${template}/.`, directory])
  })

  afterEach(async () => {
    await Promise.all([...running].map((service) => service.stop("SIGKILL")))
    running.clear()
    await ended(serverPids)
    rmSync(directory, { recursive: true, force: true })
  })
}
