/**
 * `webhook_receiver`: a listener for troubleshooting. It prints what it receives, answers 200, and keeps nothing.
 */
import { parseExactly } from "../postgres/ExactJson.ts"
import { type IncomingMessage, createServer } from "node:http"
import { Console, Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { inWords } from "../telemetry/Telemetry.ts"
import { CommandFailed, entry, untilStopped } from "./service/Entry.ts"

/** Largest body that is printed, bytes. */
const bodyBytesMax = 16 * 1024 * 1024

interface ReceivedRequest {
  readonly number: number
  /** In the format of an HTTP `Date` header. */
  readonly date: string
  readonly address: string
  readonly method: string
  readonly path: string
  readonly httpVersion: string
  /** Name, value, name, value, as they were sent. */
  readonly headers: ReadonlyArray<string>
  readonly contentType: string
  readonly body: string
}

/** The text that is printed for a request. */
export const describeRequest = (received: ReceivedRequest, withHeaders: boolean): string => {
  const { number, date, address, method, path, httpVersion, headers } = received
  const pairs = headers.flatMap((name, at) => (at % 2 === 0 ? [escaped(`${name}: ${headers[at + 1]}`)] : []))
  return [
    `[${number}] ${date} ${address} "${method} ${escaped(path)} HTTP/${httpVersion}" 200 -`,
    ...(withHeaders ? [...pairs, ""] : []),
    received.body === "" ? "(No body)" : escaped(readable(received)),
    `Completed request #${number}`,
    "------------"
  ].join("\n")
}

/** Control characters but line breaks and tabs, marks that turn the direction of writing included. */
// oxlint-disable-next-line no-control-regex
const control = /\r(?!\n)|[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** The text with control characters as escapes: a terminal would obey them. */
const escaped = (text: string): string =>
  text.replaceAll(control, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`)

const readable = ({ contentType, body }: ReceivedRequest): string => {
  if (!/\bjson\b/.test(contentType)) return body
  try {
    return JSON.stringify(parseExactly(body), null, 4)
  } catch {
    return body
  }
}

const bodyOf = async (request: IncomingMessage): Promise<string> => {
  const chunks: Array<Buffer> = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size <= bodyBytesMax) chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString("utf8")
}

/** Listens until it is interrupted; passes the text of each request to the callback. */
export const listen = (port: number, withHeaders: boolean, print: (text: string) => void) =>
  Effect.acquireRelease(
    Effect.callback<{ readonly port: number; readonly close: () => void }, CommandFailed>((resume) => {
      let count = 0
      const server = createServer(async (request, response) => {
        const number = ++count
        const date = new Date(performance.timeOrigin + performance.now()).toUTCString()
        response.end("Webhook received!\n")
        const { method = "", url = "", httpVersion, rawHeaders, headers, socket } = request
        const received = { number, date, address: socket.remoteAddress ?? "", method, path: url, httpVersion }
        const body = await bodyOf(request).catch(() => "")
        print(
          describeRequest(
            { ...received, headers: rawHeaders, contentType: headers["content-type"] ?? "", body },
            withHeaders
          )
        )
      })
      server.once("error", (error) => resume(new CommandFailed({ message: inWords(error) })))
      server.listen(port, "localhost", () => {
        const address = server.address() as { readonly port: number }
        const close = () => {
          server.close()
          server.closeAllConnections()
        }
        resume(Effect.succeed({ port: address.port, close }))
      })
    }),
    ({ close }) => Effect.sync(close)
  )

export default Command.make(
  "webhook_receiver",
  {
    port: Flag.Int("port").pipe(
      Flag.withDescription("Port to listen on; 0 picks a free one (default: 9000)"),
      Flag.filter(
        (port) => port >= 0 && port <= 65_535,
        (port) => `an integer from 0 to 65535, not ${port}`
      ),
      Flag.withDefault(9000)
    ),
    headers: Flag.Boolean("headers").pipe(
      Flag.withDescription("Print the headers of each request (default); --no-headers leaves them out"),
      Flag.withDefault(true)
    )
  },
  ({ port, headers }) =>
    Effect.scoped(
      Effect.gen(function* () {
        // oxlint-disable-next-line no-console
        const listening = yield* listen(port, headers, (text) => console.log(text))
        yield* Console.log(`Listening on port http://localhost:${listening.port}. Stop with CONTROL-C.`)
        return yield* Effect.never
      })
    ).pipe(
      Effect.onInterrupt(() => Console.log("\nExiting...")),
      untilStopped
    )
).pipe(
  Command.withDescription("Print every webhook that arrives, for troubleshooting."),
  entry({
    "webhook_receiver [--port 9000] [--no-headers]": "Prints every webhook that arrives."
  })
)
