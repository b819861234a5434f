/**
 * `demo`: shows a newcomer the service in a minute. It starts a service with its own data directory and a receiver,
 * makes changes through the API and with plain SQL, and prints each change with the webhook that the receiver got.
 */
import { type ChildProcess, spawn } from "node:child_process"
import { createHmac, randomBytes } from "node:crypto"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { type IncomingHttpHeaders, createServer } from "node:http"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { PgClient } from "@effect/sql-pg"
import { Console, Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { inheritedEnvironment } from "../Environment.ts"
import { database } from "../pipeline/Foundation.ts"
import { fillInventory, sizeMax } from "./demo/DemoInventory.ts"
import { ofService } from "./service/OfService.ts"
import { CommandFailed, entry } from "./service/Entry.ts"

const secret = "the receiver has it too"
const username = "admin"

/** Longest wait for the service to become ready, and for a webhook to arrive, milliseconds. */
const startMillis = 60_000
const arrivalMillis = 10_000

interface Arrival {
  readonly at: number
  readonly headers: IncomingHttpHeaders
  readonly raw: Buffer
  readonly event: {
    readonly event: string
    readonly timestamp: string
    readonly model: string
    readonly username: string
    readonly data: { readonly name: string }
  }
}

const now = (): number => performance.timeOrigin + performance.now()

/** A receiver that passes each webhook to the step of the demo that waits for it. */
const receiver = Effect.acquireRelease(
  Effect.promise(async () => {
    const arrivals: Array<Arrival> = []
    const server = createServer(async (request, response) => {
      const at = now()
      const chunks: Array<Buffer> = []
      for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk)
      response.end("ok")
      const raw = Buffer.concat(chunks)
      arrivals.push({ at, headers: request.headers, raw, event: JSON.parse(raw.toString()) as Arrival["event"] })
    })
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
    const { port } = server.address() as { readonly port: number }
    const arrival = async (name: string, event: string): Promise<Arrival | undefined> => {
      for (const deadline = now() + arrivalMillis; now() < deadline;) {
        const found = arrivals.find((each) => each.event.data.name === name && each.event.event === event)
        if (found !== undefined) return found
        await new Promise((resolve) => setTimeout(resolve, 2))
      }
      return undefined
    }
    return { url: `http://127.0.0.1:${port}/`, arrival, count: () => arrivals.length, server }
  }),
  ({ server }) => Effect.sync(() => server.close())
)

const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "rackwire-demo-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

/** Starts `rackwire serve` as a separate process, as a user would; returns its address once it is ready. */
const service = (directory: string, password: string) => {
  const environment = {
    ...inheritedEnvironment(),
    PORT: "0",
    RACKWIRE_DATA_DIR: directory,
    SUPERUSER_PASSWORD: password
  }
  return Effect.acquireRelease(
    Effect.sync(() =>
      // By the program that runs this command: it also sets the limits of the heap.
      spawn(process.execPath, [process.argv[1]!, "serve"], {
        env: environment,
        stdio: ["ignore", "pipe", "inherit"]
      })
    ),
    (child) =>
      Effect.promise(
        () =>
          new Promise<void>((resolve) => {
            if (child.exitCode !== null) return resolve()
            child.once("exit", () => resolve())
            child.kill("SIGTERM")
          })
      )
  ).pipe(Effect.flatMap(readyAddress))
}

const readyAddress = (child: ChildProcess) =>
  Effect.callback<string, Error>((resume) => {
    let output = ""
    child.stdout?.on("data", (chunk: Buffer) => {
      output += chunk.toString()
      const ready = /^ready (\S+)/m.exec(output)
      if (ready !== null) resume(Effect.succeed(ready[1]!))
    })
    child.once("exit", (code) =>
      resume(Effect.fail(new CommandFailed({ message: `the service ended with ${code}:\n${output}` })))
    )
  }).pipe(Effect.timeout(startMillis))

interface Answer {
  readonly status: number
  readonly json: Readonly<Record<string, unknown>>
}

