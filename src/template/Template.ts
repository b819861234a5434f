/**
 * Templates: text that users write, rendered for webhooks.
 *
 * Responsible for: Jinja2 as Python has it, byte for byte (known differences are in
 * test/template/fuzz/known.ts); plugins, which add to it; other engines (Liquid, Nunjucks), which plugins bring.
 *
 * Guarantees: a template is hostile input. It cannot reach the process: its text becomes closures and never code, and
 * no JavaScript function or plain object is a value in it. It cannot block the process: work, memory and output have
 * budgets (Limits.ts), it runs in a worker thread, and a worker without progress is terminated and replaced. Its errors
 * are typed and have a place. Equal templates give equal bytes for equal contexts.
 *
 * Does not: load templates by name (`include`, `import` and `extends` fail as in Jinja without a loader), know what an
 * event or a webhook is, or protect against operators: plugins are trusted code.
 *
 * The grammar of Jinja2 is a port of Jinja's, not a subclass of nunjucks'. That was tried first: of the 16 methods of the
 * Tokenizer and the 55 of the Parser one could be kept (`peekToken`), because grammar, white space and messages differ.
 * Code that was not overridden stayed reachable: regular expression literals, identifiers of any characters, a search
 * for raw blocks in quadratic time. Its node classes are made at run time, so no type checker can prove that a compiler
 * covers all of them.
 */
import { availableParallelism } from "node:os"
import { Context, Effect, Layer, Queue } from "effect"
import { Settings } from "../Config.ts"
import { histogram, shortSeconds } from "../telemetry/Series.ts"
import type { Source } from "./Part.ts"
import { limits } from "../jinja/runtime/Limits.ts"
import type { Example, ReadyTemplate } from "./plugin/Contract.ts"
import { runExamples } from "./plugin/PluginExamples.ts"
import { type LoadedPlugin, PluginRefused, findPlugins, readPlugins } from "./plugin/PluginLoader.ts"
import { watchPlugins } from "./plugin/PluginWatch.ts"
import { Pool } from "./pool/Pool.ts"
import type { Outcome, Room } from "./pool/PoolWorker.ts"
import { Renderer } from "./Renderer.ts"
import { PluginError, TemplateError } from "./TemplateError.ts"

const renderDuration = histogram({
  name: "rackwire_render_duration_seconds",
  help: "Duration of rendering the templates of a request, the wait for a worker included.",
  symptom: "failing",
  labels: { outcome: ["rendered", "failed"] },
  bounds: shortSeconds
})

/** A plugin's contents, for the API and the console. */
export interface PluginDescription {
  readonly name: string
  readonly description: string
  readonly filters: ReadonlyArray<string>
  readonly tests: ReadonlyArray<string>
  readonly globals: ReadonlyArray<string>
  readonly tags: ReadonlyArray<string>
  readonly engines: ReadonlyArray<string>
  readonly templates: Readonly<Record<string, ReadyTemplate>>
  readonly examples: ReadonlyArray<Example>
}

interface TemplateOptions {
  /** Plugins beside those in `plugins/`. */
  readonly plugins: ReadonlyArray<string>
  /** Whether they are read again when their files change. */
  readonly developer: boolean
  /** Worker threads. */
  readonly workers: number
}

/**
 * One core stays free for the process itself; more than four workers do not help. At least two: a webhook's first
 * template may end its worker.
 */
const defaultSize = { workers: Math.max(2, Math.min(4, availableParallelism() - 1)) }

/** Longest source that is checked on the event loop, characters: compiling takes up to 4 microseconds for each. */
const checkedHereChars = 2_048

/** The owner of checks in the queue for workers. */
const checks = "checks"

export class Templates extends Context.Service<
  Templates,
  {
    /**
     * The error in a template's source, or undefined. Does not run the template. A long source is checked in a worker: it
     * takes a quarter of a second.
     */
    readonly check: (source: string, engine?: string) => Effect.Effect<TemplateError | undefined>
    /**
     * The outputs of the sources for one context, which is JSON text of an object, in a worker. Owners (`webhook 5`,
     * `user 3`) share the workers by render time. With `room`, the rendering begins when a worker has its turn and there is
     * room: it takes the room then.
     */
    readonly render: (
      sources: ReadonlyArray<Source>,
      context: string,
      engine?: string,
      owner?: string,
      room?: Room
    ) => Effect.Effect<ReadonlyArray<string>, TemplateError>
    /** Names of the available engines. */
    readonly engines: () => ReadonlyArray<string>
    readonly plugins: Effect.Effect<ReadonlyArray<PluginDescription>>
  }
