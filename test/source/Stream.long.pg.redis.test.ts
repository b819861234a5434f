/** Goal: a NetBox on Postgres 13 is read as on later versions. That server sends no messages, so nothing is switched. */
import { afterAll, beforeAll, describe, expect, test } from "vitest"
import { runCommand } from "../support/Command.ts"
import { environmentOf } from "../support/Api.ts"
import { type Postgres13, hasPostgres13, startPostgres13 } from "../support/Postgres13.ts"
import { type Attached, attach, expectEvents } from "./Attached.ts"
import { writeEverything } from "./Scenario.ts"

describe.runIf(hasPostgres13)("a NetBox 4.2 on Postgres 13", () => {
  let server: Postgres13
  let attached: Attached

  beforeAll(async () => {
    server = await startPostgres13()
    attached = await attach("4.2", {}, { serverUrl: server.url })
  })
  afterAll(async () => {
    await attached.stop()
    await server.stop()
  })

  test("gives one event for each object of each transaction", async () => {
    await writeEverything(attached.writer)
    await expectEvents(attached)
  })

  test("keeps its webhooks, since their switch has no place in its stream", async () => {
    const { api, netbox } = attached
    const args = ["attach", netbox.databaseUrl, "--name", netbox.name, "--switch"]
    const { code, output } = await runCommand(args, { env: environmentOf(api.database) })
    expect(code).toBe(1)
    expect(output).toContain("--switch needs Postgres 14 or later")
  })
})
