import { type Html, html } from "../Html.ts"

const lengths = { minute: 16, second: 19 } as const

/** A time to the minute, or to the second. Its title is the exact time in UTC. */
export const timeOf = (text: string, precision: keyof typeof lengths = "minute"): Html =>
  html`<time datetime="${text}" title="${text.replace("T", " ").replace("Z", " UTC")}"
    >${text.slice(0, lengths[precision]).replace("T", " ")} UTC</time
  >`
