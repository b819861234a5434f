/** A self-signed certificate for the name `localhost`, made with openssl if that is installed. */
import { execFileSync, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { needs } from "./Ledger.ts"

export const hasOpenssl = needs("openssl", spawnSync("openssl", ["version"]).status === 0, "apt-get install openssl")

export interface Certificate {
  readonly keyFile: string
  readonly certificateFile: string
  readonly remove: () => void
}

/** The kind of key as `openssl req` names it, with an option. */
export const makeCertificate = ([algorithm, option] = ["ec", "ec_paramgen_curve:P-256"]): Certificate => {
  const folder = mkdtempSync(join(tmpdir(), "rackwire-tls-"))
  const keyFile = join(folder, "key.pem")
  const certificateFile = join(folder, "certificate.pem")
  const name = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"]
  const key = ["-newkey", algorithm!, "-pkeyopt", option!, "-nodes", "-keyout", keyFile]
  execFileSync("openssl", ["req", "-x509", "-days", "2", ...key, "-out", certificateFile, ...name], { stdio: "pipe" })
  return { keyFile, certificateFile, remove: () => rmSync(folder, { recursive: true }) }
}
