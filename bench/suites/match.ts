/**
 * Events matched per second with one, a hundred and ten thousand webhooks, each with two equalities of its own.
 *
 * One webhook matches each event. The naive loop runs every webhook's compiled condition; json-rules-engine is an
 * alternative for people who do not want to write a condition language.
 */
import { parse } from "../../src/match/Condition.ts"
import { type Decision, compile } from "../../src/match/Decision.ts"
import { type MatchFields, WebhookIndex } from "../../src/match/WebhookIndex.ts"
import type { Subject } from "../../src/match/Subject.ts"
import { installPeers } from "../Peers.ts"
import type { Contender, Sample, Suite } from "../Suite.ts"

const sizes = [1, 100, 10_000] as const

/** How long each size is measured, milliseconds. */
const turnMillis = 400

const conditionsOf = (at: number) => ({
  and: [
    { attr: "status.value", value: "active" },
    { attr: "site.slug", value: `site-${at}` }
  ]
})

const webhook = (at: number): MatchFields & { readonly id: number } => ({
  id: at + 1,
  enabled: true,
  content_types: ["dcim.device"],
  type_create: true,
  type_update: true,
  type_delete: true,
  conditions: conditionsOf(at)
})

const subject = (at: number): Subject => ({
  type: "dcim.device",
  kind: "updated",
  data: {
    id: at,
    name: `sw-${at}`,
    status: { value: "active", label: "Active" },
    site: { id: at, name: `Site ${at}`, slug: `site-${at}` },
    tags: [{ slug: "core" }, { slug: "lab" }],
    comments: "x".repeat(200)
  },
  snapshots: { prechange: { status: "planned" }, postchange: { status: "active" } }
})

interface Peer {
  readonly Engine: new (rules: ReadonlyArray<unknown>) => {
    readonly run: (facts: object) => Promise<{ readonly events: ReadonlyArray<unknown> }>
  }
}

const ruleOf = (at: number) => ({
  conditions: {
    all: [
      { fact: "data", path: "$.status.value", operator: "equal", value: "active" },
      { fact: "data", path: "$.site.slug", operator: "equal", value: `site-${at}` }
    ]
  },
  event: { type: `webhook ${at}` }
})

/** Events per second for each size; `prepare` makes what matches one event and answers how many webhooks took it. */
const contender = (
  name: string,
  role: Contender["role"],
  prepare: (size: number) => (subject: Subject) => number | Promise<number>
): Contender => {
  const matchers = sizes.map((size) => ({
    size,
    match: prepare(size),
    subjects: Array.from({ length: Math.min(size, 500) }, (_, at) => subject(at))
  }))
  return {
    name,
    role,
    turn: async () => {
      const sample: Record<string, number> = {}
      for (const { size, match, subjects } of matchers) {
        const began = performance.now()
        let events = 0
        while (performance.now() - began < turnMillis) {
          const taken = match(subjects[events % subjects.length]!)
          if ((typeof taken === "number" ? taken : await taken) !== 1) throw new Error(`${name} matched wrongly`)
          events++
        }
        sample[figureOf(size)] = events / ((performance.now() - began) / 1000)
      }
      return { ...sample, growth: growthOf(sample) } satisfies Sample
    }
  }
}

const figureOf = (size: number): string => `webhooks: ${size}`

const growthOf = (sample: Sample): number => sample[figureOf(100)]! / sample[figureOf(10_000)]!

const naive = (size: number): ((subject: Subject) => number) => {
  const decisions: ReadonlyArray<Decision> = Array.from({ length: size }, (_, at) => compile(parse(conditionsOf(at))))
  return (subject) => {
    let taken = 0
    for (const decide of decisions) if (decide(subject) === true) taken++
    return taken
  }
}

const indexed = (size: number): ((subject: Subject) => number) => {
  const index = new WebhookIndex()
  for (let at = 0; at < size; at++) index.set(at + 1, webhook(at))
  return (subject) => index.match(subject).length
}

export default async (): Promise<Suite> => {
  installPeers()
  const { Engine } = (await import(
    new URL("../peers/node_modules/json-rules-engine/dist/index.js", import.meta.url).href
  )) as Peer
  const rules = (size: number) => {
    const engine = new Engine(Array.from({ length: size }, (_, at) => ruleOf(at)))
    return async ({ data }: Subject) => (await engine.run({ data })).events.length
  }
  return {
    title: "Events matched with webhooks that each have two equalities; one of them matches the event",
    figures: [
      ...sizes.map((size) => ({ name: figureOf(size), unit: "events per second", more: true })),
      { name: "growth", unit: "cost of 10,000 webhooks by that of 100", more: false }
    ],
    rounds: 5,
    contenders: [
      contender("loop over all webhooks", "floor", naive),
      contender("rackwire, index", "ours", indexed),
      contender("json-rules-engine", "peer", rules)
    ],
    close: async () => undefined
  }
}
