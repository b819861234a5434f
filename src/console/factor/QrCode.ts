/** A QR code as inline SVG, dark on white in every theme, so that cameras read it. The library is loaded at its first use. */
import { type Html, html } from "../Html.ts"

/** White margin around the code, in modules: the standard requires four. */
const border = 4

export const qrCode = async (text: string, label: string): Promise<Html> => {
  const { encode } = await import("uqr")
  const { data, size } = encode(text, { ecc: "M", border })
  const squares = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])))
  return html`<svg
    class="qr"
    viewBox="0 0 ${size} ${size}"
    role="img"
    aria-label="${label}"
    shape-rendering="crispEdges"
  >
    <rect width="${size}" height="${size}" fill="#fff" />
    <path d="${squares.join("")}" fill="#000" />
  </svg>`
}
