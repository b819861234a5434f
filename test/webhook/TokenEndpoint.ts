/** A real token endpoint of OAuth 2.0 that counts, and a receiver that takes its tokens, for as long as the test. */
import { createServer } from "node:http"
import { listen } from "../deliver/Receiver.ts"

interface Asked {
  readonly authorization: string | undefined
  readonly form: Readonly<Record<string, string>>
}

type Answer = readonly [status: number, body: object | string, headers?: Readonly<Record<string, string>>]

export interface TokenEndpoint {
  readonly url: string
  /** Address of a receiver that answers 401 to all but the newest token that is not revoked. */
  readonly receiver: string
  readonly asked: ReadonlyArray<Asked>
  /** The `authorization` of each request to the receiver. */
  readonly got: ReadonlyArray<string | undefined>
  /** Most requests that were under way at the endpoint at once. */
  readonly atOnce: () => number
  readonly revoke: () => void
}

const tokenOf = (number: number): string => `planted-token-${number}`

/** `answer` gets the number of the request, from 1. */
export const startTokenEndpoint = async (
  answer: (number: number, token: string) => Answer | Promise<Answer> = (_, token) => [
    200,
    { access_token: token, token_type: "Bearer", expires_in: 3600 }
  ]
): Promise<TokenEndpoint> => {
  const asked: Array<Asked> = []
  const got: Array<string | undefined> = []
  let valid = ""
  let [now, atOnce] = [0, 0]
  const server = createServer(async (request, response) => {
    let body = ""
    for await (const chunk of request as AsyncIterable<Buffer>) body += chunk.toString()
    const { authorization } = request.headers
    if (request.url !== "/token") {
      got.push(authorization)
      const decoded = Buffer.from(authorization?.split(" ")[1] ?? "", "base64").toString()
      response.writeHead(authorization === `Bearer ${valid}` ? 200 : 401).end(`you sent ${authorization}, ${decoded}`)
      return
    }
    asked.push({ authorization, form: Object.fromEntries(new URLSearchParams(body)) })
    atOnce = Math.max(atOnce, (now += 1))
    valid = tokenOf(asked.length)
    const [status, content, headers] = await answer(asked.length, valid)
    now -= 1
    response.writeHead(status, headers).end(typeof content === "string" ? content : JSON.stringify(content))
  })
  const base = `http://127.0.0.1:${await listen(server)}`
  return {
    url: `${base}/token`,
    receiver: `${base}/hook`,
    asked,
    got,
    atOnce: () => atOnce,
    revoke: () => void (valid = "")
  }
}
