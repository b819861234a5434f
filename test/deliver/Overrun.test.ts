import { mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Effect } from "effect"
import { afterAll, expect, test } from "vitest"
import type { Definition } from "../../src/deliver/Definition.ts"
import { isHopeless } from "../../src/deliver/Outcome.ts"
import { renderAll } from "../../src/deliver/Request.ts"
import type { Delivery } from "../../src/stream/Entry.ts"
import { Templates } from "../../src/template/Template.ts"

const folder = mkdtempSync(join(tmpdir(), "rackwire-overrun-"))
afterAll(() => rmSync(folder, { recursive: true }))

test("templates that ran out of time are tried again, those that are wrong are not", async () => {
  const plugin = join(folder, "slow.ts")
  writeFileSync(plugin, `export default { name: "slow", examples: [], filters: { spin: () => { for (;;); } } }`)
  const failure = (bodyTemplate: string) =>
    Effect.flatMap(Templates, (templates) =>
      Effect.flip(
        renderAll({ engine: "jinja", url: "http://x/", headers: "", bodyTemplate } as Definition, delivery, templates)
      )
    )
  const delivery = { body: "{}" } as Delivery
  const [late, wrong] = await Effect.runPromise(
    Effect.all([failure("{{ 1|spin }}"), failure("a\n{{ 1 / 0 }}")]).pipe(
      Effect.provide(Templates.layerWith({ plugins: [plugin], developer: false, workers: 1 }))
    )
  )
  expect([late.reason, isHopeless(late)]).toEqual(["Overrun", false])
  expect([wrong, isHopeless(wrong)]).toEqual([{ reason: "Render", message: "Line 2: division by zero" }, true])
})
