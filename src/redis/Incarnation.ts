/**
 * The servers that have the data. After a restart or a failover these are others: they may lack the last writes, or be as they
 * were long before.
 */
import type { Effect } from "effect"
import { type Client, type RedisError, command, mastersOf } from "./Redis.ts"

/** A text that changes with every restart of a server (its run id) and every failover (the id of its replication). */
export const incarnationOf = (client: Client): Effect.Effect<string, RedisError> =>
  command(async () => {
    // ioredis connects to a cluster with the first command.
    if (client.isCluster) await client.ping()
    const each = await Promise.all(mastersOf(client).map(idsOf))
    return each.toSorted().join(", ")
  })

const idsOf = async (server: Client): Promise<string> => {
  // Redis 6 takes one section a call.
  const texts = await Promise.all([server.info("server"), server.info("replication")])
  return (texts.join("\n").match(/^(?:run_id|master_replid):\w+/gm) ?? []).join(" ")
}

/** Calls back when a connection to a server has ended: the next one may reach another server. */
export const onConnectionEnd = (client: Client, listener: () => void): void => {
  client.on("close", listener)
  // A cluster reports its nodes.
  client.on("+node", (node: Client) => {
    listener()
    node.on("close", listener)
  })
}