>()("rackwire/template/Templates") {
  static readonly layer = Layer.effect(
    Templates,
    Effect.flatMap(Settings, ({ plugins, developer }) => make({ plugins, developer, ...defaultSize }))
  )

  static readonly layerWith = (options: TemplateOptions) => Layer.effect(Templates, make(options))
}

const make = Effect.fnUntraced(function* ({ plugins: configured, developer, workers: size }: TemplateOptions) {
  let loaded = yield* load(configured)
  const pool = yield* Effect.acquireRelease(
    Effect.sync(() => new Pool({ size, limits, modules: modulesOf(loaded) })),
    (open) => Effect.promise(() => open.close())
  )
  if (developer) {
    yield* reloading(configured, (again, version) => {
      loaded = again
      pool.renew(modulesOf(again), version)
    })
  }
  return Templates.of({
    check: (source, engine = "jinja") =>
      source.length <= checkedHereChars
        ? Effect.sync(() => {
            const fault = loaded.renderer.check(source, engine)
            return fault === undefined ? undefined : TemplateError.from(fault)
          })
        : Effect.callback((resume) => {
            const done = (outcome: Outcome) =>
              resume(Effect.succeed("reason" in outcome ? TemplateError.from(outcome) : undefined))
            const letGo = pool.submit({ sources: [{ checked: source }], context: "{}", engine }, done, checks)
            return Effect.sync(letGo)
          }),
    render: (sources, context, engine = "jinja", owner = "", room) =>
      Effect.callback((resume) => {
        const begun = performance.now()
        const done = (outcome: Outcome) => {
          renderDuration.record((performance.now() - begun) / 1000, "reason" in outcome ? "failed" : "rendered")
          resume(toEffect(outcome))
        }
        const letGo = pool.submit({ sources, context, engine }, done, owner, room)
        return Effect.sync(letGo)
      }),
    engines: () => loaded.renderer.engineNames,
    plugins: Effect.sync(() => loaded.plugins.map(describe))
  })
})

interface Engine {
  readonly plugins: ReadonlyArray<LoadedPlugin>
  readonly renderer: Renderer
}

const modulesOf = ({ plugins }: Engine): ReadonlyArray<string> => plugins.map(({ module }) => module)

/** Reads the plugins again when their files change. If one is refused, all stay as they were. */
const reloading = Effect.fnUntraced(function* (
  configured: ReadonlyArray<string>,
  use: (again: Engine, version: string) => void
) {
  const changes = yield* Queue.sliding<void>(1)
  yield* Effect.acquireRelease(
    Effect.sync(() => watchPlugins(configured, () => Queue.offerUnsafe(changes, undefined))),
    (stop) => Effect.sync(stop)
  )
  let version = 0
  yield* Queue.take(changes).pipe(
    // An editor writes a file in several steps.
    Effect.andThen(Effect.sleep("50 millis")),
    Effect.andThen(Queue.clear(changes)),
    Effect.andThen(Effect.suspend(() => load(configured, `${++version}`))),
    Effect.andThen((again) => {
      use(again, `${version}`)
      return Effect.logInfo("template: the plugins were read again")
    }),
    Effect.catch(({ message }) => Effect.logWarning(`template: the plugins stay as they were: ${message}`)),
    Effect.forever,
    Effect.forkScoped
  )
})

const toEffect = (outcome: Outcome): Effect.Effect<ReadonlyArray<string>, TemplateError> =>
  "reason" in outcome ? Effect.fail(TemplateError.from(outcome)) : Effect.succeed(outcome)

/** Time limit of one example, generous: a busy machine must not refuse a plugin. */
const exampleMillis = 10_000

/** Plugins are loaded here as well as in every worker: to check templates, run examples, and describe them. */
const load = (configured: ReadonlyArray<string>, version?: string) =>
  Effect.tryPromise({
    try: async (): Promise<Engine> => {
      const plugins = await readPlugins(findPlugins(configured), version)
      const renderer = new Renderer(plugins, { ...limits, cpuMillis: exampleMillis })
      await runExamples(plugins, renderer)
      return { plugins, renderer }
    },
    catch: (error) =>
      error instanceof PluginRefused
        ? new PluginError({ reason: error.reason, message: error.message })
        : new PluginError({ reason: "Unreadable", message: String(error) })
  })

const describe = ({ plugin }: LoadedPlugin): PluginDescription => {
  const names = (part: Readonly<Record<string, unknown>> | undefined) => Object.keys(part ?? {}).toSorted()
  return {
    name: plugin.name,
    description: plugin.description ?? "",
    filters: names(plugin.filters),
    tests: names(plugin.tests),
    globals: names(plugin.globals),
    tags: names(plugin.tags),
    engines: names(plugin.engines),
    templates: plugin.templates ?? {},
    examples: plugin.examples
  }
}
