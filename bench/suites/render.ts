/**
 * Bodies of deliveries per second: an event's JSON text in, the body's bytes out.
 *
 * The floor is stock nunjucks with the template compiled once, in the same thread and without limits. Rackwire is the
 * worker pool as deliver uses it, with all limits and plugins, for each engine. Every contender parses the event's text
 * itself.
 */
import { deepStrictEqual } from "node:assert"
import { execFileSync } from "node:child_process"
import { createRequire } from "node:module"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { Liquid } from "liquidjs"
import { renderAll } from "../../src/webhook/Request.ts"
import type { Delivery } from "../../src/event/Delivery.ts"
import { limits } from "../../src/jinja/runtime/Limits.ts"
import { findPlugins } from "../../src/template/plugin/PluginLoader.ts"
import { Pool } from "../../src/template/pool/Pool.ts"
import type { Outcome } from "../../src/template/pool/PoolWorker.ts"
import type { Templates } from "../../src/template/Template.ts"
import type { Contender, Suite } from "../Suite.ts"

const events = 20_000

/** Templates of the same body, in each engine's own words. */
const sources = {
  jinja: `{"text": {{ (model ~ " " ~ data.name ~ " was " ~ event)|tojson }}, "by": {{ username|tojson }}, "tags": [{% for tag in data.tags %}{{ tag.slug|tojson }}{% if not loop.last %}, {% endif %}{% endfor %}], "site": {{ data.site|tojson }}{% if data.status.value == "active" %}, "active": true{% endif %}}`,
  nunjucks: `{"text": {{ (model + " " + data.name + " was " + event)|dump|safe }}, "by": {{ username|dump|safe }}, "tags": [{% for tag in data.tags %}{{ tag.slug|dump|safe }}{% if not loop.last %}, {% endif %}{% endfor %}], "site": {{ data.site|dump|safe }}{% if data.status.value == "active" %}, "active": true{% endif %}}`,
  liquid: `{% capture text %}{{ model }} {{ data.name }} was {{ event }}{% endcapture %}{"text": {{ text | json }}, "by": {{ username | json }}, "tags": [{% for tag in data.tags %}{{ tag.slug | json }}{% unless forloop.last %}, {% endunless %}{% endfor %}], "site": {{ data.site | json }}{% if data.status.value == "active" %}, "active": true{% endif %}}`
}

const contexts = Array.from({ length: events }, (_, at) =>
  JSON.stringify({
    event: "updated",
    timestamp: "2026-11-20T12:00:00.000000+00:00",
    model: "device",
    username: "admin",
    request_id: "0b0e7b1e-5f0a-4c39-9f2b-6d7b1a2c3d4e",
    data: {
      id: at,
      name: `sw-${at}`,
      status: { value: at % 2 === 0 ? "active" : "planned", label: "Status" },
      site: { id: 3, name: "Amsterdam", slug: "ams" },
      tags: [{ slug: "core" }, { slug: "lab" }, { slug: "edge" }],
      comments: "x".repeat(500)
    },
    snapshots: {
      prechange: { name: `sw-${at}`, status: "planned" },
      postchange: { name: `sw-${at}`, status: "active" }
    }
  })
)

const definition = { url: "https://receiver.example/", engine: "jinja", headers: "", bodyTemplate: "" }

const delivery: Delivery = {
  id: "1-100-3",
  webhook: 1,
  position: "100",
  idx: 3,
  event: "updated",
  objectType: "dcim.device",
  objectId: 1,
  requestId: "0b0e7b1e-5f0a-4c39-9f2b-6d7b1a2c3d4e",
  time: "2026-11-20T12:00:00.000000+00:00",
  attempts: 0,
  spent: 0,
  firstAttempt: 0,
  body: ""
}

/** A contender that makes all bodies, timed. */
const contender = (name: string, role: Contender["role"], all: () => Promise<void> | void): Contender => ({
  name,
  role,
  turn: async () => {
    const began = performance.now()
    await all()
    return { bodies: events / ((performance.now() - began) / 1000) }
  }
})

const interpreter = "/usr/bin/python3"

/** Debian has it as `python3-jinja2`. */
const hasJinja = (): boolean => {
  try {
    execFileSync(interpreter, ["-c", "import jinja2.sandbox"], { stdio: "ignore" })
    return true
  } catch {
    console.error("Jinja2 is left out: this machine has no python3-jinja2.")
    return false
  }
}

const python = (): number => {
  const output = execFileSync(interpreter, [fileURLToPath(new URL("../render.py", import.meta.url))], {
    input: JSON.stringify({ template: sources.jinja, contexts }),
    encoding: "utf8"
  })
  return (JSON.parse(output) as { readonly seconds: number }).seconds
}

export default async (): Promise<Suite> => {
  const nunjucks = createRequire(import.meta.url)("nunjucks") as {
    readonly Environment: new (loaders: ReadonlyArray<unknown>, options: object) => unknown
    readonly compile: (source: string, environment: unknown) => { readonly render: (context: unknown) => string }
  }
  const stock = nunjucks.compile(sources.nunjucks, new nunjucks.Environment([], { autoescape: false }))
  const liquid = new Liquid()
  const parsed = liquid.parse(sources.liquid)
  // With more time for a run: a busy machine must not end one.
  const pool = new Pool({ size: 1, limits: { ...limits, cpuMillis: 10_000 }, modules: findPlugins([]) })
  const submit = (engine: keyof typeof sources, context: string) =>
    new Promise<Outcome>((done) => pool.submit({ sources: [sources[engine]], context, engine }, done))
  const wanted: unknown = JSON.parse(stock.render(JSON.parse(contexts[0]!)))
  const engines = ["jinja", "liquid", "nunjucks"] as const
  for (const engine of engines) {
    const [first] = (await submit(engine, contexts[0]!)) as ReadonlyArray<string>
    deepStrictEqual(JSON.parse(first!), wanted)
  }
  // The default body never asks for templates.
  const none = {} as Templates["Service"]
  return {
    title: `${events.toLocaleString("en")} bodies of a delivery, each from its own event of 1 kB as JSON text`,
    figures: [{ name: "bodies", unit: "per second", more: true }],
    rounds: 5,
    contenders: [
      contender("stock nunjucks, cached, no limits", "floor", () => {
        for (const context of contexts) Buffer.from(stock.render(JSON.parse(context)))
      }),
      ...engines.map((engine) =>
        contender(`rackwire, worker pool, ${engine}`, "ours", async () => {
          const outcomes = await Promise.all(contexts.map((context) => submit(engine, context)))
          for (const outcome of outcomes) Buffer.from((outcome as Array<string>)[0]!)
        })
      ),
      contender("rackwire, default body", "ours", () => {
        for (const body of contexts) {
          const texts = Effect.runSync(renderAll(definition, { ...delivery, body }, none))
          Buffer.from(texts[2]!)
        }
      }),
      contender("liquidjs, cached", "peer", () => {
        for (const context of contexts) Buffer.from(String(liquid.renderSync(parsed, JSON.parse(context) as object)))
      }),
      ...(hasJinja()
        ? [
            {
              name: "Jinja2, sandboxed, cached",
              role: "peer" as const,
              turn: async () => ({ bodies: events / python() })
            }
          ]
        : [])
    ],
    close: () => pool.close()
  }
}
