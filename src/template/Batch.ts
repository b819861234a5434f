/** What travels between the pool and its workers: many requests in one message, each text only once. */
import type { TemplateFault } from "./Fault.ts"

/** Templates to render with one context. */
export interface Request {
  readonly sources: ReadonlyArray<string>
  /** JSON text of an object. */
  readonly context: string
  readonly engine: string
}

export interface Batch {
  /** Sources, each once, and the engine of each. */
  readonly sources: ReadonlyArray<string>
  readonly engines: ReadonlyArray<string>
  /** Contexts, each once. */
  readonly contexts: ReadonlyArray<string>
  /** For each request: its context, how many sources it has, and which. */
  readonly requests: ReadonlyArray<number>
}

/** What came of a batch. */
export interface Reply {
  /** The outputs of the requests that have no fault, one behind the other. */
  readonly outputs: ReadonlyArray<string>
  readonly faults: ReadonlyArray<{ readonly request: number; readonly fault: TemplateFault }>
}

/** What a worker says first. */
export const ready = "ready"

export const packBatch = (requests: ReadonlyArray<Request>): Batch => {
  const sources: Array<string> = []
  const engines: Array<string> = []
  const known = new Map<string, Map<string, number>>()
  const contexts = new Map<string, number>()
  const packed: Array<number> = []
  for (const { sources: wanted, context, engine } of requests) {
    packed.push(position(contexts, context), wanted.length)
    let ofEngine = known.get(engine)
    if (ofEngine === undefined) known.set(engine, (ofEngine = new Map()))
    for (const source of wanted) {
      let index = ofEngine.get(source)
      if (index === undefined) {
        ofEngine.set(source, (index = sources.length))
        sources.push(source)
        engines.push(engine)
      }
      packed.push(index)
    }
  }
  return { sources, engines, contexts: [...contexts.keys()], requests: packed }
}

/** Where the text stands among those seen, itself included. */
const position = (seen: Map<string, number>, text: string): number => {
  const known = seen.get(text)
  if (known !== undefined) return known
  seen.set(text, seen.size)
  return seen.size - 1
}
