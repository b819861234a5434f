/**
 * When an entry is on disk.
 *
 * With `appendfsync always` Redis replies after the write is on disk. Otherwise `WAITAOF` (Redis 7.2, Valkey) waits for
 * it. Without either nothing may be confirmed: waiting fails and says why.
 */
import { type Client, RedisError, mastersOf } from "../redis/Redis.ts"
import { diskKey } from "./Keys.ts"

export type Durability = "every reply" | "waitaof" | "none"

/** Time for Redis to put a batch on disk, milliseconds. */
const waitMillis = 5000

export const durabilityOf = async (client: Client): Promise<Durability> => {
  const settings = await settingsOf(client)
  if (settings.get("appendonly") === "yes" && settings.get("appendfsync") === "always") return "every reply"
  if (settings.get("appendonly") === "no") return "none"
  const [known] = (await client.call("COMMAND", "INFO", "waitaof")) as ReadonlyArray<unknown>
  return Array.isArray(known) && known.length > 0 ? "waitaof" : "none"
}

/** The settings by name; empty if the server refuses CONFIG, as hosted ones may. */
const settingsOf = async (client: Client): Promise<ReadonlyMap<string, string>> => {
  try {
    const pairs = [...(await client.config("GET", "appendonly")), ...(await client.config("GET", "appendfsync"))]
    return new Map(pairs.flatMap((name, at) => (at % 2 === 0 ? [[name, pairs[at + 1] ?? ""]] : [])))
  } catch {
    return new Map()
  }
}

/** Waits until writes are on disk, on connections of its own, so that other commands do not wait. */
export class Disk {
  private readonly nodes = new Map<Client, Node>()
  private running: Promise<void> = Promise.resolve()
  private next: Promise<void> | undefined
  private readonly client: Client

  constructor(client: Client) {
    this.client = client
  }

  /** Resolves when everything that Redis replied to before this call is on disk; else rejects with a RedisError. */
  reached(): Promise<void> {
    // The running wait may have begun too early. All callers that arrive meanwhile share the next one.
    this.next ??= this.running
      .catch(() => {})
      .then(() => {
        this.next = undefined
        this.running = this.wait()
        return this.running
      })
    return this.next
  }

  private async wait(): Promise<void> {
    // ioredis connects to a cluster with the first command.
    if (this.client.isCluster) await this.client.ping()
    await Promise.all(mastersOf(this.client).map((server) => this.nodeOf(server).wait()))
  }

  private nodeOf(server: Client): Node {
    const known = this.nodes.get(server)
    if (known !== undefined) return known
    const node = new Node(server)
    this.nodes.set(server, node)
    server.once("end", () => this.nodes.delete(server))
    return node
  }
}

/** Most keys to try until one lies on the node. */
const keysMax = 1000

/** A server, or a node of a cluster. */
class Node {
  private durability: Promise<Durability> | undefined
  private keyNumber = 0
  private readonly server: Client

  constructor(server: Client) {
    this.server = server
    // The next connection may reach another server, or other settings.
    server.on("close", () => (this.durability = undefined))
  }

  async wait(): Promise<void> {
    this.durability ??= durabilityOf(this.server)
    const durability = await this.durability.catch((error: unknown) => {
      this.durability = undefined
      throw error
    })
    if (durability === "every reply") return
    if (durability === "none") throw notDurable()
    // WAITAOF waits for the writes of its own connection, and Redis writes its file in order.
    await this.write()
    const [local] = (await this.server.call("WAITAOF", "1", "0", `${waitMillis}`)) as ReadonlyArray<number>
    if (local !== 1) {
      throw new RedisError({ reason: "Unavailable", message: `Redis did not write to disk within ${waitMillis} ms` })
    }
  }

  private async write(): Promise<void> {
    for (let tried = 0; ; tried++) {
      try {
        return void (await this.server.set(diskKey(this.keyNumber), ""))
      } catch (error) {
        const isElsewhere = error instanceof Error && error.message.startsWith("MOVED")
        if (!isElsewhere || tried === keysMax) throw error
        this.keyNumber = (this.keyNumber + 1) % keysMax
      }
    }
  }
}

const notDurable = () =>
  new RedisError({
    reason: "Unavailable",
    message:
      "Redis would lose deliveries in a crash: set `appendonly yes` and `appendfsync always` (or use Redis 7.2 with `appendonly yes`)"
  })
