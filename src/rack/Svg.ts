/**
 * SVG as text. Values are escaped; colours and sizes are attributes, because a content security policy without inline styles may
 * apply to the page that shows the picture. Pure.
 */
const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

/** Characters that no document of XML may have. */
// oxlint-disable-next-line no-control-regex
export const notXml = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g

export const escaped = (text: string): string =>
  text
    .toWellFormed()
    .replaceAll(notXml, "\ufffd")
    .replaceAll(/[&<>"']/g, (sign) => entities[sign]!)

/** An element with its attributes and, as finished SVG, its content. */
export const element = (
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  ...content: ReadonlyArray<string>
): string => {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(String(value))}"`)
  return `<${name}${written.join("")}>${content.join("")}</${name}>`
}

/** A text of at most so many characters. */
export const shortened = (text: string, most: number): string => {
  const characters = [...text.slice(0, most * 2 + 2)]
  return characters.length > most ? `${characters.slice(0, Math.max(most - 1, 0)).join("")}…` : text
}

/**
 * A text of at most so many ems of a usual sans serif font, as far as that can be known without the font: the widths are
 * those of wide fonts, so that a text is rather too short than too long.
 */
export const shortenedTo = (text: string, ems: number): string => {
  let width = 0
  let fitting = ""
  for (const character of text) {
    width += emsOf(character)
    if (width > ems) return `${fitting}…`
    // The sign that more follows needs an em.
    if (width + 1 <= ems) fitting += character
  }
  return text
}

const emsOf = (character: string): number => {
  if (character >= "\u1100") return 1.3
  if (/[mwMW@%—…]/.test(character)) return 1
  if (/[A-Z]/.test(character)) return 0.75
  return /[iljtfI.,:;'|!()[\] ]/.test(character) ? 0.4 : 0.62
}

const black = "000000"
const white = "ffffff"

/** Black or white, whichever is easier to read on the colour: the contrast is 4.5 to 1 or better. */
export const readableOn = (color: string): string => (contrast(color, black) >= contrast(color, white) ? black : white)

/** The contrast of two colours, from 1 to 21, as WCAG computes it. */
export const contrast = (one: string, other: string): number => {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (lighter + 0.05) / (darker + 0.05)
}

const luminance = (color: string): number => {
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(color.slice(at, at + 2), 16) / 255
    return part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
