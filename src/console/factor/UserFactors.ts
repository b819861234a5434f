/** `/users/users/<id>/factors/`: resets the second factors of a user, for senders who may change the user. */
import { Effect } from "effect"
import { auditFactorReset } from "../../auth/Audit.ts"
import { type UserFactors, factorsOf, hasFactor, removeFactors } from "../../auth/factor/Factors.ts"
import { username } from "../../auth/Principal.ts"
import { addressOf } from "../../http/Admission.ts"
import { rowOf } from "../../http/objects/Objects.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Row } from "../../inventory/Field.ts"
import { objectType } from "../../inventory/Registry.ts"
import { type Html, html } from "../Html.ts"
import { csrfInput } from "../form/Csrf.ts"
import { framed } from "../frame/Frame.ts"
import { icon } from "../frame/Icon.ts"
import { groupOf } from "../frame/Menu.ts"
import { timeOf } from "../value/Time.ts"
import { pathOf, pluralOf } from "../value/Title.ts"

const userType = objectType("users.user")

const nameOf = (row: Row): string => String(row["username"])

const show: Handler = (request) =>
  Effect.gen(function* () {
    const row = yield* rowOf(userType, request, "change")
    const factors = yield* factorsOf(row.id)
    const path = pathOf(userType, row.id)
    return yield* framed(request, {
      title: `Second factor of ${nameOf(row)}`,
      crumbs: [[groupOf(userType)], [pluralOf(userType), pathOf(userType)], [nameOf(row), path]],
      main: html`<form class="card object-form" method="post">
        ${csrfInput(request)}${sentences(nameOf(row), factors)}
        <div class="form-end">
          ${hasFactor(factors) ? html`<button class="btn btn-sm btn-danger">${icon("trash")}Reset the second factor</button>` : ""}
          <a class="btn btn-sm" href="${path}">Cancel</a>
        </div>
      </form>`
    })
  })

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

const sentences = (name: string, { totp, passkeys, recoveryCodes }: UserFactors): Html =>
  totp === null && passkeys === 0
    ? html`<p>${name} has no second factor.</p>`
    : html`<p>
          ${name} has ${totp === null ? "no authenticator app" : html`an authenticator app, set up ${timeOf(totp)}`},
          ${counted(passkeys, "passkey")} and ${counted(recoveryCodes, "recovery code")}.
        </p>
        <p>
          A reset removes them: the password alone then logs ${name} in. Make sure first that ${name} requested it.
          Sessions stay valid.
        </p>`

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const row = yield* rowOf(userType, request, "change")
    const isRemoved = yield* removeFactors(row.id)
    if (isRemoved) {
      const by = { name: username(request.principal), address: addressOf(request.incoming) }
      yield* auditFactorReset(nameOf(row), by)
    }
    return { ...redirect(pathOf(userType, row.id)), written: isRemoved ? [row.id] : [] }
  })

export default {
  path: `${pathOf(userType)}:id/factors/`,
  access: userType,
  action: "change",
  methods: { GET: show, POST: submit }
} satisfies Route
