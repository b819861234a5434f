/**
 * `/user/api-tokens/`: the reader's own tokens; one more can be made, and each can be revoked.
 * `/users/users/<id>/tokens/`: the same for another user, for those who were granted that.
 */
import { Effect, Result } from "effect"
import { Denied } from "../../../auth/Denied.ts"
import { mayGrant } from "../../../auth/Permission.ts"
import { notFound } from "../../../http/HttpRefused.ts"
import { type Handler, type Request, type Route, redirect } from "../../../http/Route.ts"
import { rowOf } from "../../../http/objects/Objects.ts"
import { readForm } from "../../../http/wire/Body.ts"
import { cleared } from "../../../inventory/Clearance.ts"
import { objectType } from "../../../inventory/Registry.ts"
import { byIds, list } from "../../../inventory/read/Read.ts"
import type Token from "../../../inventory/types/users/Token.ts"
import type User from "../../../inventory/types/users/User.ts"
import { create, remove } from "../../../inventory/write/Write.ts"
import { WriteRefused } from "../../../inventory/write/WriteRefused.ts"
import { type Html, html } from "../../Html.ts"
import { accountPage, doneLine, userIn } from "../../part/account/AccountPage.ts"
import { arrived, carried, keyBanner } from "../../part/account/NewToken.ts"
import { type TypedToken, blankToken, tokenForm, tokenTable } from "../../part/account/TokenList.ts"
import { framed } from "../../part/Frame.ts"
import { groupOf } from "../../part/Menu.ts"
import { pathOf, pluralOf } from "../../part/Title.ts"

const tokenType = objectType<typeof Token>("users.token")
const userType = objectType<typeof User>("users.user")

/** Most tokens that are listed. */
const listedMax = 200

/** Whose tokens a page shows. */
interface Owner {
  readonly id: number
  /** Absent on the reader's own page. */
  readonly name?: string
  readonly path: string
}

const ownPath = "/user/api-tokens/"

/** The owner that the address names. Fails with `Denied` where the reader may not write tokens of others. */
const ownerIn = Effect.fnUntraced(function* (request: Request) {
  const reader = yield* userIn(request)
  if (request.url.pathname.startsWith(ownPath)) return { id: reader.id, path: ownPath } satisfies Owner
  if (!mayGrant(request.principal)) return yield* new Denied({ reason: "NotGranted" })
  const { id, username } = yield* rowOf(userType, request)
  return { id, name: String(username), path: `${pathOf(userType, id)}tokens/` } satisfies Owner
})

const page = Effect.fnUntraced(function* (request: Request, owner: Owner, typed: TypedToken, top: Html = html``) {
  const where = { sql: "t.user_id = $1::bigint", parameters: [`${owner.id}`] }
  const tokens = yield* list(tokenType, { where, ordering: ["-created"], limit: listedMax, offset: 0 })
  const mayAdd = (yield* cleared(tokenType, "add")).sql !== "false"
  const status = Object.keys(typed.errors).length > 0 ? 400 : 200
  const main = html`${top}
    <div class="card">
      ${tokens.length === 0 ? html`<div class="empty"><b>There are no tokens.</b>Programs use them to log in.</div>` : tokenTable(request, tokens, owner.path)}
    </div>
    ${mayAdd ? tokenForm(request, typed, owner.path) : ""}`
  const { name } = owner
  if (name === undefined) return yield* accountPage(request, { title: "API tokens", main, status })
  return yield* framed(request, {
    title: `API tokens of ${name}`,
    crumbs: [[groupOf(userType)], [pluralOf(userType), pathOf(userType)], [name, pathOf(userType, owner.id)]],
    ...{ main, status }
  })
})

const show: Handler = (request) =>
  Effect.gen(function* () {
    const owner = yield* ownerIn(request)
    const { key, cookies } = yield* arrived(request)
    const isRevoked = request.url.searchParams.has("revoked")
    const top =
      key !== undefined ? keyBanner(key, request.base) : isRevoked ? doneLine("The token is revoked.") : html``
    const reply = yield* page(request, owner, blankToken, top)
    return { ...reply, cookies: [...(reply.cookies ?? []), ...cookies] }
  })

const add: Handler = (request) =>
  Effect.gen(function* () {
    const owner = yield* ownerIn(request)
    const sent = yield* readForm(request.incoming)
    const text = (name: string) => (sent.get(name) ?? "").trim()
    const [description, expires, allowedIps] = [text("description"), text("expires"), text("allowed_ips")]
    const isWriting = sent.has("write_enabled")
    const body = {
      ...{ user: owner.id, description, write_enabled: isWriting, expires: expires === "" ? null : expires },
      allowed_ips: allowedIps.split(/[\s,]+/).filter((each) => each !== "")
    }
    const made = yield* Effect.result(create(tokenType, [body], request.author))
    if (Result.isFailure(made)) {
      if (!(made.failure instanceof WriteRefused)) return yield* made.failure
      const errors = made.failure.errors[0] ?? {}
      return yield* page(request, owner, { description, expires, allowedIps, isWriting, errors })
    }
    const [token] = made.success
    const cookie = yield* carried(request, String(token!.shown["key"]))
    return { ...redirect(owner.path), cookies: [cookie], written: [token!.row.id] }
  })

const revoke: Handler = (request) =>
  Effect.gen(function* () {
    const owner = yield* ownerIn(request)
    const { token: id = "" } = request.params
    const [token] = yield* byIds(tokenType, /^\d{1,15}$/.test(id) ? [Number(id)] : [], "delete")
    if (token === undefined || token.user !== owner.id) return yield* notFound()
    const written = yield* remove(tokenType, [token.id], request.author)
    return { ...redirect(`${owner.path}?revoked=1`), written }
  })

export default [ownPath, `${pathOf(userType)}:id/tokens/`].flatMap((path): ReadonlyArray<Route> => [
  { path, access: tokenType, methods: { GET: show, POST: add } },
  { path: `${path}:token/revoke/`, access: tokenType, action: "delete", methods: { POST: revoke } }
])
