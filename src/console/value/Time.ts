/**
 * Times, as readers of any time zone read them. A page is made with times in UTC; the frame moves them all to the zone
 * of the reader's preferences.
 */
import { Html, html } from "../Html.ts"

/** A time to the minute, or to the second. Its title is the exact time in UTC. */
export const timeOf = (text: string, precision: "minute" | "second" = "minute"): Html =>
  html`<time datetime="${text}" title="${text.replace("T", " ").replace("Z", " UTC")}"
    >${text.slice(0, lengths[precision]).replace("T", " ")} UTC</time
  >`

const lengths = { minute: 16, second: 19 } as const

/** Markup that `timeOf` makes; no text from elsewhere holds markup. */
const pattern = /(<time datetime="([^"]+)" title="[^"]*"\s*>)([^<]+) UTC(<\/time\s*>)/g

/** The same page with its times in a zone, which each of them names: `2026-11-20 15:30 CET`. */
export const inZone = (page: Html, timeZone: string): Html => {
  const formats = { minute: formatOf(timeZone, {}), second: formatOf(timeZone, { second: "2-digit" }) }
  const names = new Intl.DateTimeFormat("en-GB", { timeZone, timeZoneName: "short" })
  const nameAt = (moment: Date) => names.formatToParts(moment).find(({ type }) => type === "timeZoneName")?.value ?? ""
  return new Html(
    page.text.replaceAll(pattern, (whole, start: string, text: string, shown: string, end: string) => {
      const moment = new Date(text)
      if (Number.isNaN(moment.getTime())) return whole
      const format = shown.length > lengths.minute ? formats.second : formats.minute
      return `${start}${format.format(moment)} ${nameAt(moment)}${end}`
    })
  )
}

/** Sweden writes dates as ISO 8601 does. */
const formatOf = (timeZone: string, more: Intl.DateTimeFormatOptions) =>
  new Intl.DateTimeFormat("sv-SE", {
    ...{ timeZone, year: "numeric", month: "2-digit", day: "2-digit", hour: "2-digit", minute: "2-digit" },
    ...more
  })
