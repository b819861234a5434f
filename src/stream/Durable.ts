/**
 * When an entry is on disk.
 *
 * With `appendfsync always` Redis replies after the write is on disk. Otherwise `WAITAOF` (Redis 7.2, Valkey) waits for
 * it. Where there is neither, nothing may be confirmed, and we say so instead.
 */
import { type Client, RedisError } from "../Redis.ts"
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

/** Waits until what was written is on disk, on a connection of its own: nobody else waits with it. */
export class Disk {
  private durability: Promise<Durability> | undefined
  private running: Promise<void> = Promise.resolve()
  private next: Promise<void> | undefined
  private readonly client: Client

  constructor(client: Client) {
    this.client = client
    // After a new connection it may be another server, or one with other settings.
    client.on("close", () => (this.durability = undefined))
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
    this.durability ??= durabilityOf(this.client)
    const durability = await this.durability.catch((error: unknown) => {
      this.durability = undefined
      throw error
    })
    if (durability === "every reply") return
    if (durability === "none") throw notDurable()
    // It waits for what its own connection has written, and the file is written in order.
    await this.client.set(diskKey, "")
    const [local] = (await this.client.call("WAITAOF", "1", "0", `${waitMillis}`)) as ReadonlyArray<number>
    if (local !== 1) {
      throw new RedisError({ reason: "Unavailable", message: `Redis did not write to disk within ${waitMillis} ms` })
    }
  }
}

const notDurable = () =>
  new RedisError({
    reason: "Unavailable",
    message:
      "Redis would lose deliveries in a crash: set `appendonly yes` and `appendfsync always` (or use Redis 7.2 with `appendonly yes`)"
  })
