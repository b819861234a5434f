/** CPU time and memory of a process, from the kernel. */
import { readFileSync } from "node:fs"

export interface Usage {
  /** User and system time. */
  readonly cpuSeconds: number
  /** Peak memory. */
  readonly peakMegabytes: number
}

/** Ticks of the kernel's CPU accounting per second; a constant of Linux's interface. */
const ticksPerSecond = 100

export const usageOf = (pid: number): Usage => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ")
    const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))
    return {
      cpuSeconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond,
      peakMegabytes: Number(peak?.[1] ?? 0) / 1024
    }
  } catch {
    // Not on Linux, or the process has ended.
    return { cpuSeconds: Number.NaN, peakMegabytes: Number.NaN }
  }
}
