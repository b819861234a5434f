/**
 * The client credentials grant of OAuth 2.0 (RFC 6749, 4.4): the request to the token endpoint, and the reading of its
 * answer. Pure. No message repeats anything of the answer but its status and an error of the RFC.
 */
import { version } from "../../Config.ts"
import { addressProblem, isTemplate } from "../RequestText.ts"
import type { Outgoing } from "../../transport/Outgoing.ts"
import type { Answer, Failure, Response } from "../../event/Outcome.ts"

/** How the client identifies itself to the token endpoint. */
export interface OAuthClient {
  readonly url: string
  readonly id: string
  readonly secret: string
  /** "" for none. */
  readonly scope: string
  /** `basic`: id and secret in the header `Authorization`; `body`: in the form. */
  readonly auth: "basic" | "body"
}

/** A token and how long it is used, or why there is none. */
export type TokenAnswer =
  | { readonly token: string; readonly lifeMillis: number; readonly failure?: undefined }
  | { readonly token?: undefined; readonly failure: Failure }

/** Longest token, characters; a JSON Web Token with many claims has some thousands. */
const tokenCharsMax = 12_000

/** Lifetime of a token whose answer does not state it, and longest lifetime, seconds. */
const lifeSecondsUsual = 300
const lifeSecondsMax = 86_400

/** A token is renewed this part of its life before it ends, and at most so many seconds before. */
const marginShare = 0.1
const marginSecondsMax = 30

/** Returns the fault of the address of a token endpoint, or undefined. */
export const tokenUrlProblem = (url: string): string | undefined => {
  if (isTemplate(url)) return "The address of a token endpoint cannot be a template."
  const { username, password } = URL.parse(url) ?? { username: "", password: "" }
  if (username !== "" || password !== "") return "Enter the credentials as oauth_client_id and oauth_client_secret."
  return addressProblem(url)
}

export const tokenRequest = ({ url, id, secret, scope, auth }: OAuthClient): Outgoing => {
  const form = new URLSearchParams({ grant_type: "client_credentials" })
  if (scope !== "") form.set("scope", scope)
  if (auth === "body") {
    form.set("client_id", id)
    form.set("client_secret", secret)
  }
  const basic = Buffer.from(`${formEncoded(id)}:${formEncoded(secret)}`).toString("base64")
  return {
    method: "POST",
    url,
    headers: {
      accept: "application/json",
      "content-type": "application/x-www-form-urlencoded",
      "user-agent": `rackwire/${version}`,
      ...(auth === "basic" && { authorization: `Basic ${basic}` })
    },
    body: Buffer.from(form.toString())
  }
}

/** As the RFC wants id and secret before they are made Basic. */
const formEncoded = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1)

/** The errors that the RFC names; another text might contain anything. */
const errors: ReadonlySet<unknown> = new Set([
  "invalid_request",
  "invalid_client",
  "invalid_grant",
  "unauthorized_client",
  "unsupported_grant_type",
  "invalid_scope"
])

/** The answer of a token endpoint, or the failure to give one. */
export const tokenAnswer = ({ response, failure }: Pick<Answer, "response" | "failure">): TokenAnswer => {
  if (response === undefined) return noToken(`The token endpoint gave no answer: ${failure?.message}`)
  const answer = readAnswer(response)
  if (answer.failure === undefined) return answer
  const { retryAfterMillis, isTooMuch = false } = failure ?? {}
  return { failure: { ...answer.failure, retryAfterMillis, isTooMuch } }
}

const readAnswer = ({ status, body }: Response): TokenAnswer => {
  const { access_token: token, token_type: type = "bearer", expires_in: seconds, error } = fieldsOf(body)
  if (status < 200 || status > 299) {
    const also = errors.has(error) ? ` and the error ${String(error)}` : ""
    return noToken(`The token endpoint answered ${status}${also}.`)
  }
  if (typeof token !== "string" || !/^[\x21-\x7e]+$/.test(token) || token.length > tokenCharsMax) {
    return noToken(`The token endpoint answered ${status}, without an access_token that can be sent.`)
  }
  if (String(type).toLowerCase() !== "bearer") {
    return noToken("The token endpoint gave an access_token whose token_type is not Bearer.")
  }
  return { token, lifeMillis: lifeSeconds(Number(seconds ?? Number.NaN)) * 1000 }
}

export const noToken = (message: string): TokenAnswer => ({ failure: { reason: "Token", message } })

const lifeSeconds = (told: number): number => {
  const life = Number.isNaN(told) ? lifeSecondsUsual : Math.min(Math.max(told, 0), lifeSecondsMax)
  return life - Math.min(life * marginShare, marginSecondsMax)
}

const fieldsOf = (body: string): Readonly<Record<string, unknown>> => {
  try {
    const parsed: unknown = JSON.parse(body)
    return typeof parsed === "object" && parsed !== null ? (parsed as Readonly<Record<string, unknown>>) : {}
  } catch {
    return {}
  }
}
