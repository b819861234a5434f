/** WAL that a server keeps for a slot, against its limit. Pure. */
import { type Html, html } from "../Html.ts"
import { bytesText } from "../system/Amounts.ts"

/** Width of the bar. */
const barWidth = 300

/** From this part of the limit on the WAL that is kept is a danger. */
const dangerPart = 0.8

interface KeptWal {
  readonly bytes: number
  readonly bytesMax: number
  /** The name of the limit. */
  readonly limit: string
  /** Effect of exceeding the limit: a sentence. */
  readonly danger: string
}

export const walMeter = ({ bytes, bytesMax, limit, danger }: KeptWal): Html => {
  const part = bytesMax === 0 ? 1 : Math.min(bytes / bytesMax, 1)
  const sentence = `${bytesText(bytes)} of ${bytesText(bytesMax)} (${limit})`
  return html`${sentence}
    <svg
      class="meter"
      viewBox="0 0 ${barWidth} 8"
      height="8"
      role="img"
      aria-label="${sentence}"
      preserveAspectRatio="none"
    >
      <rect class="m-bg" width="${barWidth}" height="8" rx="4"></rect>
      <rect
        class="${part < dangerPart ? "m-fg" : "m-bad"}"
        width="${Math.round(barWidth * part)}"
        height="8"
        rx="4"
      ></rect>
    </svg>
    ${part < dangerPart ? "" : html`<div class="sub">${danger}</div>`}`
}
