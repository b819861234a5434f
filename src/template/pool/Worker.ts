/**
 * A worker thread of the pool: loads the plugins and renders batches.
 *
 * Before each run it increments a counter in shared memory, which the host can read while this thread is busy or dead:
 * so the host can identify the request at fault. It does not use Effect, because it must start fast.
 */
import { parentPort, workerData } from "node:worker_threads"
import { type Batch, type BatchTemplate, type Reply, ready } from "./Batch.ts"
import { Context } from "../Context.ts"
import type { TemplateFault } from "../../jinja/runtime/Fault.ts"
import { extension } from "../plugin/Hooks.ts"
import type { Limits } from "../../jinja/runtime/Limits.ts"
import { readPlugins } from "../plugin/PluginLoader.ts"
import { type Render, Renderer, faultOf } from "../Renderer.ts"

export interface WorkerData {
  /** URLs of the plugins' modules. */
  readonly modules: ReadonlyArray<string>
  readonly version: string | undefined
  readonly limits: Limits
  /** One 32-bit integer: how many runs were started. */
  readonly runs: SharedArrayBuffer
}

const { modules, version, limits, runs } = workerData as WorkerData
const started = new Int32Array(runs)
const plugins = await readPlugins(modules, version)
const renderer = new Renderer(plugins, limits)
const extend = extension(plugins)

type CompileResult = Render | TemplateFault

/** A request of a batch, unpacked. */
interface Job {
  readonly index: number
  readonly context: Context
  readonly templates: ReadonlyArray<() => CompileResult>
}

/** Compiles at the first use, because compiling is part of a run and counts as one. */
const lazily = (template: BatchTemplate): (() => CompileResult) => {
  let compiled: CompileResult | undefined
  return () => (compiled ??= compile(template))
}

const compile = ({ source, engine, part }: BatchTemplate): CompileResult => {
  try {
    if (part === "nothing") return renderer.check(source, engine) ?? (() => "")
    return renderer.template(source, engine, part)
  } catch (error) {
    return faultOf(error)
  }
}

const unpack = ({ templates: given, contexts, requests }: Batch): Array<Job> => {
  const templates = given.map(lazily)
  const parsed = contexts.map((text) => new Context(text))
  const jobs: Array<Job> = []
  for (let at = 0; at < requests.length;) {
    const context = parsed[requests[at++]!]!
    const count = requests[at++]!
    jobs.push({
      index: jobs.length,
      context,
      templates: requests.slice(at, at + count).map((template) => templates[template]!)
    })
    at += count
  }
  return jobs
}

/** The outputs of a request, or its fault. */
const run = ({ templates }: Job, context: Context): ReadonlyArray<string> | TemplateFault => {
  const outputs: Array<string> = []
  for (const template of templates) {
    Atomics.add(started, 0, 1)
    const compiled = template()
    if (typeof compiled !== "function") return compiled
    try {
      outputs.push(compiled(context))
    } catch (error) {
      return faultOf(error)
    }
  }
  return outputs
}

/**
 * Time after which a batch is answered as far as it is done, so that others need not wait for the rest, milliseconds.
 */
const batchMillis = 50

class Answer {
  private readonly begun = performance.now()
  private last = this.begun
  private readonly millis: Array<number> = []
  private readonly outputs: Array<string> = []
  private readonly faults: Array<{ readonly request: number; readonly fault: TemplateFault }> = []

  add({ index, templates }: Job, before: number, result: ReadonlyArray<string> | TemplateFault): void {
    if ("reason" in result) this.faults.push({ request: index, fault: result })
    else this.outputs.push(...result)
    // Runs that a fault skipped count as started, so that the host's sums are right.
    Atomics.store(started, 0, before + templates.length)
    const now = performance.now()
    this.millis.push(now - this.last)
    this.last = now
  }

  get isLong(): boolean {
    return this.last - this.begun > batchMillis
  }

  get reply(): Reply {
    return { outputs: this.outputs, faults: this.faults, millis: this.millis }
  }
}

const renderBatch = (batch: Batch): Reply => {
  const answer = new Answer()
  for (const job of unpack(batch)) {
    answer.add(job, Atomics.load(started, 0), run(job, job.context))
    if (answer.isLong) break
  }
  return answer.reply
}

const renderExtended = async (batch: Batch, extendContext: NonNullable<typeof extend>): Promise<Reply> => {
  const answer = new Answer()
  for (const job of unpack(batch)) {
    const before = Atomics.load(started, 0)
    answer.add(job, before, await extendContext(job.context).then((context) => run(job, context), faultOf))
    if (answer.isLong) break
  }
  return answer.reply
}

const port = parentPort!
let last = Promise.resolve()
port.on("message", (batch: Batch) => {
  if (extend === undefined) return port.postMessage(renderBatch(batch))
  last = last.then(async () => port.postMessage(await renderExtended(batch, extend)))
})
port.postMessage(ready)
