import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect, Result } from "effect"
import { afterAll, expect, test } from "vitest"
import type { Definition } from "../../src/webhook/Definition.ts"
import { isHopeless } from "../../src/event/Outcome.ts"
import { renderAll } from "../../src/webhook/Request.ts"
import { makeAttempt, outcomeOf } from "../../src/deliver/actor/Attempt.ts"
import { type RetryPolicy, retrySchedule } from "../../src/webhook/RetrySchedule.ts"
import type { Delivery } from "../../src/event/Delivery.ts"
import { Templates } from "../../src/template/Template.ts"
import { TemplateError } from "../../src/template/TemplateError.ts"
import { connections } from "./Receiver.ts"
import { thorough } from "../support/Seed.ts"

const folder = mkdtempSync(join(tmpdir(), "rackwire-overrun-"))
afterAll(() => rmSync(folder, { recursive: true }))

thorough("templates that ran out of time are tried again, those that are wrong are not", async () => {
  const plugin = join(folder, "slow.ts")
  writeFileSync(plugin, `export default { name: "slow", examples: [], filters: { spin: () => { for (;;); } } }`)
  const failure = (bodyTemplate: string) =>
    Effect.flatMap(Templates, (templates) =>
      Effect.flip(
        renderAll({ engine: "jinja", url: "http://x/", headers: "", bodyTemplate }, delivery, templates)
      ).pipe(Effect.map(({ failure }) => failure))
    )
  const delivery = { body: '{"event":"updated"}' } as Delivery
  const [late, wrong] = await Effect.runPromise(
    Effect.all([failure("{{ 1|spin }}"), failure("a\n{{ 1 / 0 }}")]).pipe(
      Effect.provide(Templates.layerWith({ plugins: [plugin], developer: false, workers: 1 }))
    )
  )
  expect([late.reason, isHopeless(late)]).toEqual(["Overrun", false])
  expect([wrong, isHopeless(wrong)]).toEqual([{ reason: "Render", message: "Line 2: division by zero" }, true])
})

test("a delivery whose templates ran out of time twice is failed", async () => {
  const late = new TemplateError({
    reason: "Limit",
    message: "the template passed its time limit",
    limit: "time",
    line: 3,
    column: 1,
    snippet: ""
  })
  const stopped = new TemplateError({ reason: "Internal", message: "stopped", line: 0, column: 0, snippet: "" })
  const policy: RetryPolicy = { kind: "fixed", delay: 0, attempts: 100, jitter: 0 }
  const definition = {
    row: { template_engine: "jinja", http_content_type: "text/plain" },
    url: "http://x/",
    identity: { address: "http://x/" },
    headers: "",
    bodyTemplate: "x",
    signing: { current: "", previous: "", standard: false },
    schedule: retrySchedule(policy)
  } as unknown as Definition
  const attempt = async (error: TemplateError, overruns?: number) => {
    const templates = { render: () => Effect.fail(error) } as unknown as Templates["Service"]
    const delivery = { body: "{}", webhook: 1, attempts: 5, spent: 5, firstAttempt: 0, overruns } as Delivery
    const webhook = { definition, connections: connections(), isRendered: true, tokens: undefined }
    const entry = { stream: "queue", entryId: "1-1", delivery, ordered: false } as const
    const made = makeAttempt(webhook, entry, Result.succeed(delivery), templates, () => {})
    return Effect.runPromise(Effect.flatMap(made, (attempt) => outcomeOf(definition, attempt, 0.5)))
  }
  expect(await attempt(late)).toMatchObject({ kind: "Retry", failure: { reason: "Overrun" } })
  expect(await attempt(late, 1)).toEqual({
    kind: "Dead",
    failure: {
      reason: "Overrun",
      message: "The templates ran out of time in 2 attempts: Line 3: the template passed its time limit"
    }
  })
  expect(await attempt(stopped, 1)).toMatchObject({ kind: "Retry", failure: { reason: "Unrendered" } })
})
