/** Commands as an operator runs them: on a service, in the wrong folder, and with wrong values. */
import { execFile, spawn } from "node:child_process"
import { mkdtempSync, readdirSync, rmSync } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { promisify } from "node:util"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type TestDatabase, makeDatabase, makeEmptyDatabase } from "../support/Database.ts"
import { fewOf, sampleOf, thorough, thoroughly } from "../support/Seed.ts"
import { environmentOf } from "../support/Api.ts"
import { runCommand, runProcess } from "../support/Command.ts"
import { program } from "../support/Process.ts"

let database: TestDatabase
let empty: TestDatabase

beforeAll(async () => {
  database = await makeDatabase()
  empty = await makeEmptyDatabase()
})
afterAll(() => Promise.all([database.drop(), empty.drop()]))

describe("createsuperuser", () => {
  const create = (username: string, input: string, ...args: ReadonlyArray<string>) =>
    runCommand(["createsuperuser", "--username", username, ...args], { env: environmentOf(database), input })

  const hashOf = async (username: string) =>
    (
      await database.sql.query<{ password: string }>("select password from users_user where username = $1", [username])
    )[0]

  thorough("reads the password from the standard input, without the line break at its end", async () => {
    const surroundings = { env: environmentOf(database), input: "correct horse 1\n" }
    const created = await runProcess(["createsuperuser", "--username", "first"], surroundings)
    expect(created).toEqual({ code: 0, output: "Superuser first created.\n" })
    expect(await hashOf("first")).toBeDefined()
  })

  it("leaves an existing user as it is, and changes it with --update only", async () => {
    await create("second", "correct horse 1\n")
    const before = await hashOf("second")
    const refused = await create("second", "correct horse 2\n")
    expect(refused.output).toBe(
      "rackwire: User second exists already. With --update the user gets all permissions and a new password.\n"
    )
    expect(refused.code).toBe(1)
    expect(await hashOf("second")).toEqual(before)
    const updated = await create("second", "correct horse 2\n", "--update")
    expect(updated).toEqual({ code: 0, output: "User second is a superuser with a new password.\n" })
    expect(await hashOf("second")).not.toEqual(before)
    expect(
      await database.sql.query(
        `select s.kind, s.name, s.details, u.username as user from users_signin s join users_user u on u.id = s.user_id`
      )
    ).toEqual([{ kind: "password_changed", name: "second", details: `by "rackwire createsuperuser"`, user: "second" }])
  })

  it("refuses more than one line, and passwords that are too short, too long or easy to guess", async () => {
    const refused = [
      ["correct horse 1\ncorrect horse 2\n", "more than one line"],
      ["short\n", "8 to 256 characters"],
      [`${"long".repeat(65)}\n`, "8 to 256 characters"],
      ["password123\n", "common"],
      ["third third\n", `beside "third"`]
    ] as const
    for (const [input, message] of sampleOf(refused, 2, "refused passwords")) {
      const { code, output } = await create("third", input)
      expect(output).toContain(message)
      expect(code).toBe(1)
    }
    expect(await hashOf("third")).toBeUndefined()
  })
})

thoroughly("createsuperuser on a terminal", () => {
  /** Types the lines at the prompts. Returns what the terminal showed. */
  const type = async (username: string, ...lines: ReadonlyArray<string>) => {
    const command = [process.execPath, program, "createsuperuser", "--username", username].join(" ")
    const env = { PATH: process.env["PATH"], TERM: "xterm", ...environmentOf(database) }
    const child = spawn("script", ["-qec", command, "/dev/null"], { env })
    let shown = ""
    let typed = 0
    child.stdout.on("data", (chunk: Buffer) => {
      shown += chunk.toString()
      if (shown.includes(["Password", "Password again"][typed] ?? "no further prompt"))
        child.stdin.write(`${lines[typed++]}\r`)
    })
    const code = await new Promise<number | null>((resolve) => child.once("close", resolve))
    return { code, shown }
  }

  it("asks for the password twice", async () => {
    const differing = await type("typed", "correct horse 1", "correct horse 2")
    expect(differing.shown).toContain("The two passwords differ.")
    expect(differing.code).toBe(1)
    const same = await type("typed", "correct horse 1", "correct horse 1")
    expect(same.shown).toContain("Superuser typed created.")
    expect(same.shown).not.toContain("horse")
    expect(same.code).toBe(0)
  })
})

thoroughly("a database that was never migrated", () => {
  it("is named as such by other commands, and filled by migrate in one line", async () => {
    const env = environmentOf(empty)
    const replay = await runCommand(["replay", "--webhook", "x", "--since", "2026-01-01"], { env })
    expect(replay).toEqual({
      code: 1,
      output: 'rackwire: The database has no inventory yet: run "rackwire migrate" or start the service.\n'
    })
    const first = await runCommand(["migrate"], { env })
    expect(first.output).toMatch(/^The inventory was created in an empty database \(\d+ statements\)\.\n$/)
    expect(await runCommand(["migrate"], { env })).toEqual({ code: 0, output: "Nothing to migrate.\n" })
  })
})

