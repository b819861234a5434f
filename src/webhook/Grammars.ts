/** The grammars of fields that a stage above the inventory owns, each from its stage. */
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { constraintsProblem, patternsProblem } from "../auth/Constraint.ts"
import { contextProblem, namesOf } from "../auth/password/ContextWords.ts"
import { Settings } from "../Config.ts"
import { certificatesProblem, fileProblem } from "../transport/certificate/CertificateAuthority.ts"
import { addressProblem, headersProblem, isTemplate, literalHeadersProblem } from "./RequestText.ts"
import { secretProblem } from "./Sign.ts"
import { targetRules } from "../transport/OutgoingRules.ts"
import { urlRefusal } from "../transport/TargetPolicy.ts"
import { urlProblem } from "../postgres/PostgresUrl.ts"
import { parsePolicy } from "./RetrySchedule.ts"
import { type Grammar, Grammars } from "../inventory/Grammar.ts"
import { registry } from "../inventory/Registry.ts"
import { clientCertificateProblem, clientKeyProblem } from "../transport/certificate/ClientCertificate.ts"
import { tokenUrlProblem } from "./identity/TokenRequest.ts"
import { isEmpty, parse } from "../match/Condition.ts"
import { configEngine, environmentProblem } from "../template/ConfigEngine.ts"
import { Templates } from "../template/Template.ts"
import { Vault } from "../inventory/Vault.ts"

export const grammarsLayer = Layer.effect(
  Grammars,
  Effect.gen(function* () {
    const { check, engines } = yield* Templates
    const rules = yield* targetRules
    const { webhookCaDirectory, passwordWords } = yield* Settings
    const vault = yield* Vault
    const sql = yield* SqlClient.SqlClient
    const template: Grammar = (value, row) =>
      Effect.map(check(String(value), String(row["template_engine"])), (error) => error?.told)
    /** A literal text is checked as what it will be; of a template only the template can be. */
    const orTemplate =
      (problem: (text: string) => string | undefined): Grammar =>
      (value, row) =>
        isTemplate(String(value)) ? template(value, row) : problem(String(value))
    return Grammars.register(registry.values(), {
      objectTypes: (value) => objectTypesProblem([value as string | ReadonlyArray<string>].flat()),
      webhookTypes: (value, row) => {
        const types = value as ReadonlyArray<string>
        const { source } = row
        return typeof source === "number" ? sourceTypesProblem(sql, source, types) : objectTypesProblem(types)
      },
      anyTypes: (value) => {
        const wrong = (value as ReadonlyArray<string>).find((id) => !registry.has(id))
        return wrong === undefined ? undefined : `Invalid content type: ${wrong}`
      },
      constraints: (value, row) =>
        constraintsProblem(value, (row["object_types"] ?? []) as ReadonlyArray<string>) ?? patternsProblem(sql, value),
      password: (value, row) => contextProblem(String(value), [...passwordWords, ...namesOf(row)]),
      engine: (value) => {
        const known = engines()
        return known.includes(String(value)) ? undefined : `There is no such template engine: ${known.join(", ")}.`
      },
      secret: (value) => secretProblem(String(value)),
      caFile: (value) => Effect.promise(() => fileProblem(webhookCaDirectory, String(value))),
      caCertificate: (value) => certificatesProblem(String(value)),
      clientCertificate: (value) =>
        Effect.map(Clock.currentTimeMillis, (now) => clientCertificateProblem(String(value), now)),
      clientKey: (value, row) => {
        const key = String(value).includes("-----BEGIN ") ? String(value) : vault.open(String(value))
        // A kept key is checked again with a new certificate.
        return clientKeyProblem(key ?? String(value), String(row["client_certificate"]))
      },
      databaseUrl: (value) => {
        const problem = urlProblem(String(value))
        return problem === undefined ? undefined : `The URL ${problem}.`
      },
      apiUrl: (value) => addressProblem(String(value)) ?? urlRefusal(rules, String(value)),
      // Browsers of people open it: no request of the service.
      webUrl: (value) => addressProblem(String(value)),
      tokenUrl: (value) => tokenUrlProblem(String(value)) ?? urlRefusal(rules, String(value)),
      template,
      jinja: (value) => Effect.map(check(String(value)), (error) => error?.told),
      configTemplate: (value, row) =>
        Effect.map(check(String(value), configEngine(row["environment_params"])), (error) => error?.told),
      environment: environmentProblem,
      headers: (value, row) => literalHeadersProblem(String(value)) ?? orTemplate(headersProblem)(value, row),
      url: orTemplate((url) => addressProblem(url) ?? urlRefusal(rules, url)),
      condition: (value) => {
        try {
          if (!isEmpty(value)) parse(value)
          return undefined
        } catch (error) {
          return (error as Error).message
        }
      },
      retry: (value) => {
        const policy = parsePolicy(value)
        return typeof policy === "string" ? policy : undefined
      }
    })
  })
)

const objectTypesProblem = (ids: ReadonlyArray<string>): string | undefined => {
  const wrong = ids.find((id) => registry.get(id)?.kind !== "object")
  return wrong === undefined ? undefined : `Invalid content type: ${wrong}`
}

/** A source that was not read yet has no list of its types: then any name may be one. */
const sourceTypesProblem = (sql: SqlClient.SqlClient, source: number, types: ReadonlyArray<string>) =>
  sql<{ readonly known: ReadonlyArray<string> }>`
    select object_types as known from extras_source where id = ${`${source}`}::text::bigint`.pipe(
    Effect.map(([row]) => {
      const known = new Set(row?.known)
      const wrong = types.find(
        (type) => !/^[a-z_][a-z0-9_]*\.[a-z0-9_]+$/.test(type) || (known.size > 0 && !known.has(type))
      )
      return wrong === undefined ? undefined : `The source has no object type ${wrong}.`
    }),
    Effect.orDie
  )
