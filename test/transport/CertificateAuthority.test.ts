import { execFileSync } from "node:child_process"
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { rootCertificates } from "node:tls"
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import {
  authorityOf,
  certificatesProblem,
  fileProblem,
  fileBytesMax
} from "../../src/transport/certificate/CertificateAuthority.ts"

const [first, second] = rootCertificates as [string, string]

/** A text without its line breaks, which are written anew. */
const bare = (text: string): string => text.replaceAll("\n", "")

describe("the text of a webhook's CA certificates", () => {
  test("holds one certificate or several, with other lines around them", () => {
    expect(certificatesProblem(first)).toBeUndefined()
    expect(certificatesProblem(`# first\n${first}\n\n# second\n${second}\n`)).toBeUndefined()
  })

  test.each([
    ["no certificate", "not a certificate", "Enter certificates in PEM format"],
    ["what only looks like one", first.replace(/MII/, "AAA"), "Certificate 1 of 1 cannot be read"],
    ["one that was cut off", `${first}\n${second.slice(0, 200)}`, "Every block must be a complete certificate"],
    ["a broken one behind a sound one", `${first}\n${second.replace(/MII/, "AAA")}`, "Certificate 2 of 2 cannot"],
    ["a private key", `${first}\n-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----`, "private keys do not"],
    ["too many", `${first}\n`.repeat(201), "at most 200 certificates, not 201"]
  ])("is refused with %s", (_, text, message) => {
    expect(certificatesProblem(text)).toContain(message)
  })
})

describe("a file of CA certificates", () => {
  let folder: string
  const inside = (name: string) => join(folder, "allowed", name)
  const problem = (path: string) => fileProblem([join(folder, "missing"), join(folder, "allowed")], path)

  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "rackwire-ca-"))
    mkdirSync(inside("deeper"), { recursive: true })
    writeFileSync(inside("deeper/ca.pem"), `${first}\n${second}`)
    writeFileSync(join(folder, "outside.pem"), first)
    writeFileSync(inside("empty.pem"), "")
    writeFileSync(inside("large.pem"), Buffer.alloc(fileBytesMax + 1, "x"))
    execFileSync("mkfifo", [inside("fifo.pem")])
    symlinkSync(inside("deeper/ca.pem"), inside("link.pem"))
    symlinkSync(join(folder, "outside.pem"), inside("escape.pem"))
    symlinkSync("/dev/zero", inside("zero.pem"))
    mkdirSync(join(folder, "allowed.pem"))
    copyFileSync(join(folder, "outside.pem"), join(folder, "allowed.pem/ca.pem"))
  })

  afterAll(() => rmSync(folder, { recursive: true }))

  test("is accepted in a directory that the operator names, also through a link within it", async () => {
    expect(await problem(inside("deeper/ca.pem"))).toBeUndefined()
    expect(await problem(inside("link.pem"))).toBeUndefined()
  })

  test("is refused, with the name of the option, where the operator names no directory", async () => {
    expect(await fileProblem([], inside("deeper/ca.pem"))).toContain("WEBHOOK_CA_DIRECTORY")
  })

  test.each([
    ["a path elsewhere", () => join(folder, "outside.pem"), "in a directory that WEBHOOK_CA_DIRECTORY names"],
    ["a path elsewhere that does not exist", () => join(folder, "nothing.pem"), "in a directory that"],
    ["a directory whose name only begins alike", () => join(folder, "allowed.pem/ca.pem"), "in a directory that"],
    ["a path that climbs out", () => inside("../outside.pem"), "in a directory that"],
    ["a symlink that leads out", () => inside("escape.pem"), "in a directory that"],
    ["a symlink to a device", () => inside("zero.pem"), "in a directory that"],
    ["a device", () => "/dev/zero", "in a directory that"],
    ["a zero byte", () => inside("deeper/ca.pem\0"), "in a directory that"],
    ["a FIFO that nobody writes to", () => inside("fifo.pem"), "must be that of a regular file"],
    ["a directory", () => inside("deeper"), "must be that of a regular file"],
    ["a file without end", () => inside("large.pem"), `not be larger than ${fileBytesMax} bytes`],
    ["a file without certificates", () => inside("empty.pem"), "has no usable certificates"],
    ["a file that is not there", () => inside("none.pem"), "cannot be read: ENOENT"]
  ])("is refused for %s", async (_, path, message) => {
    expect(await problem(path())).toContain(message)
  })

  test("is read for the first connection and kept; a failure is not kept", async () => {
    const path = inside("late.pem")
    const authority = authorityOf({ pem: second, path, directories: [inside("")] })!
    await expect(authority()).rejects.toMatchObject({
      code: "ERR_CA_CERTIFICATE",
      message: expect.stringMatching(/^ca_file_path: .*ENOENT/) as string
    })
    writeFileSync(path, first)
    const text = await authority()
    expect(bare(text)).toBe(bare(`${second}${first}`))
    rmSync(path)
    expect(await authority()).toBe(text)
  })

  test("is not needed where the webhook has its certificates in its row, or none", async () => {
    expect(authorityOf({ pem: "", path: "", directories: [] })).toBeUndefined()
    expect(bare(await authorityOf({ pem: first, path: "", directories: [] })!())).toBe(bare(first))
    const broken = authorityOf({ pem: "x", path: "", directories: [] })!
    await expect(broken()).rejects.toMatchObject({
      message: expect.stringMatching(/^ca_certificate: /) as string
    })
  })

  test("of a distribution fits within the limits", () => {
    const bundle = rootCertificates.join("\n")
    expect(Buffer.byteLength(bundle)).toBeLessThan(fileBytesMax)
    expect(certificatesProblem(bundle)).toBeUndefined()
  })
})
