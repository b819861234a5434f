/** Files of images for tests: only as much of each as its dimensions need. */
const chars = (text: string): ReadonlyArray<number> => Array.from(text, (char) => char.charCodeAt(0))
const big = (value: number, bytes: number): ReadonlyArray<number> =>
  Array.from({ length: bytes }, (_, at) => Math.floor(value / 256 ** (bytes - 1 - at)) % 256)
const little = (value: number, bytes: number): ReadonlyArray<number> => big(value, bytes).toReversed()
const file = (...parts: ReadonlyArray<ReadonlyArray<number>>): Uint8Array => Uint8Array.from(parts.flat())

export const png = (width: number, height: number): Uint8Array =>
  file(
    chars("\u0089PNG\r\n\u001a\n"),
    big(13, 4),
    chars("IHDR"),
    big(width, 4),
    big(height, 4),
    [8, 6, 0, 0, 0, 0, 0, 0, 0]
  )

export const gif = (width: number, height: number, rest = ""): Uint8Array =>
  file(chars("GIF89a"), little(width, 2), little(height, 2), [0, 0, 0], chars(rest))

/** With a description and a table before its frame. */
export const jpeg = (width: number, height: number): Uint8Array =>
  file(
    [0xff, 0xd8, 0xff, 0xe0, 0, 4, 1, 2, 0xff, 0xff, 0xc4, 0, 3, 9],
    [0xff, 0xc2, 0, 17, 8, ...big(height, 2), ...big(width, 2), 3, 0, 0, 0, 0, 0, 0, 0, 0, 0]
  )

const riff = (...chunk: ReadonlyArray<ReadonlyArray<number>>): Uint8Array =>
  file(
    chars("RIFF"),
    little(100, 4),
    chars("WEBP"),
    ...chunk,
    Array.from({ length: 20 }, () => 0)
  )

export const webp = {
  lossy: (width: number, height: number) =>
    riff(chars("VP8 "), little(50, 4), [0, 0, 0, 0x9d, 0x01, 0x2a], little(width, 2), little(height, 2)),
  lossless: (width: number, height: number) =>
    riff(chars("VP8L"), little(50, 4), [0x2f], little(width - 1 + (height - 1) * 2 ** 14, 4)),
  extended: (width: number, height: number) =>
    riff(chars("VP8X"), little(10, 4), [0, 0, 0, 0], little(width - 1, 3), little(height - 1, 3))
}

/** A form with the fields and a file. */
export const formOf = (fields: Readonly<Record<string, string>>, bytes?: Uint8Array, name = "front.png"): FormData =>
  formWith(fields, bytes === undefined ? {} : { image: bytes }, name)

/** A form with the fields and files, all of this name. */
export const formWith = (
  fields: Readonly<Record<string, string>>,
  files: Readonly<Record<string, Uint8Array>>,
  name = "front.png"
): FormData => {
  const form = new FormData()
  for (const [key, value] of Object.entries(fields)) form.set(key, value)
  for (const [key, bytes] of Object.entries(files)) form.set(key, new Blob([Buffer.from(bytes)]), name)
  return form
}
