/** Lengths of time and of texts as people read them. Pure. */
import { number } from "../list/Pager.ts"

/** `0.4 ms`, `204 ms`, `1.2 s`, `6 min 31 s`, `2 h 5 min`, `3 d 4 h`. */
export const durationText = (millis: number): string => {
  if (millis < 10) return `${Math.round(millis * 10) / 10} ms`
  if (millis < 1000) return `${Math.round(millis)} ms`
  if (millis < 59_950) return `${(millis / 1000).toFixed(1)} s`
  const seconds = Math.round(millis / 1000)
  const [minutes, hours, days] = [Math.floor(seconds / 60), Math.floor(seconds / 3600), Math.floor(seconds / 86_400)]
  if (minutes < 60) return joined(minutes, "min", seconds % 60, "s")
  return hours < 24 ? joined(hours, "h", minutes % 60, "min") : joined(days, "d", hours % 24, "h")
}

const joined = (large: number, one: string, small: number, other: string): string =>
  small === 0 ? `${large} ${one}` : `${large} ${one} ${small} ${other}`

/** 618 -> `618 B`, 34210 -> `33.4 kB`. */
export const sizeText = (bytes: number): string =>
  bytes < 1024 ? `${bytes} B` : `${number(Math.round(bytes / 102.4) / 10)} kB`
