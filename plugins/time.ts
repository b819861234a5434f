/** Dates and times: parsed from ISO 8601 or seconds since 1970, formatted in any zone. Templates have no clock. */
import { type Call, type Json, definePlugin } from "#plugin"

/** Microseconds since 1970. */
type Micros = bigint

const iso = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?)?\s*(Z|[+-]\d\d:?(?:\d\d)?)?$/i

/** Instants that Date can hold, microseconds on either side of 1970. */
const instantMost = 8_640_000_000_000_000_000n

const instant = (input: Json | undefined): Micros => {
  const micros =
    typeof input === "number"
      ? BigInt(Math.round(input * 1e6))
      : typeof input === "bigint"
        ? input * 1_000_000n
        : parseIso(String(input ?? ""))
  if (micros > instantMost || micros < -instantMost) throw new Error("the time is out of range")
  return micros
}

const parseIso = (text: string): Micros => {
  const match = iso.exec(text.trim())
  if (match === null) throw new Error(`${JSON.stringify(text)} is no time in ISO 8601`)
  const [, year = "", month = "", day = "", hour = "0", minute = "0", second = "0", fraction = "", zone = "Z"] = match
  const parts = [Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second)] as const
  const date = new Date(Date.UTC(2000, ...parts))
  date.setUTCFullYear(Number(year), parts[0], parts[1])
  const same =
    date.getUTCMonth() === parts[0] && date.getUTCDate() === parts[1] && parts[2] < 24 && parts[3] < 60 && parts[4] < 60
  if (!same) throw new Error(`${JSON.stringify(text)} is no time that there is`)
  const micros = BigInt(fraction.padEnd(6, "0").slice(0, 6))
  return BigInt(date.getTime() - offsetOf(zone) * 60_000) * 1000n + micros
}

/** Minutes east of Greenwich. */
const offsetOf = (zone: string): number => {
  const match = /^([+-])(\d\d):?(\d\d)?$/.exec(zone)
  if (match === null) return 0
  const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0)
  return match[1] === "-" ? -minutes : minutes
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Most zones in the cache. */
const zonesKept = 50

const formatOf = (zone: string): Intl.DateTimeFormat => {
  const known = formats.get(zone)
  if (known !== undefined) return known
  let format: Intl.DateTimeFormat
  try {
    format = new Intl.DateTimeFormat("en-US", { timeZone: zone, timeZoneName: "longOffset", era: "short" })
  } catch {
    throw new Error(`there is no time zone ${JSON.stringify(zone)}`)
  }
  if (formats.size >= zonesKept) formats.clear()
  formats.set(zone, format)
  return format
}

/** Offset of the zone at the time, minutes east of Greenwich. */
const zoneOffset = (zone: string, micros: Micros): number => {
  if (zone === "UTC") return 0
  const parts = formatOf(zone).formatToParts(new Date(millisOf(micros)))
  const name = parts.find(({ type }) => type === "timeZoneName")?.value ?? "GMT"
  return offsetOf(name.slice(3))
}

const millisOf = (micros: Micros): number => {
  const millis = micros / 1000n
  return Number(micros < 0n && micros % 1000n !== 0n ? millis - 1n : millis)
}

/** A time as a clock in the zone shows it. */
interface Shown {
  readonly date: Date
  readonly micros: number
  /** Minutes east of Greenwich. */
  readonly offset: number
  readonly zone: string
}

const show = (micros: Micros, zone: string): Shown => {
  const offset = zoneOffset(zone, micros)
  const rest = ((micros % 1_000_000n) + 1_000_000n) % 1_000_000n
  return { date: new Date(millisOf(micros) + offset * 60_000), micros: Number(rest), offset, zone }
}

const two = (value: number): string => String(value).padStart(2, "0")

const writeOffset = (offset: number, colon: string): string => {
  const size = Math.abs(offset)
  return `${offset < 0 ? "-" : "+"}${two(Math.floor(size / 60))}${colon}${two(size % 60)}`
}

const weekdays = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"]
const months = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December"
]

const dayOfYear = (date: Date): number =>
  (Date.UTC(2000, date.getUTCMonth(), date.getUTCDate()) - Date.UTC(2000, 0, 1)) / 86_400_000 +
  1 -
  (isLeap(date.getUTCFullYear()) || date.getUTCMonth() < 2 ? 0 : 1)

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

const hour12 = (date: Date): number => date.getUTCHours() % 12 || 12

/** ISO 8601's week and the year that it belongs to. */
const isoWeek = (date: Date): { readonly year: number; readonly week: number } => {
  const weekday = date.getUTCDay() || 7
  const thursday = new Date(date.getTime() + (4 - weekday) * 86_400_000)
  return { year: thursday.getUTCFullYear(), week: Math.floor((dayOfYear(thursday) - 1) / 7) + 1 }
}

