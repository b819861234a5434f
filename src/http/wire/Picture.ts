/** A picture as an answer: nothing in it runs or loads, wherever it is opened. */
import { createHash } from "node:crypto"

export const svgType = "image/svg+xml"

/** The rules of every picture: one that is wider than the window that shows it alone is as wide as the window. */
const style = "svg{max-width:100%;height:auto}"

const hash = createHash("sha256").update(style).digest("base64")

const headers = {
  "content-security-policy": `default-src 'none'; style-src 'sha256-${hash}'; frame-ancestors 'none'`
}

/** `picture`: an element `svg` without rules of its own. */
export const pictureReply = (picture: string) => ({
  status: 200,
  headers,
  text: { type: svgType, content: picture.replace(">", `><style>${style}</style>`) }
})

/** The same as a file to keep: the browser saves it, and where it is opened as a page it has no origin. */
export const pictureFile = (picture: string, name: string) => {
  const reply = pictureReply(picture)
  return {
    ...reply,
    headers: {
      "content-security-policy": `${headers["content-security-policy"]}; sandbox`,
      "content-disposition": `attachment; filename="${name}"`,
      "x-content-type-options": "nosniff"
    }
  }
}
