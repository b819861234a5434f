/** Goal: a Postgres that refuses replication is named with the line to run. Method: one cluster, served with each fault. */
import { spawn } from "node:child_process"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import { freePorts } from "../../src/embedded/Ports.ts"
import { runCommand } from "../support/Command.ts"
import { emptyRedis } from "../support/Database.ts"
import { eventually } from "../support/Eventually.ts"
import { type OwnPostgres, makeOwnPostgres } from "../support/OwnPostgres.ts"
import { program } from "../support/Process.ts"

let cluster: OwnPostgres

beforeAll(async () => {
  cluster = await makeOwnPostgres()
})
afterAll(() => cluster.remove())

interface Fault {
  readonly settings?: Readonly<Record<string, string>>
  /** A statement of the superuser that makes the fault, and one that ends it. */
  readonly make?: string
  readonly end?: string
  /** The words of the service, and of `check`. */
  readonly words: RegExp
  readonly finding: string
}

const faults: ReadonlyArray<readonly [string, Fault]> = [
  [
    "wal_level",
    {
      settings: { wal_level: "replica" },
      words: /wal_level is replica: run {2}alter system set wal_level = 'logical'; {2}and restart Postgres/,
      finding: "CHANGE wal_level: replica"
    }
  ],
  [
    "slots",
    {
      settings: { max_replication_slots: "1" },
      make: "select pg_create_physical_replication_slot('other')::text",
      end: "select pg_drop_replication_slot('other')::text",
      words: /all replication slots are in use.*: run {2}alter system set max_replication_slots = 20;/,
      finding: "CHANGE replication slots: 1 of 1 used"
    }
  ],
  [
    "senders",
    {
      settings: { max_wal_senders: "0" },
      words: /max_wal_senders.*\(currently 0\).*: run {2}alter system set max_wal_senders = 20;/,
      finding: "CHANGE WAL senders: 0 of 0 used"
    }
  ],
  [
    "the right to replicate",
    {
      make: "alter role rackwire noreplication",
      end: "alter role rackwire replication",
      words: /\(42501\): run {2}alter role .*rackwire.* replication;/,
      finding: "CHANGE right to replicate: no"
    }
  ]
]

it.each(faults)("%s", async (_, { settings = {}, make, end, words, finding }) => {
  const [port] = await freePorts(1)
  const server = await cluster.start(port!, settings)
  onTestFinished(() => server.stop())
  if (make !== undefined) await server.superuser.query(make)
  const environment = {
    DATABASE_URL: cluster.urlAt(`127.0.0.1:${port}`),
    REDIS_URL: await emptyRedis(),
    SECRET_KEY: "a key for tests, of sufficient length"
  }
  const service = spawn(process.execPath, [program, "serve"], {
    env: { PATH: process.env["PATH"], PORT: "0", ...environment }
  })
  onTestFinished(() => void service.kill("SIGKILL"))
  let output = ""
  for (const stream of [service.stdout, service.stderr])
    stream.on("data", (text: Buffer) => (output += text.toString()))
  await eventually("the service names the fault", () => words.test(output)).catch((error: Error) => {
    throw new Error(`${error.message}\n${output}`)
  })
  const exited = new Promise((resolve) => service.once("exit", resolve))
  service.kill()
  await exited
  const check = await runCommand(["check"], { env: environment })
  if (end !== undefined) await server.superuser.query(end)
  expect(check.output).toContain(finding)
  expect(check.code).toBe(1)
  expect(output).not.toContain("gap")
})