/** Python's directives, in the C locale. */
const directives: Readonly<Record<string, (shown: Shown) => string>> = {
  Y: ({ date }) => String(date.getUTCFullYear()),
  y: ({ date }) => two(date.getUTCFullYear() % 100),
  m: ({ date }) => two(date.getUTCMonth() + 1),
  B: ({ date }) => months[date.getUTCMonth()]!,
  b: ({ date }) => months[date.getUTCMonth()]!.slice(0, 3),
  d: ({ date }) => two(date.getUTCDate()),
  e: ({ date }) => String(date.getUTCDate()).padStart(2),
  j: ({ date }) => String(dayOfYear(date)).padStart(3, "0"),
  A: ({ date }) => weekdays[date.getUTCDay()]!,
  a: ({ date }) => weekdays[date.getUTCDay()]!.slice(0, 3),
  u: ({ date }) => String(date.getUTCDay() || 7),
  w: ({ date }) => String(date.getUTCDay()),
  V: ({ date }) => two(isoWeek(date).week),
  G: ({ date }) => String(isoWeek(date).year),
  H: ({ date }) => two(date.getUTCHours()),
  I: ({ date }) => two(hour12(date)),
  p: ({ date }) => (date.getUTCHours() < 12 ? "AM" : "PM"),
  M: ({ date }) => two(date.getUTCMinutes()),
  S: ({ date }) => two(date.getUTCSeconds()),
  f: ({ micros }) => String(micros).padStart(6, "0"),
  z: ({ offset }) => writeOffset(offset, ""),
  Z: ({ zone }) => zone,
  F: (shown) => strftime(shown, "%Y-%m-%d"),
  T: (shown) => strftime(shown, "%H:%M:%S"),
  R: (shown) => strftime(shown, "%H:%M"),
  s: ({ date, offset }) => String(Math.floor(date.getTime() / 1000) - offset * 60),
  "%": () => "%"
}

const strftime = (shown: Shown, format: string): string =>
  format.replace(/%(.)/gs, (whole, directive: string) =>
    Object.hasOwn(directives, directive) ? directives[directive]!(shown) : whole
  )

const text = (value: Json, what: string): string => {
  if (typeof value !== "string") throw new Error(`${what} must be text`)
  return value
}

const zoneOf = (call: Call): string => text(call.named["tz"] ?? "UTC", "tz")

const writeIso = (shown: Shown): string => {
  const fraction = shown.micros === 0 ? "" : `.${directives["f"]!(shown)}`
  return `${strftime(shown, "%Y-%m-%dT%H:%M:%S")}${fraction}${shown.zone === "UTC" ? "Z" : writeOffset(shown.offset, ":")}`
}

const units: Readonly<Record<string, number>> = { weeks: 604_800, days: 86_400, hours: 3600, minutes: 60, seconds: 1 }

const shift = (call: Call, input: Json | undefined): Micros => {
  let seconds = 0
  for (const [unit, amount] of Object.entries(call.named)) {
    if (unit === "tz") continue
    const size = Object.hasOwn(units, unit) ? units[unit] : undefined
    if (size === undefined) throw new Error(`a time is shifted by ${Object.keys(units).join(", ")}, not ${unit}`)
    if (typeof amount !== "number") throw new Error(`${unit} must be a number`)
    seconds += amount * size
  }
  return instant(instantSeconds(instant(input) + BigInt(Math.round(seconds * 1e6))))
}

const instantSeconds = (micros: Micros): Json => Number(micros) / 1e6

export default definePlugin({
  name: "time",
  description: "Dates and times: read, shifted, written in any zone (tz='Europe/Amsterdam'; UTC where it is left out).",
  filters: {
    strftime: (call, input, format = "%Y-%m-%d %H:%M:%S") => {
      const wanted = text(format, "the format")
      call.charge(wanted.length, wanted.length * 16)
      return strftime(show(instant(input), zoneOf(call)), wanted)
    },
    time_iso: (call, input) => writeIso(show(instant(input), zoneOf(call))),
    time_epoch: (_call, input) => {
      const micros = instant(input)
      return micros % 1_000_000n === 0n ? micros / 1_000_000n : Number(micros) / 1e6
    },
    time_shift: (call, input) => writeIso(show(shift(call, input), zoneOf(call))),
    time_since: (_call, input, other = 0) => Number(instant(input) - instant(other)) / 1e6
  },
  tests: {
    time: (_call, input) => {
      try {
        instant(input)
        return true
      } catch {
        return false
      }
    }
  },
  examples: [
    {
      template: "{{ '2024-05-06 07:08:09.123456+00:00'|strftime('%d.%m.%Y %H:%M:%S.%f') }}",
      expect: "06.05.2024 07:08:09.123456"
    },
    {
      template: "{{ '2024-05-06T07:08:09Z'|strftime('%a %e %b %Y, %I:%M %p', tz='America/New_York') }}",
      expect: "Mon  6 May 2024, 03:08 AM"
    },
    { template: "{{ '2024-12-30T00:00:00Z'|strftime('%G-W%V-%u %j') }}", expect: "2025-W01-1 365" },
    {
      template: "{{ 1714979289|time_iso }} {{ '2024-05-06T07:08:09Z'|time_iso(tz='Europe/Amsterdam') }}",
      expect: "2024-05-06T07:08:09Z 2024-05-06T09:08:09+02:00"
    },
    {
      template: "{{ '2024-05-06T09:08:09+02:00'|time_epoch }} {{ '1969-12-31T23:59:59.5Z'|time_epoch }}",
      expect: "1714979289 -0.5"
    },
    { template: "{{ '2024-02-28T12:00:00Z'|time_shift(days=1, hours=-1) }}", expect: "2024-02-29T11:00:00Z" },
    { template: "{{ '2024-05-06T07:08:09Z'|time_since('2024-05-06T07:00:00Z') }}", expect: "489" },
    { template: "{{ '2024-02-30' is time }} {{ '2024-02-29' is time }} {{ 'x' is time }}", expect: "False True False" },
    { template: "{{ 'yesterday'|time_iso }}", expect: { error: "Plugin" } },
    { template: "{{ 0|strftime('%Y', tz='Mars/Base') }}", expect: { error: "Plugin" } }
  ]
})
