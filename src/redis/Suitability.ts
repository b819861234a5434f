/**
 * Whether a Redis is suitable for the queues. One that loses its data is: it is filled again from Postgres. One that
 * evicts keys or refuses commands is not.
 */
import { Effect } from "effect"
import { type Client, command, mastersOf } from "./Redis.ts"

export interface RedisFacts {
  readonly version: string
  /** `maxmemory-policy`; undefined if the server does not report it. */
  readonly eviction: string | undefined
  /** Commands that the user may not run. */
  readonly refused: ReadonlyArray<string>
}

/** A reason why a Redis cannot take the queues, and the way to change it. */
interface Unsuitable {
  readonly aspect: "version" | "eviction" | "rights"
  readonly message: string
  readonly change: string
}

/** Versions before lack XAUTOCLAIM and XPENDING by idle time. */
const isOld = (version: string): boolean => {
  const [major = 0, minor = 0] = version.split(".").map(Number)
  return major < 6 || (major === 6 && minor < 2)
}

/** Policies `volatile-*` evict only keys with an expiry, and no delivery is in one. */
const mayEvict = (eviction: string | undefined): boolean => eviction?.startsWith("allkeys-") === true

export const unsuitable = ({ version, eviction, refused }: RedisFacts): ReadonlyArray<Unsuitable> => [
  ...(isOld(version)
    ? [
        {
          aspect: "version" as const,
          message: `Redis has the version ${version}`,
          change: "Use Redis 6.2 or later, or Valkey."
        }
      ]
    : []),
  ...(mayEvict(eviction) ? [evicting(eviction!)] : []),
  ...(refused.length === 0
    ? []
    : [
        {
          aspect: "rights" as const,
          message: `the user may not run ${refused.join(", ")}`,
          change: "acl setuser <user> +@all -@dangerous +info ~rackwire:* resetchannels &rackwire:*;  then acl save."
        }
      ])
]

const evicting = (eviction: string): Unsuitable => ({
  aspect: "eviction",
  message: `Redis may evict deliveries: its maxmemory-policy is ${eviction}`,
  change: "config set maxmemory-policy noeviction; config rewrite"
})

/** A sentence if Redis may evict deliveries; none if it may not. */
export const evictionProblems = (client: Client) =>
  Effect.map(
    command(() => evictionOf(client)),
    (eviction) => (mayEvict(eviction) ? [evicting(eviction!).message] : [])
  )

export const redisFacts = (client: Client) =>
  command(async (): Promise<RedisFacts> => {
    const [, version = "0"] = /^redis_version:(\S+)/m.exec(await client.info("server")) ?? []
    return { version, eviction: await evictionOf(client), refused: await refusedCommands(client) }
  })

/** In a cluster the policy of the first node that evicts. Hosted servers refuse CONFIG and report it here. */
const evictionOf = async (client: Client): Promise<string | undefined> => {
  // ioredis connects to a cluster with the first command.
  if (client.isCluster) await client.ping()
  const texts = await Promise.all(mastersOf(client).map((server) => server.info("memory")))
  const policies = texts.map((text) => /^maxmemory_policy:(\S+)/m.exec(text)?.[1])
  return policies.find(mayEvict) ?? policies[0]
}

const stream = "{probe}:stream"
const set = "{probe}:set"
const hash = "{probe}:hash"
const text = "{probe}:text"
const renamed = "{probe}:renamed"
const group = "probe"

/** The commands in use, each on keys of its own; the order lets them succeed. `EVALSHA` is tried with an unknown script. */
export const tried: ReadonlyArray<readonly [name: string, ...args: ReadonlyArray<string>]> = [
  ["SET", text, "", "PX", "60000"],
  ["GET", text],
  ["EXISTS", text],
  ["PEXPIRE", text, "60000"],
  ["PTTL", text],
  ["TYPE", text],
  ["RENAME", text, renamed],
  ["TIME"],
  ["HSET", hash, "a", "b"],
  ["HSETNX", hash, "a", "b"],
  ["HGET", hash, "a"],
  ["HMGET", hash, "a"],
  ["HGETALL", hash],
  ["HEXISTS", hash, "a"],
  ["HDEL", hash, "a"],
  ["ZADD", set, "0", "a"],
  ["ZCARD", set],
  ["ZSCORE", set, "a"],
  ["ZRANGE", set, "0", "0"],
  ["ZRANGEBYLEX", set, "-", "+"],
  ["ZRANGEBYSCORE", set, "0", "1"],
  ["ZREM", set, "a"],
  ["XGROUP", "CREATE", stream, group, "0", "MKSTREAM"],
  ["XADD", stream, "*", "d", ""],
  ["XLEN", stream],
  ["XINFO", "STREAM", stream],
  ["XRANGE", stream, "-", "+", "COUNT", "1"],
  ["XREVRANGE", stream, "+", "-", "COUNT", "1"],
  ["XREADGROUP", "GROUP", group, group, "COUNT", "1", "STREAMS", stream, ">"],
  ["XPENDING", stream, group],
  ["XCLAIM", stream, group, group, "0", "0-1"],
  ["XAUTOCLAIM", stream, group, group, "0", "0"],
  ["XACK", stream, group, "0-1"],
  ["XDEL", stream, "0-1"],
  ["UNLINK", stream, set, hash, renamed],
  ["SCRIPT", "LOAD", "return 1"],
  ["EVALSHA", "0".repeat(40), "0"],
  ["PUBLISH", "rackwire:probe", ""]
]

/** A refused publication costs time alone: the sweep finds unpublished entries (scripts/append.lua). */
const needless = "PUBLISH"

/** All are sent together: a start waits for the answers. */
const refusedCommands = async (client: Client): Promise<ReadonlyArray<string>> => {
  const pipeline = client.pipeline()
  for (const [name, ...args] of tried) pipeline.call(name, ...args)
  const results = (await pipeline.exec()) ?? []
  return tried.flatMap(([name], at) => {
    const isRefused = results[at]?.[0]?.message.startsWith("NOPERM") === true
    return isRefused && name !== needless ? [name] : []
  })
}
