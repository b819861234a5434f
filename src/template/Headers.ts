/** Rendered header text -> headers: one `Name: Value` per line. */

export type Headers =
  | { readonly headers: ReadonlyArray<readonly [name: string, value: string]> }
  | { readonly error: string }

export const splitHeaders = (text: string): Headers => {
  const headers: Array<readonly [string, string]> = []
  for (const [at, line] of text.split(/\r\n|\n/).entries()) {
    if (line.trim() === "") continue
    const colon = line.indexOf(":")
    const name = line.slice(0, colon).trim()
    const value = line.slice(colon + 1).trim()
    if (colon < 0) return { error: `Line ${at + 1} is no header: "Name: Value" is expected.` }
    if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+$/.test(name)) return { error: `Line ${at + 1} has no valid header name.` }
    // oxlint-disable-next-line no-control-regex
    if (/[\x00-\x08\x0a-\x1f\x7f]/.test(value)) return { error: `Line ${at + 1} has a control character in its value.` }
    if (/[^\t\x20-\x7e\x80-\xff]/.test(value)) {
      return { error: `Line ${at + 1} has a character in its value that HTTP cannot carry.` }
    }
    headers.push([name, value])
  }
  return { headers }
}
