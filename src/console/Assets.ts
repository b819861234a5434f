/**
 * The files that pages load: styles, scripts, fonts, and one sprite of icons.
 *
 * Each has an address with a digest of its content, so a browser caches it for ever and requests only another one.
 */
import { createHash } from "node:crypto"
import { readFileSync, readdirSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import { brotliCompress, gzip } from "node:zlib"
import { sprite } from "./Sprite.ts"

interface Asset {
  readonly type: string
  readonly content: Buffer
  readonly digest: string
  /** Compressed copies, made at the first request, outside of the event loop. */
  readonly compressed: Map<string, Promise<Buffer>>
}

const ours = (name: string): Buffer => readFileSync(new URL(`./asset/${name}`, import.meta.url))

const packaged = (path: string): Buffer => readFileSync(fileURLToPath(import.meta.resolve(path)))

/** Without the reference to a source map, which is not served. */
const withoutMap = (content: Buffer): Buffer =>
  Buffer.from(content.toString("utf8").replace(/\/[*/]# sourceMappingURL=.*$/gm, ""))

const assets = new Map<string, Asset>()

const add = (name: string, type: string, content: Buffer): void => {
  const digest = createHash("sha256").update(content).digest("hex").slice(0, 12)
  assets.set(name, { type, content, digest, compressed: new Map() })
}

/** The address of a file. Throws if there is no such file. */
export const assetUrl = (name: string): string => {
  const asset = assets.get(name)
  if (asset === undefined) throw new Error(`there is no asset ${name}`)
  return `/static/${name}?v=${asset.digest}`
}

add("inter.woff2", "font/woff2", packaged("@fontsource-variable/inter/files/inter-latin-wght-normal.woff2"))
add(
  "mono.woff2",
  "font/woff2",
  packaged("@fontsource-variable/jetbrains-mono/files/jetbrains-mono-latin-wght-normal.woff2")
)
add("icons.svg", "image/svg+xml", Buffer.from(sprite))
add("favicon.svg", "image/svg+xml", ours("favicon.svg"))

/** The texts of all files of a folder under asset/; the others build on these first ones. */
const textsIn = (folder: string, ...first: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set([...first, ...readdirSync(new URL(`./asset/${folder}/`, import.meta.url)).sort()])].map((name) =>
    ours(`${folder}/${name}`).toString("utf8")
  )

const ownStyle = textsIn("style", "elements.css", "base.css").join("\n")

/** Scripts that others import, each behind those that it imports itself. */
const imported = ["shown.js", "picker-popup.js", "builder-document.js", "builder-value.js"]

/**
 * One module: browsers request one file instead of a dozen. Each script is a block, so that it has names of its own; those
 * that others import are not.
 */
const scripts = textsIn("script", ...imported)
const ownScript = scripts
  .map((text, at) => (at < imported.length ? text : `{\n${text}}`))
  .join("\n")
  .replaceAll(/^import .*\n|^export /gm, "")

/** The address of a file for a style, which lies in the same folder. */
const besideUs = (name: string): string => assetUrl(name).replace("/static/", "")

add(
  "app.css",
  "text/css",
  Buffer.from(ownStyle.replaceAll(/url\(\/static\/([\w.]+)\)/g, (_, name: string) => `url(${besideUs(name)})`))
)
add("theme.js", "text/javascript", ours("theme.js"))
add("app.js", "text/javascript", Buffer.from(ownScript))
add("htmx.js", "text/javascript", withoutMap(packaged("htmx.org/dist/htmx.min.js")))

const encoders: Readonly<Record<string, (content: Buffer) => Promise<Buffer>>> = {
  br: promisify<Buffer, Buffer>(brotliCompress),
  gzip: promisify<Buffer, Buffer>(gzip)
}

interface AssetResponse {
  readonly type: string
  readonly content: Buffer
  readonly headers: Readonly<Record<string, string>>
}

/** The file in an encoding that the client accepts; undefined if there is no such file. `digest` is that of the address. */
export const serveAsset = async (
  name: string,
  digest: string,
  accepted: ReadonlyArray<string>
): Promise<AssetResponse | undefined> => {
  const asset = assets.get(name)
  if (asset === undefined) return undefined
  const headers = {
    // Another digest belongs to an older or newer version of the service.
    "cache-control": digest === asset.digest ? "public, max-age=31536000, immutable" : "no-cache",
    vary: "Accept-Encoding"
  }
  const encoding = Object.keys(encoders).find((each) => accepted.includes(each))
  if (encoding === undefined || asset.type === "font/woff2")
    return { type: asset.type, content: asset.content, headers }
  const compressed = asset.compressed.get(encoding) ?? encoders[encoding]!(asset.content)
  asset.compressed.set(encoding, compressed)
  return { type: asset.type, content: await compressed, headers: { ...headers, "content-encoding": encoding } }
}
