/** `rackwire serve` under a supervisor that restarts it whenever it ends, as an init system would. */
import { type ChildProcess, spawn } from "node:child_process"
import { closeSync, openSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { token } from "./Template.ts"
import type { Timeline } from "./Timeline.ts"

const program = fileURLToPath(new URL("../../bin/rackwire.mjs", import.meta.url))
const clockJump = new URL("ClockJump.ts", import.meta.url).href

/** Pause before a process that ended is started again, milliseconds. */
const restartMillis = 300

export interface ServiceOptions {
  readonly name: string
  readonly port: number
  readonly roles: string
  readonly environment: Readonly<Record<string, string>>
  readonly logFile: string
  readonly timeline: Timeline
}

export class ServiceProcess {
  readonly name: string
  readonly url: string
  private readonly options: ServiceOptions
  private child: ChildProcess | undefined
  private isWanted = true
  private ended: Promise<void> = Promise.resolve()
  /** Processes whose end was our doing. */
  private readonly killed = new Set<ChildProcess>()

  constructor(options: ServiceOptions) {
    this.options = options
    this.name = options.name
    this.url = `http://127.0.0.1:${options.port}`
    this.start()
  }

  get pid(): number {
    return this.child?.pid ?? 0
  }

  /** SIGKILL; the supervisor starts it again. */
  kill(): void {
    if (this.child === undefined) return
    this.killed.add(this.child)
    this.child.kill("SIGKILL")
  }

  /** Stops the process where it is; answers how to let that process go on. */
  freeze(): () => void {
    const { child } = this
    child?.kill("SIGSTOP")
    return () => void child?.kill("SIGCONT")
  }

  /** Its clock jumps by an hour, ahead, back, or home. */
  jump(): void {
    this.child?.kill("SIGUSR2")
  }

  /** Ends it for good. */
  async stop(): Promise<void> {
    this.isWanted = false
    this.child?.kill("SIGCONT")
    this.child?.kill("SIGKILL")
    await this.ended
  }

  /** Whether it says of itself that nothing keeps it from its work, and has no alarm but the gaps of earlier seeds. */
  async isReady(): Promise<boolean> {
    try {
      const headers = { authorization: `Token ${token}` }
      const response = await fetch(`${this.url}/health/`, { headers, signal: AbortSignal.timeout(1000) })
      const { status, alarms = [] } = (await response.json()) as { status: string; alarms?: ReadonlyArray<string> }
      return status !== "not ready" && alarms.every((alarm) => alarm.includes("not acknowledged"))
    } catch {
      return false
    }
  }

  private start(): void {
    const { environment, logFile, port, roles, timeline, name } = this.options
    const log = openSync(logFile, "a")
    const child = spawn(process.execPath, ["--import", clockJump, program, "serve", "--roles", roles], {
      env: { PATH: process.env["PATH"], HOME: process.env["HOME"], PORT: `${port}`, ...environment },
      stdio: ["ignore", log, log]
    })
    closeSync(log)
    this.child = child
    this.ended = new Promise((resolve) => {
      child.once("exit", (code, signal) => {
        this.child = undefined
        if (!this.killed.has(child) && this.isWanted)
          timeline.note(`service ${name} ended by itself: ${signal ?? code}`)
        if (this.isWanted) setTimeout(() => this.isWanted && this.start(), restartMillis)
        resolve()
      })
    })
  }
}
