/** The rules by which tokens of trusted issuers are exchanged: their syntax in the option, and the rule of a token. Pure. */
import { isDictionary } from "../../inventory/Field.ts"
import { isIssuer } from "../../Setting.ts"

export interface ExchangeRule {
  readonly issuer: string
  readonly audience: string
  /** The subject, in which `*` matches any characters. */
  readonly subject: string
  /** Further claims with their values, which may have `*` too. */
  readonly claims: Readonly<Record<string, string>>
  /** Name of the user whose permissions the new token has. */
  readonly user: string
  readonly write: boolean
  /** Lifetime of the new token. */
  readonly minutes: number
}

const minutesDefault = 15
const minutesMax = 24 * 60

/** The rules in an option, or its fault. */
export const rulesIn = (option: unknown): ReadonlyArray<ExchangeRule> | string => {
  if (option === undefined) return []
  if (!Array.isArray(option)) return "expected a list of rules."
  const rules: Array<ExchangeRule> = []
  for (const [index, value] of option.entries()) {
    const rule = ruleIn(value)
    if (typeof rule === "string") return `rule ${index + 1}: ${rule}`
    rules.push(rule)
  }
  return rules
}

const keys: ReadonlySet<string> = new Set(["issuer", "audience", "subject", "claims", "user", "write", "minutes"])

const ruleIn = (value: unknown): ExchangeRule | string => {
  if (!isDictionary(value)) return "expected an object."
  const unknown = Object.keys(value).find((key) => !keys.has(key))
  if (unknown !== undefined) return `"${unknown}" is not one of ${[...keys].join(", ")}.`
  const { issuer, audience, subject, user, claims = {}, write = false, minutes = minutesDefault } = value
  if (!isText(issuer) || !isIssuer(issuer)) return `"issuer" must be an address like https://token.actions.example.`
  if (!isText(audience)) return `"audience" must be a text.`
  if (!isText(subject) || /^\**$/.test(subject)) {
    return `"subject" must be a text with more than *: everybody with an account at the issuer has some subject.`
  }
  if (!isText(user)) return `"user" must be the name of a user.`
  if (!isDictionary(claims) || !isTexts(claims)) return `"claims" must be an object of texts.`
  if (typeof write !== "boolean") return `"write" must be true or false.`
  if (typeof minutes !== "number" || !Number.isInteger(minutes) || minutes < 1 || minutes > minutesMax) {
    return `"minutes" must be an integer from 1 to ${minutesMax}.`
  }
  return { issuer, audience, subject, user, claims, write, minutes }
}

const isText = (value: unknown): value is string => typeof value === "string" && value !== ""

const isTexts = (value: Readonly<Record<string, unknown>>): value is Readonly<Record<string, string>> =>
  Object.values(value).every(isText)

/** The first rule that these claims of a verified token of the issuer meet. */
export const ruleFor = (
  rules: ReadonlyArray<ExchangeRule>,
  claims: Readonly<Record<string, unknown>>
): ExchangeRule | undefined =>
  rules.find(
    (rule) =>
      claims["iss"] === rule.issuer &&
      [claims["aud"]].flat().includes(rule.audience) &&
      meets(claims["sub"], rule.subject) &&
      Object.entries(rule.claims).every(([name, pattern]) => meets(claims[name], pattern))
  )

const meets = (value: unknown, pattern: string): boolean => typeof value === "string" && isLike(value, pattern)

/** Whether the text is like a pattern, in which `*` matches any characters. Takes a time linear in both. */
export const isLike = (text: string, pattern: string): boolean => {
  const [first = "", ...others] = pattern.split("*")
  if (others.length === 0) return text === first
  if (!text.startsWith(first)) return false
  const last = others.pop()!
  let at = first.length
  for (const part of others) {
    const found = text.indexOf(part, at)
    if (found < 0) return false
    at = found + part.length
  }
  return text.length - last.length >= at && text.endsWith(last)
}
