/**
 * When an entry is on disk.
 *
 * With `appendfsync always` Redis replies after the write is on disk. Otherwise `WAITAOF` (Redis 7.2, Valkey) waits for
 * it. Where there is neither, nothing may be confirmed, and we say so instead.
 */
import { type Client, RedisError, mastersOf } from "../Redis.ts"
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

/** Hosted servers may refuse CONFIG: then nothing is known of them. */
const settingsOf = async (client: Client): Promise<ReadonlyMap<string, string>> => {
  try {
    const pairs = [
      ...((await client.config("GET", "appendonly")) as ReadonlyArray<string>),
      ...((await client.config("GET", "appendfsync")) as ReadonlyArray<string>)
    ]
    return new Map(pairs.flatMap((name, at) => (at % 2 === 0 ? [[name, pairs[at + 1] ?? ""]] : [])))
  } catch {
    return new Map()
  }
}

/** Waits until what was written is on disk, on connections of its own: nobody else waits with it. */
export class Disk {
  private readonly nodes = new Map<Client, Node>()
  private running: Promise<void> = Promise.resolve()
  private next: Promise<void> | undefined
  private readonly client: Client

  constructor(client: Client) {
    this.client = client
  }

  /** Resolves when everything that Redis had replied to before is on disk; rejects with a RedisError when it is not. */
  reached(): Promise<void> {
    // One that is under way may have begun too early; whoever comes meanwhile shares the next.
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
    // A cluster is connected to by its first command.
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

/** Most keys that are tried until one lies on the node. */
const keysMax = 1000

/** One server, whole or a part of a cluster. */
class Node {
  private durability: Promise<Durability> | undefined
  private keyNumber = 0
  private readonly server: Client

  constructor(server: Client) {
    this.server = server
    // After a new connection it may be another server, or one with other settings.
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
    // It waits for what its own connection has written, and the file is written in order.
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
        if (!(error as Error).message.startsWith("MOVED") || tried === keysMax) throw error
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
