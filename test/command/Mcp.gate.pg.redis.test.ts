/** `rackwire mcp`, asked by the SDK's own client, for a running service. */
import { Client } from "@modelcontextprotocol/sdk/client/index.js"
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js"
import { afterAll, describe, expect, it } from "vitest"
import { makeUser } from "../auth/Users.ts"
import { bounded } from "../../src/command/Mcp.ts"
import { startDelivering } from "../deliver/Delivering.ts"
import { type Json, named } from "../support/Client.ts"
import { startReceiver } from "../support/Receiver.ts"
import { runCommand } from "../support/Command.ts"
import { program } from "../support/Process.ts"
import { thorough } from "../support/Seed.ts"

const hooks = startDelivering()

interface Server {
  readonly names: ReadonlyArray<string>
  /** The result of a tool, as JSON if it is, and whether it is an error. */
  readonly call: (
    name: string,
    given?: Json
  ) => Promise<{ readonly json: unknown; readonly text: string; readonly isError: boolean }>
}

const open: Array<Client> = []

const start = async (
  token: string | undefined,
  args: ReadonlyArray<string> = [],
  url = hooks.api.service.url
): Promise<Server> => {
  const env = { PATH: process.env["PATH"]!, RACKWIRE_URL: url, ...(token !== undefined && { RACKWIRE_TOKEN: token }) }
  const client = new Client({ name: "test", version: "1" })
  await client.connect(
    new StdioClientTransport({ command: process.execPath, args: [program, "mcp", ...args], env, stderr: "pipe" })
  )
  open.push(client)
  const { tools } = await client.listTools()
  const call: Server["call"] = async (name, given = {}) => {
    const { content, isError } = await client.callTool({ name, arguments: given })
    const { text } = (content as ReadonlyArray<{ readonly text: string }>)[0]!
    return {
      text,
      json: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : undefined,
      isError: isError === true
    }
  }
  return { names: tools.map(({ name }) => name), call }
}

/** Servers with the rights of an administrator, by their arguments: each is started once. */
const started = new Map<string, Promise<Server>>()

const server = async (...args: ReadonlyArray<string>): Promise<Server> => {
  const known = started.get(args.join()) ?? start(await hooks.api.newToken(), args)
  started.set(args.join(), known)
  return known
}

afterAll(() => Promise.all(open.map((client) => client.close())))

