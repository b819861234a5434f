/** Programs that verify a delivery, run as they are pasted: in each language that this machine has. */
import { spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, describe, expect, it, onTestFinished } from "vitest"
import { signatureHeaders } from "../../src/webhook/Sign.ts"
import { curlOf } from "../../src/history/inspect/snippet/Curl.ts"
import { type Subject, bodyFile, subjectOf } from "../../src/history/inspect/snippet/Snippet.ts"
import { languages } from "../../src/history/inspect/snippet/Snippets.ts"
import type { SignatureCheck } from "../../src/history/inspect/Signatures.ts"
import { startReceiver } from "../support/Receiver.ts"
import { needs } from "../support/Ledger.ts"
import { fewOf, isThorough } from "../support/Seed.ts"

const hostile = `{"a": "quotes \\" ' \`id\` $(id) ''' \\""" \${HOME} %s </script> é 漢字 \u2028",\r\n\t"b": "@x !1 \\\\ ?> */ #{1}"}\n`

const directory = mkdtempSync(join(tmpdir(), "snippets-"))
afterAll(() => rmSync(directory, { recursive: true }))

/** The command of each language, with the file that its program is pasted into. */
const commands: Readonly<Record<string, readonly [command: string, file: string]>> = {
  node: [process.execPath, "verify.mjs"],
  python: ["python3", "verify.py"],
  go: ["go run", "verify.go"],
  ruby: ["ruby", "verify.rb"],
  php: ["php", "verify.php"],
  java: ["java", "Verify.java"],
  csharp: ["dotnet run", "verify.cs"],
  shell: ["sh", "verify.sh"]
}

const isThere = (command: string): boolean => spawnSync("which", [command.split(" ")[0]!]).status === 0

/** Languages whose programs start fast; the others are run with more effort than usual. */
const fast = new Set(["node", "python", "shell"])

const here = languages.filter(({ name }) => (isThorough || fast.has(name)) && isThere(commands[name]![0]))

const run = (language: string, program: string, secret: string) => {
  const [command, file] = commands[language]!
  writeFileSync(join(directory, file), program)
  const [name, ...words] = command.split(" ")
  const { status, stdout, stderr } = spawnSync(name!, [...words, file], {
    cwd: directory,
    env: { ...process.env, LC_ALL: "C.UTF-8", SECRET: secret },
    encoding: "utf8"
  })
  // `go run` tells the status of a program that failed.
  return [status, stdout.trim(), language === "go" ? stderr.replace(/^exit status 1\n$/, "") : stderr] as const
}

/** The signature of a request with this body, as the log has it. */
const subject = (scheme: "netbox" | "standard", body: Buffer, secret: string, previous = ""): Subject => {
  const headers = signatureHeaders(
    { style: scheme, secret, previous },
    { id: "3-4711-0-t0", timestamp: 1795373636, body }
  )
  const check = (value: string): SignatureCheck => ({
    ...{ header: "", scheme, encoding: "hex", value, secret: null },
    algorithm: scheme === "netbox" ? "HMAC-SHA512" : "HMAC-SHA256",
    prefix: scheme === "netbox" ? "" : "3-4711-0-t0.1795373636."
  })
  const values =
    scheme === "netbox"
      ? [headers["x-hook-signature"]!, ...(previous === "" ? [] : [headers["x-hook-signature-previous"]!])]
      : headers["webhook-signature"]!.split(" ")
  return subjectOf(scheme, values.map(check), body)!
}

const standardSecret = `whsec_${Buffer.from("0123456789\xff\0'`$abcdef0123456789", "latin1").toString("base64")}`

const cases = here.flatMap(({ name }) => [
  [name, "netbox", `it's a "secret" $(id) \`é\``] as const,
  [name, "standard", standardSecret] as const
])

describe("a program that verifies", () => {
  it("is there in each language", () => {
    expect(languages.map(({ title }) => title)).toEqual([
      "Node.js",
      "Python",
      "Go",
      "Ruby",
      "PHP",
      "Java",
      "C#",
      "Shell (openssl)"
    ])
    expect(here.map(({ name }) => name)).toEqual(expect.arrayContaining(["node", "shell"]))
  })

  it.each(fewOf(cases, 2, "cases"))(
    "in %s a signature of %s holds with the right secret and fails with a wrong one",
    (name, scheme, secret) => {
      const { write } = languages.find((each) => each.name === name)!
      const program = write(subject(scheme, Buffer.from(hostile), secret))
      expect(run(name, program, secret)).toEqual([0, "valid", ""])
      expect(run(name, program, "another secret")).toEqual([1, "invalid", ""])
    }
  )

  // The compiler refuses a package that is used and not imported, and one that is imported and not used.
  it.each([
    ["netbox", 1],
    ["netbox", 500],
    ["standard", 1],
    ["standard", 500]
  ] as const)(
    "in a compiled language imports the packages that it uses, for a signature of %s and a body × %i",
    (scheme, times) => {
      const { write } = languages.find(({ name }) => name === "go")!
      const program = write(subject(scheme, Buffer.from(hostile.repeat(times)), standardSecret))
      const imported = Array.from(program.matchAll(/^\t"([\w/]+)"$/gm), ([, path]) => path!.split("/").at(-1)!)
      const code = program.slice(program.indexOf("func main")).replaceAll(/"(?:[^"\\]|\\.)*"/g, "")
      const used = new Set(Array.from(code.matchAll(/\b([a-z0-9]+)\.[A-Z]/g), ([, name]) => name!))
      const packages = [...used].filter((name) => !code.includes(`${name} := `))
      expect(imported.toSorted()).toEqual(packages.toSorted())
    }
  )

  it.each(fewOf(here, 1, "languages").map(({ name }) => name))(
    "in %s reads a body that is too long from a file, and holds for the secret that is being replaced",
    (name) => {
      const body = Buffer.from(hostile.repeat(500))
      writeFileSync(join(directory, bodyFile), body)
      const { write } = languages.find((each) => each.name === name)!
      const program = write(subject("standard", body, "the new secret", "the one before"))
      expect(program.length).toBeLessThan(3000)
      expect(run(name, program, "the one before")).toEqual([0, "valid", ""])
    }
  )
})

describe.runIf(needs("curl", isThere("curl"), "apt-get install curl"))("the command line", () => {
  it("sends the same request, whatever is in it", async () => {
    const receiver = await startReceiver()
    onTestFinished(() => receiver.close())
    const sent = {
      ...{ method: "PUT", problem: undefined, signatures: [], hasCutHeaders: false, hasCertificate: false },
      url: `${receiver.url}/a[1-3]{x,y}?q=it's%20$(id)`,
      headers: [
        { name: "content-type", value: "application/json" },
        { name: "x-odd", value: `'"; $(id) \`id\`` },
        { name: "x-empty", value: "" }
      ],
      body: { bytes: Buffer.from(`@${hostile}`), origin: "event", isMasked: false }
    } as const
    writeFileSync(join(directory, "curl.sh"), curlOf(sent))
    const child = spawn("sh", ["curl.sh"], { cwd: directory, stdio: "ignore" })
    await new Promise((resolve) => child.on("close", resolve))
    const got = receiver.received.at(-1)!
    expect([got.method, got.path, got.headers["x-odd"], got.headers["x-empty"]]).toEqual([
      "PUT",
      "/a[1-3]{x,y}?q=it's%20$(id)",
      sent.headers[1].value,
      ""
    ])
    expect(got.body.equals(sent.body.bytes)).toBe(true)
  })
})