/** Calls the API; a response other than 2xx ends the demo. */
const client = (address: string, token: string) => (method: string, path: string, body: object) =>
  Effect.tryPromise({
    try: async (): Promise<Answer> => {
      const response = await fetch(address + path, {
        method,
        headers: { "content-type": "application/json", ...(token === "" ? {} : { authorization: `Token ${token}` }) },
        body: JSON.stringify(body)
      })
      const text = await response.text()
      if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text}`)
      return { status: response.status, json: (text === "" ? {} : JSON.parse(text)) as Answer["json"] }
    },
    catch: (error) => error as Error
  })

const verified = ({ headers, raw }: Arrival): string =>
  headers["x-hook-signature"] === createHmac("sha512", secret).update(raw).digest("hex") ? "valid" : "INVALID"

const widths = [46, 12, 24, 9]

const row = (...cells: ReadonlyArray<string>): string =>
  cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join(" | ")

/** One line of the table: the change and its webhook. */
const line = (did: string, name: string, arrival: Arrival | undefined): string => {
  if (arrival === undefined) return row(did, name, "nothing arrived")
  const { event, at } = arrival
  const author = event.username === "" ? "(nobody)" : event.username
  const millis = (at - Date.parse(event.timestamp)).toFixed(1).padStart(6)
  return row(did, name, `${event.event} ${event.model} by ${author}`, verified(arrival), `${millis} ms`)
}

const run = Effect.gen(function* () {
  yield* Console.log("Starting Postgres, Redis and Rackwire in a folder of their own ...")
  const directory = yield* folder
  const password = randomBytes(12).toString("base64url")
  const address = yield* service(directory, password)
  const { arrival, count, url } = yield* receiver
  const provisioned = yield* client(address, "")("POST", "/api/users/tokens/provision/", { username, password })
  const call = client(address, String(provisioned.json["key"]))
  yield* call("POST", "/api/extras/webhooks/", {
    name: "demo",
    content_types: ["dcim.site"],
    type_create: true,
    type_update: true,
    type_delete: true,
    payload_url: url,
    secret,
    conditions: { and: [{ attr: "status.value", value: "active" }] }
  })
  yield* Console.log(`Service at ${address}, receiver at ${url}; the webhook wants active sites only.\n`)
  yield* Console.log(row("change", "object", "received", "signature", "commit to receipt"))
  const show = (did: string, name: string, event: string) =>
    Effect.flatMap(
      Effect.promise(() => arrival(name, event)),
      (found) => Console.log(line(did, name, found))
    )
  const site = (name: string, status: string) => ({ name, slug: name.toLowerCase(), status })
  const created = yield* call("POST", "/api/dcim/sites/", site("Amsterdam", "active"))
  yield* show("POST /api/dcim/sites/", "Amsterdam", "created")
  const path = `/api/dcim/sites/${String(created.json["id"])}/`
  yield* call("PATCH", path, { description: "second floor" })
  yield* show(`PATCH ${path}`, "Amsterdam", "updated")
  const database = Redacted.make(readFileSync(join(directory, "database-url"), "utf8").trim())
  yield* Effect.gen(function* () {
    const sql = yield* PgClient.PgClient
    yield* sql`insert into dcim_site (name, slug, status) values ('Berlin', 'berlin', 'active')`
    yield* show("SQL: insert into dcim_site ...", "Berlin", "created")
    yield* sql.withTransaction(
      Effect.andThen(
        sql`select rackwire_context('import')::text`,
        sql`update dcim_site set facility = 'B1' where slug = 'berlin'`
      )
    )
    yield* show("SQL: rackwire_context('import'); update ...", "Berlin", "updated")
  }).pipe(Effect.provide(PgClient.layer({ url: database })))
  const before = count()
  yield* call("POST", "/api/dcim/sites/", site("Cologne", "planned"))
  yield* call("DELETE", path, {})
  yield* show(`DELETE ${path}`, "Amsterdam", "deleted")
  const silent = count() === before + 1
  yield* Console.log(
    row(
      "POST /api/dcim/sites/  (status planned)",
      "Cologne",
      silent ? "nothing, as the condition says" : "SOMETHING, against the condition"
    )
  )
  yield* Console.log("\nStopping. `npx rackwire serve` keeps a service running; README.md names the next steps.")
})

export default Command.make(
  "demo",
  {
    size: Flag.Int("size").pipe(
      Flag.withDescription("Instead fill the inventory of the service with so many interfaces and IP addresses"),
      Flag.filter(
        (size) => size > 0 && size <= sizeMax,
        (size) => `an integer from 1 to ${sizeMax}, not ${size}`
      ),
      Flag.optional
    )
  },
  ({ size }) =>
    Option.match(size, {
      onNone: () => Effect.scoped(run),
      onSome: (interfaces) => Effect.asVoid(fillInventory(interfaces).pipe(ofService(database)))
    })
).pipe(
  Command.withDescription("Start everything in a temporary folder, make changes, and show what a receiver gets."),
  entry({
    demo: "Starts everything in a temporary folder, makes changes, and shows the webhook that a receiver gets for each.",
    "demo --size N":
      "Fills the inventory of the service, which must be empty, with N interfaces and N IP addresses, and the sites, racks, devices, their types with templates, console and power ports, cables, VLANs, prefixes and circuits around them. Every run makes the same objects."
  })
)
