/**
 * Which image a file is, by its first bytes. Pure. Nothing is decoded: the dimensions are read where the header of each
 * format has them. SVG is no image here: it is a document that runs scripts.
 */

export interface Picture {
  readonly extension: "png" | "jpg" | "gif" | "webp"
  readonly mediaType: string
  readonly width: number
  readonly height: number
}

type Dimensions = readonly [width: number, height: number]

/** Most bytes that are searched for the frame of a JPEG: descriptions and previews may precede it. */
const searchedMax = 2 * 1024 * 1024

/** Most segments and fill bytes before that frame: usual files have some dozens. */
const stepsMax = 2_000

/** Undefined for a file that is no PNG, JPEG, GIF or WebP, or is broken where its dimensions are. */
export const pictureIn = (bytes: Uint8Array): Picture | undefined => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, searchedMax))
  for (const { extension, mediaType, dimensions } of formats) {
    const found = dimensions(view)
    if (found === undefined) continue
    const [width, height] = found
    return width > 0 && height > 0 ? { extension, mediaType, width, height } : undefined
  }
  return undefined
}

const has = (view: DataView, at: number, text: string): boolean => {
  if (view.byteLength < at + text.length) return false
  for (let n = 0; n < text.length; n++) if (view.getUint8(at + n) !== text.charCodeAt(n)) return false
  return true
}

const png = (view: DataView): Dimensions | undefined =>
  has(view, 0, "\u0089PNG\r\n\u001a\n\0\0\0\rIHDR") && view.byteLength >= 24
    ? [view.getUint32(16), view.getUint32(20)]
    : undefined

const gif = (view: DataView): Dimensions | undefined =>
  (has(view, 0, "GIF87a") || has(view, 0, "GIF89a")) && view.byteLength >= 10
    ? [view.getUint16(6, true), view.getUint16(8, true)]
    : undefined

const webp = (view: DataView): Dimensions | undefined => {
  if (!has(view, 0, "RIFF") || !has(view, 8, "WEBP") || view.byteLength < 30) return undefined
  if (has(view, 12, "VP8 ") && has(view, 23, "\u009d\u0001\u002a")) {
    return [view.getUint16(26, true) & 0x3f_ff, view.getUint16(28, true) & 0x3f_ff]
  }
  if (has(view, 12, "VP8L") && view.getUint8(20) === 0x2f) {
    const bits = view.getUint32(21, true)
    return [(bits & 0x3f_ff) + 1, ((bits >>> 14) & 0x3f_ff) + 1]
  }
  const size = (at: number) => view.getUint16(at, true) + view.getUint8(at + 2) * 0x1_00_00 + 1
  return has(view, 12, "VP8X") ? [size(24), size(27)] : undefined
}

/** Markers of frames: SOF0 to SOF15, but for those of tables. */
const isFrame = (marker: number): boolean => marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)

/** Markers that have no segment: restarts, and one for programs. */
const isAlone = (marker: number): boolean => marker === 0x01 || (marker >= 0xd0 && marker <= 0xd7)

const jpeg = (view: DataView): Dimensions | undefined => {
  if (!has(view, 0, "\u00ff\u00d8\u00ff")) return undefined
  for (let at = 2, step = 0; at + 9 <= view.byteLength && step < stepsMax; step++) {
    if (view.getUint8(at) !== 0xff) return undefined
    const marker = view.getUint8(at + 1)
    // A marker may have fill bytes before it.
    if (marker === 0xff) at += 1
    else if (isAlone(marker)) at += 2
    else if (isFrame(marker)) return [view.getUint16(at + 7), view.getUint16(at + 5)]
    else if (marker === 0xd9 || marker === 0xda || view.getUint16(at + 2) < 2) return undefined
    else at += 2 + view.getUint16(at + 2)
  }
  return undefined
}

const formats = [
  { extension: "png", mediaType: "image/png", dimensions: png },
  { extension: "jpg", mediaType: "image/jpeg", dimensions: jpeg },
  { extension: "gif", mediaType: "image/gif", dimensions: gif },
  { extension: "webp", mediaType: "image/webp", dimensions: webp }
] as const
