/**
 * The status lines of a connection's answers, on their way to undici.
 *
 * A receiver may send `100 Continue` although nobody asked for it, and HTTP tells a client to skip it (RFC 9110, 15.2).
 * undici closes the connection instead, but skips all other informational answers (1xx). So a status of 100 is changed
 * to 102 before undici reads it.
 */

/** Where the status is in `HTTP/1.1 100`. */
const statusAt = 9
const statusEnd = 12

const [newline, carriageReturn, two] = [0x0a, 0x0d, 0x32]

export class StatusLines {
  /** Bytes of the status line that were read; undefined behind it. */
  private inStatusLine: number | undefined = 0
  private status = ""
  /** Whether the headers of an informational answer are being read, and bytes of their current line. */
  private isInformational = false
  private inHeader = 0

  /** The next answer begins: a request is being written. */
  begin(): void {
    this.inStatusLine = 0
    this.isInformational = false
  }

  /** Reads the next bytes; changes a status of 100 in place. */
  pass(bytes: Buffer): void {
    for (let at = 0; at < bytes.length; at++) {
      if (this.inStatusLine !== undefined) this.passStatusLine(bytes, at, this.inStatusLine)
      else if (this.isInformational) this.passHeader(bytes[at]!)
      else return
    }
  }

  private passStatusLine(bytes: Buffer, at: number, read: number): void {
    const byte = bytes[at]!
    // Empty lines before an answer are allowed.
    if (read === 0 && (byte === newline || byte === carriageReturn)) return
    if (read >= statusAt) this.status += String.fromCharCode(byte)
    this.inStatusLine = read + 1
    if (this.inStatusLine < statusEnd) return
    if (this.status === "100") bytes[at] = two
    this.isInformational = this.status.startsWith("1")
    this.inStatusLine = undefined
    this.inHeader = 1
    this.status = ""
  }

  private passHeader(byte: number): void {
    if (byte !== newline) {
      if (byte !== carriageReturn) this.inHeader += 1
      return
    }
    // An empty line ends the headers; another status line follows.
    if (this.inHeader === 0) this.begin()
    this.inHeader = 0
  }
}
