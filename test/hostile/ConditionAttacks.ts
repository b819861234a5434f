/** Patterns in conditions that are too large, or as large as a condition may hold. */
import type { Json } from "../support/Client.ts"

/** A webhook of tenants that sends to `<url>/<name>`. */
export const webhookOf = (url: string, name: string, fields: Json): Json => ({
  name,
  content_types: ["tenancy.tenant"],
  type_create: true,
  type_update: true,
  payload_url: `${url}/${name}`,
  ...fields
})

export const regex = (value: string): Json => ({ attr: "comments", op: "regex", value })

/** Patterns that are refused by their size, before they are compiled. */
export const tooLarge = [
  "x{1000}".repeat(140),
  `(?i)${"[B-\u{1E942}]".repeat(150)}`,
  `(?i)${"[\\x{42}-\\x{1E942}]".repeat(45)}`,
  `[${"\\pL\\PL".repeat(160)}]`
]

/** As much as a condition may hold, another for each webhook, so that nothing is compiled already. */
export const largest = (n: number): Json => ({
  or: [
    regex(`(?:[abcx]|ab|ca)*q{${n}}q`),
    regex(`.*a[a-z]{${900 - n}}q`),
    regex(`(?:.*b){${100 + n}}q`),
    regex(`(?i)[a-\\x{${(0x3000 + n).toString(16)}}]*q`)
  ]
})

/** The first pattern of a condition looks at all of it; the next ones would cost too much. */
export const longText = "abcabcx".repeat(700)

/** Custom fields with patterns that are too large: one of the patterns is small enough when it is cut. */
export const tooLargeFields = tooLarge.map((pattern, n) => ({
  name: `large_${n}`,
  content_types: ["tenancy.tenant"],
  validation_regex: pattern.slice(0, 500).replace(/\[[^\]]*$/, "")
}))
