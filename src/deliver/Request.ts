/** A delivery and its webhook's definition -> the HTTP request to send. */
import { Effect } from "effect"
import { version } from "../Config.ts"
import type { Delivery } from "../stream/Entry.ts"
import { splitHeaders } from "../template/Headers.ts"
import type { Templates } from "../template/Template.ts"
import type { Definition } from "./Definition.ts"
import type { Failure } from "./Outcome.ts"
import { sign } from "./Sign.ts"

export interface Outgoing {
  readonly method: Definition["method"]
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Whether a URL or header text is more than itself. A body always is: templates lose their last line break. */
export const isTemplate = (text: string): boolean => /\{[{%#]/.test(text)

/** Headers that belong to the connection; a webhook that sets one would break the request. */
const reserved = new Set([
  "connection",
  "content-length",
  "expect",
  "keep-alive",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade"
])

/** URL, header text and body of a request. */
type Texts = readonly [url: string, headers: string, body: string]

/** Without a template the engine is never entered, and no effect is run. */
export const buildRequest = (
  definition: Definition,
  delivery: Delivery,
  templates: Templates["Service"]
): Effect.Effect<Outgoing, Failure> => {
  const { engine, url, headers, bodyTemplate } = definition
  const { isRendered } = planOf(definition)
  // A blank template stands for the whole event.
  const literal: Texts = [url, headers, bodyTemplate === "" ? delivery.body : bodyTemplate]
  if (!isRendered.includes(true)) return settled(assemble(definition, delivery, literal))
  const sources = [url, { headers }, bodyTemplate].filter((_, at) => isRendered[at])
  return templates.render(sources, delivery.body, engine).pipe(
    Effect.mapError((error) => failure("Render", error.message)),
    Effect.flatMap((rendered) => {
      const next = rendered.values()
      const texts = literal.map((text, at) => (isRendered[at] === true ? next.next().value! : text))
      return settled(assemble(definition, delivery, texts as unknown as Texts))
    })
  )
}

/** What is the same for all deliveries of a definition. */
interface Plan {
  /** Of URL, header text and body: whether a template makes it. */
  readonly isRendered: ReadonlyArray<boolean>
  /** What is wrong with an address that no template makes. */
  readonly address: string | undefined
}

const plans = new WeakMap<Definition, Plan>()

const planOf = (definition: Definition): Plan => {
  const known = plans.get(definition)
  if (known !== undefined) return known
  const { url, headers, bodyTemplate } = definition
  const isRendered = [isTemplate(url), isTemplate(headers), bodyTemplate !== ""]
  const plan = { isRendered, address: isRendered[0] === true ? undefined : addressProblem(url) }
  plans.set(definition, plan)
  return plan
}

const settled = (result: Outgoing | Failure): Effect.Effect<Outgoing, Failure> =>
  "reason" in result ? Effect.fail(result) : Effect.succeed(result)

const failure = (reason: Failure["reason"], message: string): Failure => ({ reason, message })

const assemble = (definition: Definition, delivery: Delivery, [url, headerText, text]: Texts): Outgoing | Failure => {
  const { secret } = definition
  if (secret === undefined) {
    return failure("Secret", "The webhook's secret was sealed with another SECRET_KEY: set it anew.")
  }
  const plan = planOf(definition)
  const address = plan.isRendered[0] === true ? addressProblem(url) : plan.address
  if (address !== undefined) return failure("Render", address)
  const split = splitHeaders(headerText)
  if ("error" in split) return failure("Render", `additional_headers: ${split.error}`)
  const body = Buffer.from(text)
  const headers: Record<string, string> = { "content-type": definition.contentType }
  for (const [name, value] of split.headers) {
    if (reserved.has(name.toLowerCase())) return failure("Render", `additional_headers: ${name} cannot be set.`)
    headers[name.toLowerCase()] = value
  }
  headers["user-agent"] ??= `rackwire/${version}`
  headers["x-hook-delivery"] = delivery.id
  headers["x-hook-attempt"] = `${delivery.attempts + 1}`
  if (secret !== "") headers["x-hook-signature"] = sign(secret, body)
  return { method: definition.method, url, headers, body }
}

/** What is wrong with a literal address, or undefined. */
export const addressProblem = (url: string): string | undefined => {
  const sound = /^\s*https?:\/\/[^/]/i.test(url) && URL.canParse(url)
  return sound ? undefined : "Enter a valid URL, beginning with http:// or https://."
}

/** What is wrong with literal header text, or undefined. */
export const headersProblem = (text: string): string | undefined => {
  const split = splitHeaders(text)
  if ("error" in split) return split.error
  const name = split.headers.map(([name]) => name).find((name) => reserved.has(name.toLowerCase()))
  return name === undefined ? undefined : `${name} cannot be set.`
}
