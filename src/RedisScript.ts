/** Lua in Redis, sent by its digest and in full only to a server that does not know it yet. */
import { createHash } from "node:crypto"
import { type Client, mastersOf } from "./Redis.ts"

export interface ScriptCall {
  readonly keys: ReadonlyArray<string>
  readonly args: ReadonlyArray<string | number>
}

export class Script {
  private readonly text: string
  private readonly digest: string

  constructor(text: string) {
    this.text = text
    this.digest = createHash("sha1").update(text).digest("hex")
  }

  async run(client: Client, call: ScriptCall): Promise<unknown> {
    const [reply] = await this.runAll(client, [call])
    return reply
  }

  /** Runs the calls in a pipeline; rejects with the first error among their replies. */
  async runAll(client: Client, calls: ReadonlyArray<ScriptCall>): Promise<ReadonlyArray<unknown>> {
    const replies = await this.send(client, calls)
    if (!replies.some(([error]) => error?.message.startsWith("NOSCRIPT") === true)) return values(replies)
    await Promise.all(mastersOf(client).map((master) => master.script("LOAD", this.text)))
    return values(await this.send(client, calls))
  }

  private async send(client: Client, calls: ReadonlyArray<ScriptCall>): Promise<ReadonlyArray<Reply>> {
    if (!client.isCluster) return this.sendTogether(client, calls)
    // A pipeline to a cluster goes to one node.
    const parts = Map.groupBy(calls, ({ keys }) => tagOf(keys[0]!))
    const replies = new Map<ScriptCall, Reply>()
    await Promise.all(
      Array.from(parts.values(), async (part) => {
        for (const [at, reply] of (await this.sendTogether(client, part)).entries()) replies.set(part[at]!, reply)
      })
    )
    return calls.map((call) => replies.get(call)!)
  }

  private async sendTogether(client: Client, calls: ReadonlyArray<ScriptCall>): Promise<ReadonlyArray<Reply>> {
    const pipeline = client.pipeline()
    for (const { keys, args } of calls) pipeline.evalsha(this.digest, keys.length, ...keys, ...args)
    return (await pipeline.exec()) ?? []
  }
}

/** The part of a key that decides where in a cluster it lies. */
const tagOf = (key: string): string => key.slice(key.indexOf("{"), key.indexOf("}"))

type Reply = readonly [Error | null, unknown]

const values = (replies: ReadonlyArray<Reply>): ReadonlyArray<unknown> => {
  const failed = replies.find(([error]) => error !== null)
  if (failed !== undefined) throw failed[0]
  return replies.map(([, value]) => value)
}
