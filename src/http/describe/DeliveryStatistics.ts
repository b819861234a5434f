/** The descriptions of what is told of many deliveries: over time, by value, and what an action would do. Pure. */
import { facetNames } from "../../history/log/Facets.ts"
import { outcomes } from "../../history/log/Histogram.ts"
import { verdicts } from "../../requests/Plan.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type Json, flag, integer, listOf, record, string, time } from "./JsonSchema.ts"

const { path } = objectType("extras.delivery")
const each = (names: ReadonlyArray<string>, of: Json) => Object.fromEntries(names.map((name) => [name, of]))

interface Described {
  readonly summary: string
  readonly answer: Json
}

const orNull = (type: string): Json => ({ type: [type, "null"] })

/** The plan of a retry or a discard; `isTried`: whether it renders the deliveries again on request. */
const plan = (isTried: boolean): Json =>
  record({
    filter: { type: "object", additionalProperties: listOf(string), description: "The filter to send with the POST." },
    count: integer,
    unattempted: { ...integer, description: "How many of them wait for their first attempt." },
    count_is_minimum: { type: "boolean", description: "Whether more of these wait than were counted." },
    oldest: { ...orNull("string"), format: "date-time" },
    webhooks: listOf(
      record({
        ...{ webhook: integer, name: orNull("string"), count: integer, oldest: time, ordering: orNull("string") },
        ...{ rate_limit: orNull("number"), enabled: orNull("boolean"), paused: orNull("boolean") }
      })
    ),
    left_out: listOf(record({ status: string, count: integer })),
    dry_run: isTried
      ? {
          anyOf: [
            record({
              looked_at: { ...integer, description: "How many were rendered: the newest." },
              ...each(verdicts, integer),
              examples: listOf(record({ delivery: integer, verdict: string, detail: string }))
            }),
            { type: "null" }
          ]
        }
      : { type: "null" }
  })

/** Answers to a GET, by path; its parameters are the filters of deliveries. */
export const describedStatistics: ReadonlyMap<string, Described> = new Map([
  [
    `${path}histogram/`,
    {
      summary: "How many deliveries there were over time, by outcome; of the last day if no time is named",
      answer: record({
        since: time,
        until: time,
        step_seconds: integer,
        total: integer,
        totals: record(each(outcomes, integer)),
        estimated: { ...flag, description: "Whether the successful ones were estimated by a sample." },
        buckets: listOf(record({ since: time, until: time, ...each(outcomes, integer) }))
      })
    }
  ],
  [
    `${path}facets/`,
    {
      summary: "The most frequent values of deliveries, by the filter that selects them",
      answer: record({
        looked_at: { ...integer, description: "How many deliveries were counted: the newest." },
        complete: { ...flag, description: "Whether those were all; otherwise there may be more of each value." },
        unsuccessful_complete: { ...flag, description: "Whether all that are not successful were among them." },
        search_complete: {
          type: ["boolean", "null"],
          description: "Whether `contains` looked into all that the other filters select; null without it."
        },
        facets: record(each(facetNames, listOf(record({ value: string, label: string, count: integer }))))
      })
    }
  ],
  [
    `${path}retry/`,
    {
      summary: "The effect of a retry of these; with `dry_run=true` it renders the newest 200 again, and sends nothing",
      answer: plan(true)
    }
  ],
  [`${path}discard/`, { summary: "The effect of a discard of these", answer: plan(false) }]
])
