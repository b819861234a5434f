/** Lua scripts in separate files. They run by digest; only a server that lacks a script gets its full text. */
import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { type Client, mastersOf } from "./Redis.ts"

interface ScriptCall {
  readonly keys: ReadonlyArray<string>
  readonly args: ReadonlyArray<string | number>
}

/** `Reply` is the result of the script, as ioredis parses it. */
export class RedisScript<Reply> {
  /** The text of the script, with its includes. */
  readonly text: string
  private readonly digest: string

  /** Reads the file at once, so that a missing script fails the start of the process instead of a call. */
  constructor(file: URL) {
    this.text = textOf(file)
    this.digest = createHash("sha1").update(this.text).digest("hex")
  }

  async run(client: Client, call: ScriptCall): Promise<Reply> {
    const [reply] = await this.runAll(client, [call])
    return reply!
  }

  /** Runs a call for each item in a pipeline and returns the items with their replies; rejects as `runAll` does. */
  async runFor<A>(
    client: Client,
    items: ReadonlyArray<A>,
    callOf: (item: A) => ScriptCall
  ): Promise<ReadonlyArray<readonly [item: A, reply: Reply]>> {
    const replies = await this.runAll(client, items.map(callOf))
    return items.map((item, at) => [item, replies[at]!])
  }

  /** Runs the calls in a pipeline and returns their replies in order; rejects with the first error among them. */
  private async runAll(client: Client, calls: ReadonlyArray<ScriptCall>): Promise<ReadonlyArray<Reply>> {
    const results = await this.send(client, calls)
    if (!results.some(([error]) => error?.message.startsWith("NOSCRIPT") === true)) return repliesOf<Reply>(results)
    await Promise.all(mastersOf(client).map((master) => master.script("LOAD", this.text)))
    return repliesOf<Reply>(await this.send(client, calls))
  }

  private async send(client: Client, calls: ReadonlyArray<ScriptCall>): Promise<ReadonlyArray<Result>> {
    if (!client.isCluster) return this.sendTogether(client, calls)
    // In a cluster a pipeline is sent to one node.
    const parts = Map.groupBy(calls, ({ keys }) => tagOf(keys[0]!))
    const results = new Map<ScriptCall, Result>()
    await Promise.all(
      Array.from(parts.values(), async (part) => {
        for (const [at, result] of (await this.sendTogether(client, part)).entries()) results.set(part[at]!, result)
      })
    )
    return calls.map((call) => results.get(call)!)
  }

  private async sendTogether(client: Client, calls: ReadonlyArray<ScriptCall>): Promise<ReadonlyArray<Result>> {
    const pipeline = client.pipeline()
    for (const { keys, args } of calls) pipeline.evalsha(this.digest, keys.length, ...keys, ...args)
    return (await pipeline.exec()) ?? []
  }
}

/** The file's text; a line `-- include <path>` is replaced by the file at that path, relative to the including file. */
const textOf = (file: URL): string =>
  readFileSync(file, "utf8").replace(/^-- include (\S+)$/gm, (_, path: string) => textOf(new URL(path, file)))

/** The hash tag of a key, which decides its slot in a cluster. */
const tagOf = (key: string): string => key.slice(key.indexOf("{"), key.indexOf("}"))

type Result = readonly [Error | null, unknown]

const repliesOf = <Reply>(results: ReadonlyArray<Result>): ReadonlyArray<Reply> => {
  const failed = results.find(([error]) => error !== null)
  if (failed !== undefined) throw failed[0]
  return results.map(([, reply]) => reply as Reply)
}
