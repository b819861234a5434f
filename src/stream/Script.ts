/** Lua in Redis, sent by its digest and in full only to a server that does not know it yet. */
import { createHash } from "node:crypto"
import type { Client } from "../Redis.ts"

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

  /** Runs the calls in one pipeline; rejects with the first error among their replies. */
  async runAll(client: Client, calls: ReadonlyArray<ScriptCall>): Promise<ReadonlyArray<unknown>> {
    const replies = await this.send(client, calls)
    if (!replies.some(([error]) => error?.message.startsWith("NOSCRIPT") === true)) return values(replies)
    await client.script("LOAD", this.text)
    return values(await this.send(client, calls))
  }

  private async send(client: Client, calls: ReadonlyArray<ScriptCall>) {
    const pipeline = client.pipeline()
    for (const { keys, args } of calls) pipeline.evalsha(this.digest, keys.length, ...keys, ...args)
    return (await pipeline.exec()) ?? []
  }
}

const values = (replies: ReadonlyArray<readonly [Error | null, unknown]>): ReadonlyArray<unknown> => {
  const failed = replies.find(([error]) => error !== null)
  if (failed !== undefined) throw failed[0]
  return replies.map(([, value]) => value)
}
