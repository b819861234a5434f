/** A CA with certificates for clients and for a server at `localhost`, made with openssl. */
import { execFileSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"

interface Issued {
  readonly cert: string
  readonly key: string
}

/** As `openssl genpkey` names it, with an option. */
type Kind = readonly [algorithm: string, option?: string]

export interface ClientAuthority {
  /** In PEM. */
  readonly certificate: string
  readonly server: Issued
  /** A certificate for a client of this name, for so many days. */
  readonly issue: (name: string, kind?: Kind, days?: number) => Issued
  readonly remove: () => void
}

const usual: Kind = ["ec", "ec_paramgen_curve:P-256"]

export const makeClientAuthority = (): ClientAuthority => {
  const folder = mkdtempSync(join(tmpdir(), "rackwire-clients-"))
  const file = (name: string) => join(folder, name)
  const openssl = (...args: ReadonlyArray<string>) => execFileSync("openssl", args, { stdio: "pipe" })
  const newKey = (name: string, [algorithm, option]: Kind) =>
    openssl("genpkey", "-algorithm", algorithm, ...(option === undefined ? [] : ["-pkeyopt", option]), "-out", name)
  newKey(file("ca.key"), usual)
  openssl("req", "-x509", "-days", "2", "-key", file("ca.key"), "-out", file("ca.pem"), "-subj", "/CN=clients")
  let made = 0
  const issue = (name: string, kind = usual, days = 2): Issued => {
    const [key, request, cert] = ["key", "csr", "pem"].map((each) => file(`${made}.${each}`)) as [
      string,
      string,
      string
    ]
    made += 1
    newKey(key, kind)
    openssl(
      "req",
      "-new",
      "-key",
      key,
      "-out",
      request,
      "-subj",
      `/CN=${name}`,
      "-addext",
      `subjectAltName=DNS:${name}`
    )
    const by = ["-CA", file("ca.pem"), "-CAkey", file("ca.key"), "-copy_extensions", "copy"]
    openssl("x509", "-req", "-in", request, ...by, "-days", `${days}`, "-out", cert)
    return { cert: readFileSync(cert, "utf8"), key: readFileSync(key, "utf8") }
  }
  return {
    certificate: readFileSync(file("ca.pem"), "utf8"),
    server: issue("localhost"),
    issue,
    remove: () => rmSync(folder, { recursive: true })
  }
}
