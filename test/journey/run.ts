/**
 * `node test/journey/run.ts journey.mjs`: walks a journey from outside, over HTTP alone, against one process for each
 * role on a Postgres and a Valkey (or a Redis, where there is no `valkey-server` on the PATH) of their own.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { freePorts } from "../../src/embedded/Ports.ts"
import { roles } from "../../src/Service.ts"
import { startServers } from "../support/EmbeddedServers.ts"
import { password } from "../support/Client.ts"
import { type ServiceProcess, startProcess } from "../support/Process.ts"

const [journey] = process.argv.slice(2)
if (journey === undefined) throw new Error("usage: node test/journey/run.ts journey.mjs")

const directory = mkdtempSync(join(tmpdir(), "rackwire-journey-"))
const command = spawnSync("valkey-server", ["--version"]).status === 0 ? "valkey-server" : "redis-server"
const [port] = await freePorts(1)
const queue: ChildProcess = spawn(
  command,
  ["--port", `${port}`, "--dir", directory, "--appendonly", "yes", "--appendfsync", "always", "--save", ""],
  { stdio: "ignore" }
)
const { databaseUrl, stop } = await startServers(directory)
const services: Array<ServiceProcess> = []
const end = () => {
  for (const service of services) service.process.kill("SIGKILL")
  queue.kill("SIGKILL")
}
process.once("exit", end)

const redisUrl = `redis://127.0.0.1:${port}/0`
console.log(`one process for each role, on ${spawnSync(command, ["--version"], { encoding: "utf8" }).stdout.trim()}`)

const environment = {
  DATABASE_URL: databaseUrl,
  REDIS_URL: redisUrl,
  SECRET_KEY: "a key for the journey, of some length"
}
for (const role of roles) services.push(await startProcess(environment, { roles: [role] }))
const { status } = spawnSync(process.execPath, [journey], {
  env: { ...process.env, RACKWIRE_URL: services[0]!.url, SUPERUSER_PASSWORD: password },
  stdio: "inherit"
})
await Promise.all(services.map((service) => service.stop()))
end()
await stop()
rmSync(directory, { recursive: true, force: true })
process.exit(status ?? 1)
