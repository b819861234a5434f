/** CPU time and memory of processes, from the kernel. */
import { readFileSync, readdirSync } from "node:fs"

export interface Usage {
  /** User and system time. */
  readonly cpuSeconds: number
  /** Peak memory. */
  readonly peakMegabytes: number
}

/** Ticks of the kernel's CPU accounting per second; a constant of Linux's interface. */
const ticksPerSecond = 100

interface Stat {
  readonly parent: number
  readonly ownTicks: number
  /** Ticks of children that have ended. */
  readonly reapedTicks: number
}

const statOf = (pid: number | string): Stat => {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8")
  const fields = stat
    .slice(stat.lastIndexOf(")") + 2)
    .split(" ")
    .map(Number)
  const sum = (from: number) => fields[from]! + fields[from + 1]!
  return { parent: fields[1]!, ownTicks: sum(11), reapedTicks: sum(13) }
}

export const usageOf = (pid: number): Usage => {
  try {
    const peak = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))
    return { cpuSeconds: statOf(pid).ownTicks / ticksPerSecond, peakMegabytes: Number(peak?.[1] ?? 0) / 1024 }
  } catch {
    // Not on Linux, or the process has ended.
    return { cpuSeconds: Number.NaN, peakMegabytes: Number.NaN }
  }
}

/** CPU seconds of a process and all below it, those that have ended included. */
export const cpuOfTree = (root: number): number => {
  const stats = new Map<number, Stat>()
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue
    try {
      stats.set(Number(name), statOf(name))
    } catch {
      // It has ended.
    }
  }
  const ticksOf = (pid: number): number => {
    const own = stats.get(pid)
    if (own === undefined) return 0
    const below = [...stats].filter(([, { parent }]) => parent === pid)
    return below.reduce((sum, [child]) => sum + ticksOf(child), own.ownTicks + own.reapedTicks)
  }
  return ticksOf(root) / ticksPerSecond
}