describe("in a folder without a service", () => {
  let folder: string
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "rackwire-folder-"))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  it.each(fewOf([["check"], ["demo", "--size", "3"]], 1, "commands"))(
    "%s ends with a sentence and starts no servers",
    async (...args) => {
      const { code, output } = await runProcess(args, { cwd: folder })
      expect(output).toMatch(/^rackwire: There is no service in .*\.rackwire\. Run the command in the folder/)
      expect(code).toBe(1)
      expect(readdirSync(folder)).toEqual([])
    }
  )
})

describe("a wrong value", () => {
  it.each([
    ["serve", "--roles", "api,x", 'some of api,capture,deliver, not "api,x"'],
    ["webhook_receiver", "--port", "99999", "an integer from 0 to 65535, not 99999"],
    ["replay", "--since", "yesterday", "Datetime has wrong format"]
  ])("of %s %s %j is refused with what is expected", async (command, flag, value, expected) => {
    const { code, output } = await runCommand([
      command,
      flag,
      value,
      ...(command === "replay" ? ["--webhook", "x"] : [])
    ])
    expect(output).toContain(expected)
    expect(output).not.toContain("    at ")
    expect(code).toBe(1)
  })

  it("that is a taken port is named", async () => {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as AddressInfo
    const { code, output } = await runCommand(["webhook_receiver", "--port", `${port}`])
    expect(output).toBe(
      `rackwire: Port ${port} of 127.0.0.1 is in use, perhaps by another Rackwire. Choose another port, or 0 for a free one.\n`
    )
    expect(code).toBe(1)
    server.close()
  })
})

thorough("a command whose reader has read enough ends as it would otherwise", async () => {
  const pipe = `{ "$0" "$1" check; echo "code $?" >&2; } | head -1`
  const env = { PATH: process.env["PATH"], ...environmentOf(database) }
  const { stdout, stderr } = await promisify(execFile)("sh", ["-c", pipe, process.execPath, program], { env })
  expect(stdout).toBe("Options of this command, by its own environment:\n")
  expect(stderr).toBe("code 0\n")
})

it("help is the flag --help", async () => {
  const flag = await runCommand(["serve", "--help"])
  expect(await runCommand(["help", "serve"])).toEqual(flag)
  const whole = await runCommand(["help"])
  expect(whole).toEqual(await runCommand(["--help"]))
  expect(whole.code).toBe(0)
})

it.each([
  ["--port", "PORT"],
  ["--data-dir", "RACKWIRE_DATA_DIR"],
  ["--webhook-timout", "WEBHOOK_TIMEOUT"]
])("a flag %s is answered with the variable %s", async (flag, variable) => {
  const { code, output } = await runCommand(["serve", flag, "9000"])
  expect(output).toContain(`rackwire: ${flag}: ${variable} is set in the environment: ${variable}=… rackwire serve\n`)
  expect(code).toBe(1)
})

thoroughly("a signal", () => {
  /** Runs a command until it has printed the text, and sends it the signal; returns the exit code. */
  const interrupted = async (args: ReadonlyArray<string>, text: string, signal: NodeJS.Signals) => {
    const env = { PATH: process.env["PATH"], ...environmentOf(database) }
    const child = spawn(process.execPath, [program, ...args], { env, stdio: ["ignore", "pipe", "ignore"] })
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve))
    let output = ""
    for await (const chunk of child.stdout as AsyncIterable<Buffer>) {
      output += chunk.toString()
      // A second signal would end it at once.
      if (!child.killed && output.includes(text)) child.kill(signal)
    }
    return ended
  }

  it("ends a command that has work with the signal's exit code", async () => {
    await database.sql.query(
      "insert into extras_webhook (name, content_types, payload_url) values ('idle', '{dcim.site}', 'http://[::1]:9/')"
    )
    const replay = ["replay", "--webhook", "idle", "--since", "2026-01-01"]
    expect(await interrupted(replay, "of 0 events", "SIGINT")).toBe(130)
    expect(await interrupted(replay, "of 0 events", "SIGTERM")).toBe(143)
  })

  it("is the usual end of a command that runs until it is stopped", async () => {
    expect(await interrupted(["webhook_receiver", "--port", "0"], "Listening on port", "SIGINT")).toBe(0)
    expect(await interrupted(["webhook_receiver", "--port", "0"], "Listening on port", "SIGTERM")).toBe(0)
  })
})

it.each(["serve", "replay"])("the help of %s tells defaults", async (command) => {
  const { output } = await runCommand([command, "--help"])
  const flags = output.slice(output.indexOf("\nFLAGS"), output.indexOf("GLOBAL FLAGS")).split("\n  --").slice(1)
  const required = ["webhook", "since", "gap"]
  expect(flags.filter((line) => !/\(default/.test(line)).map((line) => line.split(" ")[0])).toEqual(
    command === "replay" ? required : []
  )
})
