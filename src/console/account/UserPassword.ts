/** `/users/users/<id>/password/`: gives a user a new password, for senders who may change the user. */
import { Effect, Result } from "effect"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { rowOf } from "../../http/objects/Objects.ts"
import { readForm } from "../../http/wire/Body.ts"
import type { Row } from "../../inventory/Field.ts"
import { objectType } from "../../inventory/Registry.ts"
import { update } from "../../inventory/write/Write.ts"
import { WriteRefused } from "../../inventory/write/WriteRefused.ts"
import { html } from "../Html.ts"
import { inWordsAll } from "../fault/InWords.ts"
import { csrfInput } from "../form/Csrf.ts"
import { framed } from "../frame/Frame.ts"
import { icon } from "../frame/Icon.ts"
import { groupOf } from "../frame/Menu.ts"
import { pathOf, pluralOf } from "../value/Title.ts"

const userType = objectType("users.user")

const page = (request: Request, row: Row, problem = "") => {
  const name = String(row["username"])
  const wrong = problem === "" ? "" : html` aria-invalid="true" aria-describedby="wrong"`
  return framed(request, {
    title: `New password for ${name}`,
    crumbs: [[groupOf(userType)], [pluralOf(userType), pathOf(userType)], [name, pathOf(userType, row.id)]],
    main: html`<form class="card object-form" method="post">
      ${csrfInput(request)}<input name="username" autocomplete="username" value="${name}" readonly hidden />
      <p>It ends all sessions of ${name}. Tokens stay valid.</p>
      <div class="form-row">
        <label for="new_password">New password<span class="required" title="required">*</span></label>
        <div>
          <input
            class="field-in"
            id="new_password"
            name="new_password"
            type="password"
            autocomplete="new-password"
            autofocus
            ${wrong}
          />
          ${problem === "" ? "" : html`<p class="field-error" id="wrong">${problem}</p>`}
        </div>
      </div>
      <div class="form-end">
        <button class="btn btn-sm btn-primary">${icon("lock")}Set the password</button>
        <a class="btn btn-sm" href="${pathOf(userType, row.id)}">Cancel</a>
      </div>
    </form>`,
    status: problem === "" ? 200 : 400
  })
}

const show: Handler = (request) => Effect.flatMap(rowOf(userType, request, "change"), (row) => page(request, row))

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const row = yield* rowOf(userType, request, "change")
    const password = (yield* readForm(request.incoming)).get("new_password") ?? ""
    const set = yield* Effect.result(update(userType, [{ id: row.id, body: { password } }], false, request.author))
    if (Result.isSuccess(set)) return { ...redirect(pathOf(userType, row.id)), written: [row.id] }
    if (!(set.failure instanceof WriteRefused)) return yield* set.failure
    return yield* page(
      request,
      row,
      inWordsAll({
        type: userType,
        name: "password",
        messages: set.failure.errors[0]?.["password"] ?? [],
        input: password
      })
    )
  })

export default {
  path: `${pathOf(userType)}:id/password/`,
  access: userType,
  action: "change",
  methods: { GET: show, POST: submit }
} satisfies Route