describe("the MCP server", () => {
  thorough("without --allow-write offers tools that read, and no others", async () => {
    const { names, call } = await server()
    expect(names).toEqual([
      ...["status", "object_types", "object_fields", "list_objects", "get_object", "list_changes", "explain_change"],
      ...["list_deliveries", "explain_delivery"]
    ])
    const refused = await call("delete_object", { type: "dcim.site", id: 1 })
    expect(refused).toMatchObject({ isError: true, text: expect.stringContaining("--allow-write") })
    expect((await call("make_coffee")).text).toBe("There is no tool make_coffee.")
  })

  thorough("tells of objects, changes, deliveries, why a webhook fired, and the state of the service", async () => {
    const { call } = await server()
    const webhook = await hooks.webhook("read", { conditions: { attr: "name", value: "read one" } })
    const { json: tag } = await hooks.tag("read one")
    await hooks.tag("read two")
    const delivery = await hooks.delivery(webhook, "successful")
    expect((await call("object_types")).json).toContainEqual({ type: "extras.tag", label: "tag" })
    expect((await call("object_fields", { type: "extras.tag" })).json).toEqual(expect.arrayContaining(["name", "slug"]))
    const filters = { name__ic: "read", ordering: "-id" }
    const listed = await call("list_objects", { type: "extras.tag", filters, limit: 1, fields: "name" })
    expect(listed.json).toMatchObject({ count: 2, results: [{ name: "read two" }] })
    expect((await call("get_object", { type: "extras.tag", id: tag.id })).json).toMatchObject({ name: "read one" })
    const changes = await call("list_changes", {
      filters: { changed_object_type: "extras.tag", changed_object_id: tag.id }
    })
    const { results } = changes.json as { readonly results: ReadonlyArray<{ readonly id: number }> }
    expect(results).toHaveLength(1)
    expect((await call("explain_change", { id: results[0]!.id })).text).toContain("read one")
    const sent = await call("list_deliveries", { filters: { webhook_id: webhook, status: "successful" } })
    expect(sent.json).toMatchObject({ count: 1, results: [{ id: delivery.id }] })
    const explained = (await call("explain_delivery", { id: delivery.id })).json as Json
    expect(explained["attempt_log"]).toHaveLength(1)
    expect(explained["journey"]).toBeInstanceOf(Array)
    expect((await call("status")).json).toMatchObject({
      service: { "netbox-version": "3.5.0" },
      pipeline: { queued: 0 }
    })
  })

  it("shows nobody more than the token's user may see", async () => {
    const { token } = await makeUser(hooks.api, "sees tags", { types: ["extras.tag"], actions: ["view"] })
    const { call } = await start(token, ["--allow-write"])
    expect((await call("list_objects", { type: "extras.tag" })).isError).toBe(false)
    for (const [name, given] of [
      ["list_objects", { type: "extras.webhook" }],
      ["create_object", { type: "extras.tag", values: named("refused") }]
    ] as const) {
      expect([name, await call(name, given)]).toEqual([
        name,
        expect.objectContaining({ isError: true, text: expect.stringContaining("403: ") })
      ])
    }
    const nobody = await start(undefined)
    expect((await nobody.call("list_objects", { type: "extras.tag" })).text).toContain("RACKWIRE_TOKEN is not set.")
    const wrong = await start("0".repeat(40))
    expect((await wrong.call("status")).text).toContain("Invalid token")
  })

  thorough("with --allow-write creates, changes, deletes and retries", async () => {
    const { call } = await server("--allow-write")
    const webhook = await hooks.webhook("write", { conditions: { attr: "name", value: "write one" } })
    const made = await call("create_object", { type: "extras.tag", values: named("write one"), message: "asked for" })
    const { id } = made.json as { readonly id: number }
    const delivery = await hooks.delivery(webhook, "successful")
    expect((await call("retry_delivery", { id: delivery.id })).text).toContain("409: ")
    expect((await call("retry_delivery", { id: delivery.id, again: true })).isError).toBe(false)
    await hooks.arrived("write", 2)
    const changed = await call("update_object", { type: "extras.tag", id, values: { description: "changed" } })
    expect(changed.json).toMatchObject({ id, description: "changed" })
    expect(await call("delete_object", { type: "extras.tag", id })).toMatchObject({ isError: false })
    expect((await call("get_object", { type: "extras.tag", id })).text).toMatch(
      /^The service answered 404: .*Not found/
    )
    const log = await call("list_changes", { filters: { changed_object_type: "extras.tag", message: "asked for" } })
    expect(log.json).toMatchObject({ count: 1 })
  })

  it("refuses arguments that the tool does not have, in words", async () => {
    const { call } = await server("--allow-write")
    for (const [given, words] of [
      [{ type: "dcim.site", id: "1 or 2" }, "id must be integer"],
      [{ type: "dcim.site", id: 1, more: 2 }, "must NOT have additional properties"],
      [{ id: 1 }, "must have required property 'type'"],
      [{ type: "../users/tokens", id: 1 }, "There is no object type ../users/tokens"],
      [{ type: "constructor", id: 1 }, "There is no object type constructor"]
    ] as const) {
      expect(await call("get_object", given)).toMatchObject({ isError: true, text: expect.stringContaining(words) })
    }
    expect((await call("list_objects", { type: "dcim.site", filters: { colour: "red" } })).text).toContain("400: ")
    expect((await call("list_objects", { type: "dcim.site", limit: 1000 })).text).toContain("must be <= 100")
  })

  it("cuts a long result, and says so", () => {
    expect(bounded({ a: 1 })).toBe('{\n "a": 1\n}')
    const cut = bounded("x".repeat(100_000))
    expect(cut).toMatch(/^Only the beginning, 40000 of 100002 characters\. /)
    expect(cut.length).toBeLessThan(40_200)
  })

  thorough("says that no service answers, and refuses an address that is none", async () => {
    const gone = await startReceiver()
    await gone.close()
    const { call } = await start(undefined, [], gone.url)
    expect((await call("status")).text).toMatch(
      /^The service at http:\/\/127\.0\.0\.1:\d+ does not answer: .*ECONNREFUSED/
    )
    const { code, output } = await runCommand(["mcp"], { env: { RACKWIRE_URL: "here" } })
    expect([code, output]).toEqual([1, expect.stringContaining("RACKWIRE_URL: ")])
  })
})
