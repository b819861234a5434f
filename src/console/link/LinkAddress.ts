/** Addresses of custom links: hostile text, which a template made of the values of an object. Pure. */

/** NetBox's usual ALLOWED_URL_SCHEMES. None of them runs a script, or makes a page of the address itself. */
const schemes: ReadonlySet<string> = new Set(
  "file ftp ftps http https irc mailto sftp ssh tel telnet tftp vnc xmpp".split(" ")
)

/** Everything but what NetBox leaves unquoted in an address. */
const quoted = /[^\w.~/:?&=%+[\]@#,;!-]+/gu

const quote = (text: string): string =>
  encodeURIComponent(text).replaceAll(/['()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`)

/**
 * The address of a link; undefined if its scheme is not allowed. Browsers drop white space and control characters before
 * they read a scheme: these are quoted, so that `java\nscript:` has none.
 */
export const linkAddress = (rendered: string): string | undefined => {
  const address = rendered.toWellFormed().trim().replaceAll(quoted, quote)
  const [, scheme] = /^([^/?#:]*):/.exec(address) ?? []
  return scheme === undefined || schemes.has(scheme.toLowerCase()) ? address : undefined
}
