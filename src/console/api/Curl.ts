/** The request of a page of the API as a command line. Pure. */

interface RequestText {
  readonly method: string
  readonly url: string
  /** The body that was sent as JSON. */
  readonly content: string | undefined
}

/** Longest body that is part of the command. */
const contentCharsMax = 2000

/** A literal word of the shell. */
const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** The token is a variable of the shell, for the reader to set. */
export const curl = ({ method, url, content }: RequestText): string => {
  const data = content !== undefined && content.length > contentCharsMax ? "@body.json" : content
  return [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(url)}`,
    `-H "Authorization: Token $TOKEN"`,
    ...(data === undefined ? [] : [`-H 'Content-Type: application/json'`, `--data ${quoted(data)}`])
  ].join(" \\\n  ")
}
