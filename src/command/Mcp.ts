/**
 * `mcp`: a server of the Model Context Protocol over standard input and output, for a running service.
 *
 * It uses the REST API and nothing else, so the rights of its token are the rights of its client. Standard
 * output belongs to the protocol: nothing else is written there.
 */
import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { version } from "../Config.ts"
import { account } from "./mcp/Account.ts"
import { type Account, restOf } from "./mcp/Rest.ts"
import { type Tool, tools } from "./mcp/Tools.ts"
import { entry, untilStopped } from "./service/Entry.ts"

/** Longest result, characters: it becomes part of a conversation. */
const resultCharsMax = 40_000

/** A result as text. A longer one is cut, and says so first. */
export const bounded = (result: unknown, charsMax = resultCharsMax): string => {
  const text = JSON.stringify(result, undefined, 1)
  if (text.length <= charsMax) return text
  const said = `Only the beginning, ${charsMax} of ${text.length} characters. Request fewer objects or fields.\n`
  return said + text.slice(0, charsMax)
}

/** Serves until standard input ends. The SDK is loaded here: it takes 30 MB, and no other command needs it. */
const serve = async (account: Account, offered: ReadonlyArray<Tool>): Promise<void> => {
  const { Server } = await import("@modelcontextprotocol/sdk/server/index.js")
  const { StdioServerTransport } = await import("@modelcontextprotocol/sdk/server/stdio.js")
  const { CallToolRequestSchema, ListToolsRequestSchema } = await import("@modelcontextprotocol/sdk/types.js")
  const { AjvJsonSchemaValidator } = await import("@modelcontextprotocol/sdk/validation/ajv")
  const rest = restOf(account)
  const ajv = new AjvJsonSchemaValidator()
  const checks = new Map(
    offered.map((tool) => [tool.name, ajv.getValidator<Record<string, unknown>>(tool.inputSchema as object)])
  )
  const server = new Server({ name: "rackwire", version }, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: offered.map(({ name, description, writes, inputSchema }) => ({
      ...{ name, description, annotations: { readOnlyHint: !writes, destructiveHint: writes } },
      inputSchema: { ...inputSchema, required: [...inputSchema.required] }
    }))
  }))
  server.setRequestHandler(CallToolRequestSchema, async ({ params: { name, arguments: given = {} } }) => {
    const text = (said: string, isError: boolean) => ({ content: [{ type: "text" as const, text: said }], isError })
    const tool = offered.find((each) => each.name === name)
    if (tool === undefined) return text(unknownTool(name), true)
    const checked = checks.get(name)!(given)
    if (!checked.valid) return text(`The arguments of ${name}: ${checked.errorMessage}`, true)
    try {
      return text(bounded(await tool.run(rest, given)), false)
    } catch (error) {
      return text((error as Error).message, true)
    }
  })
  const ended = new Promise<void>((resolve) => process.stdin.once("end", resolve))
  await server.connect(new StdioServerTransport())
  await ended
  await server.close()
}

const unknownTool = (name: string): string =>
  tools.some((each) => each.name === name)
    ? `${name} changes something: start the server with --allow-write to offer it.`
    : `There is no tool ${name.slice(0, 100)}.`

export default Command.make(
  "mcp",
  {
    allowWrite: Flag.Boolean("allow-write").pipe(
      Flag.withDescription("Also offer tools that create, change and delete objects and retry deliveries"),
      Flag.withDefault(false)
    )
  },
  ({ allowWrite }) =>
    untilStopped(
      Effect.flatMap(account, (account) =>
        Effect.promise(() =>
          serve(
            account,
            tools.filter(({ writes }) => allowWrite || !writes)
          )
        )
      )
    )
).pipe(
  Command.withDescription("Serve the Model Context Protocol on standard input and output, for a running service."),
  entry({
    "mcp [--allow-write]": "Lets a language model query a running service, with the rights of a token."
  })
)
