/** The messages between the pool and its workers: many requests in one, each text only once. */
import type { TemplateFault } from "../../jinja/runtime/Fault.ts"
import { type Part, type Source, sourceOf } from "../Part.ts"

/** Templates to render with one context. */
export interface Request {
  readonly sources: ReadonlyArray<Source>
  /** JSON text of an object. */
  readonly context: string
  readonly engine: string
}

export interface BatchTemplate {
  readonly source: string
  readonly engine: string
  readonly part: Part
}

export interface Batch {
  /** Each once. */
  readonly templates: ReadonlyArray<BatchTemplate>
  /** Each once. */
  readonly contexts: ReadonlyArray<string>
  /** For each request: its context, how many templates it has, and which. */
  readonly requests: ReadonlyArray<number>
}

/** The results of a batch. A worker stops a batch that takes long: requests without an entry in `millis` were not begun. */
export interface Reply {
  /** Time that each request took, milliseconds. */
  readonly millis: ReadonlyArray<number>
  /** The outputs of the requests that have no fault, one behind the other. */
  readonly outputs: ReadonlyArray<string>
  readonly faults: ReadonlyArray<{ readonly request: number; readonly fault: TemplateFault }>
}

/** The first message of a worker. */
export const ready = "ready"

export const packBatch = (requests: ReadonlyArray<Request>): Batch => {
  const templates: Array<BatchTemplate> = []
  const known = new Map<string, Map<string, number>>()
  const contexts = new Map<string, number>()
  const packed: Array<number> = []
  for (const { sources, context, engine } of requests) {
    packed.push(position(contexts, context), sources.length)
    for (const given of sources) {
      const [source, part] = sourceOf(given)
      const kind = `${engine} ${part}`
      let ofKind = known.get(kind)
      if (ofKind === undefined) known.set(kind, (ofKind = new Map()))
      const index = position(ofKind, source, templates.length)
      if (index === templates.length) templates.push({ source, engine, part })
      packed.push(index)
    }
  }
  return { templates, contexts: [...contexts.keys()], requests: packed }
}

/** The index of the text among those seen; adds it if it is new. */
const position = (seen: Map<string, number>, text: string, next = seen.size): number => {
  const known = seen.get(text)
  if (known !== undefined) return known
  seen.set(text, next)
  return next
}
