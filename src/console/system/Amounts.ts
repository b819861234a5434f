/** Times that have passed, and amounts of bytes, as people read them. Pure but for the clock that is given. */
import { durationText } from "../value/Duration.ts"

/** `1.2 s`, from an ISO 8601 time to now; "" if it lies ahead. */
export const ageText = (time: string, nowMillis: number): string => {
  const millis = nowMillis - Date.parse(time)
  return millis < 0 ? "" : durationText(millis)
}

const units = ["B", "kB", "MB", "GB", "TB"]

/** 1_572_864 -> `1.5 MB`. */
export const bytesText = (bytes: number): string => {
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log(bytes) / Math.log(1024)), units.length - 1)
  const amount = bytes / 1024 ** power
  return `${amount >= 100 || power === 0 ? Math.round(amount) : Math.round(amount * 10) / 10} ${units[power]!}`
}
