/** The progress of a move on the standard error: the rows of an object type, their rate, and the time that is left. */
import { Clock, Effect } from "effect"

interface Output {
  readonly isTTY: boolean
  readonly write: (text: string) => unknown
}

/** Pause between two lines, milliseconds: a terminal shows one line, a log has all of them. */
const pauseMillis = { terminal: 200, log: 10_000 }

/** Rows are counted for this long before their rate says something, milliseconds. */
const rateMillis = 1000

/** `dcim.interface: 12000 of 192000, 4100/s, 44 s left`. */
export const progressText = (type: string, rows: number, of: number, millis: number): string => {
  const counted = `${type}: ${rows} of ${of}`
  if (millis < rateMillis || rows === 0) return counted
  const rate = (rows / millis) * 1000
  const left = Math.ceil((of - rows) / rate)
  const time = left >= 120 ? `${Math.round(left / 60)} min` : `${left} s`
  return `${counted}, ${Math.round(rate)}/s${rows < of ? `, ${time} left` : ""}`
}

/** Writes the progress of types that follow each other. */
export const progressOn = (output: Output) => {
  const { isTTY } = output
  const pause = isTTY ? pauseMillis.terminal : pauseMillis.log
  let [current, began] = ["", 0]
  let shown: number | undefined
  let last: number | undefined
  const line = (type: string, rows: number, of: number, now: number): void => {
    if (type !== current) {
      // The first page of a type was read since the last call.
      began = last ?? now
      current = type
    }
    last = now
    shown ??= now
    if (now - shown < pause) return
    shown = now
    const text = progressText(type, rows, of, now - began)
    output.write(isTTY ? `\r\u{1B}[K${text}` : `${text}\n`)
  }
  return {
    progress: (type: string, rows: number, of: number) =>
      Effect.map(Clock.currentTimeMillis, (now) => line(type, rows, of, now)),
    /** Removes the line of a terminal. */
    end: Effect.sync(() => {
      if (isTTY) output.write("\r\u{1B}[K")
    })
  }
}
