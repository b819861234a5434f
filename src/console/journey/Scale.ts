/** A logarithmic time scale: attempts take milliseconds, and retries wait for hours. Pure. */

/** Below this time the scale is nearly linear, milliseconds. */
const linearMillis = 10

const tickMillis = [0, 10, 100, 1000, 10_000, 60_000, 600_000, 3_600_000, 21_600_000, 86_400_000, 604_800_000]

/** Least distance of two ticks, percent. */
const apart = 14

interface Scale {
  /** The place of a time, percent. */
  readonly at: (millis: number) => number
  readonly ticks: ReadonlyArray<{ readonly millis: number; readonly at: number }>
}

/** The scale from 0 to `maxMillis`. */
export const scaleOf = (maxMillis: number): Scale => {
  const end = Math.log1p(Math.max(maxMillis, 1) / linearMillis)
  const at = (millis: number) => Math.round((Math.log1p(Math.max(millis, 0) / linearMillis) / end) * 1000) / 10
  const ticks: Array<Scale["ticks"][number]> = []
  for (const millis of tickMillis) {
    const place = at(millis)
    if (place <= 100 && place >= (ticks.at(-1)?.at ?? -apart) + apart) ticks.push({ millis, at: place })
  }
  return { at, ticks }
}

const units = [
  [86_400_000, "d"],
  [3_600_000, "h"],
  [60_000, "min"],
  [1000, "s"]
] as const

/** `12 ms`, `1.3 s`, `4 min` */
export const durationOf = (millis: number): string => {
  const unit = units.find(([size]) => millis >= size)
  if (unit === undefined) return `${Math.round(millis)} ms`
  const [size, name] = unit
  const count = millis / size
  return `${count < 10 && !Number.isInteger(count) ? count.toFixed(1) : Math.round(count)} ${name}`
}
