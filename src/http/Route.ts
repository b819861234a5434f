/**
 * Routes: a path, who has access, and a handler per method.
 *
 * `HttpRouter` of effect/http answers 404 for a wrong method and ignores a missing last slash; a NetBox client expects
 * 405 with `Allow`, and 301. So the table is our own: a path is a list of segments, and `:name` matches any segment.
 */
import type { Waiting } from "../history/inspect/Waiting.ts"
import { type ByteSize, Effect, type Stream } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { AdmissionSql } from "../postgres/AdmissionSql.ts"
import type { Settings } from "../Config.ts"
import type { Health } from "./Health.ts"
import type { Vault } from "../inventory/Vault.ts"
import type { Attempts } from "../auth/Attempts.ts"
import type { Denied } from "../auth/Denied.ts"
import type { KnownTokens } from "../auth/KnownTokens.ts"
import type { PasswordHashing } from "../auth/password/PasswordHashing.ts"
import type { TokenExchange } from "../auth/exchange/TokenExchange.ts"
import type { LdapDirectory } from "../auth/ldap/LdapDirectory.ts"
import type { SingleSignOn } from "../auth/oidc/SingleSignOn.ts"
import type { UsualRights } from "../auth/UsualRights.ts"
import type { Action, Clearance, OutOfBounds } from "../inventory/Clearance.ts"
import { emptyRecord } from "../inventory/Field.ts"
import type { Grammars } from "../inventory/Grammar.ts"
import type { Counts } from "../inventory/read/Count.ts"
import { type Checked, type Premise, type PremiseFailed, mapChecked } from "../inventory/read/Premise.ts"
import type { Presence } from "../postgres/Presence.ts"
import type { ObjectType } from "../inventory/ObjectType.ts"
import type { Protected } from "../inventory/write/Protected.ts"
import type { PresumedAuthor } from "../inventory/write/Transaction.ts"
import type { WriteRefused } from "../inventory/write/WriteRefused.ts"
import type { Templates } from "../template/Template.ts"
import type { Declared } from "./declare/Declared.ts"
import type { Imports } from "./files/ImportFile.ts"
import type { HeavyRequests } from "./objects/HeavyRequests.ts"
import type { TryOutLimits } from "./webhooks/TryOutLimits.ts"
import type { Cookie } from "./wire/Cookies.ts"
import type { PresumedRequest, Request } from "./wire/Request.ts"
import type { HttpRefused } from "./HttpRefused.ts"

const methods = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const

export type Method = (typeof methods)[number]

/** The method that a request means, HEAD as GET; undefined if it is none of a route's. */
export const methodOf = (name: string): Method | undefined =>
  name === "HEAD" ? "GET" : methods.find((method) => method === name)

/** The methods of a route, in the order of its declaration. */
export const methodsOf = (handlers: Readonly<Partial<Record<Method, unknown>>>): ReadonlyArray<Method> =>
  Object.keys(handlers) as ReadonlyArray<Method>

export interface Reply {
  readonly status: number
  /** The body is `json`, `text`, `bytes`, `stream` or `file`; an answer without any has no body. */
  readonly json?: unknown
  /** Spaces by which the JSON is indented. */
  readonly indent?: number
  readonly text?: { readonly type: string; readonly content: string }
  /** A text in UTF-8, in parts; several answers may share a part. */
  readonly bytes?: { readonly type: string; readonly content: ReadonlyArray<Uint8Array> }
  /** A text that is sent while it is made. */
  readonly stream?: { readonly type: string; readonly content: Stream.Stream<string, SqlError.SqlError> }
  /** Bytes that are sent while they are read. */
  readonly file?: { readonly type: string; readonly content: Stream.Stream<Uint8Array, SqlError.SqlError> }
  readonly headers?: Readonly<Record<string, string>>
  readonly cookies?: ReadonlyArray<Cookie>
  /** Ids of the written objects for the audit log, where the JSON does not show them. */
  readonly written?: ReadonlyArray<number>
}

/**
 * Longest address in a `Location`, characters: browsers and proxies refuse heads of 16 KiB, and escapes make the query of
 * a request up to three times as long.
 */
export const locationCharsMax = 8_192

/** Leads to an address, or to its path alone where it is too long. */
export const redirect = (to: string): Reply => ({
  status: 302,
  headers: { location: to.length > locationCharsMax ? to.replace(/\?.*/s, "") : to }
})

export type Services =
  | SqlClient.SqlClient
  | AdmissionSql
  | Settings
  | Vault
  | Clearance
  | Attempts
  | Counts
  | Grammars
  | Health
  | HeavyRequests
  | Imports
  | KnownTokens
  | LdapDirectory
  | PasswordHashing
  | SingleSignOn
  | Presence
  | Templates
  | Waiting
  | TokenExchange
  | TryOutLimits
  | UsualRights
export type Refusal = Denied | HttpRefused | OutOfBounds | WriteRefused | Protected | SqlError.SqlError

export interface Handler {
  (request: Request): Effect.Effect<Reply, Refusal, Services>
  /** Absent for pages, and where the description follows from the object type. */
  readonly declared?: Declared
}

/**
 * A handler that may run before the sender's token was looked up: the statement by which it reads or creates checks the
 * token too. A plain `Handler` runs only for an authenticated sender.
 */
export class AtOnce {
  /** Runs that statement; gives the proof that the premise held, and the answer that follows from its result. */
  readonly begin: (
    request: Request,
    premise: Premise
  ) => Effect.Effect<Checked<Effect.Effect<Reply, Refusal, Services>>, Refusal | PremiseFailed, Services>

  /** As that of a `Handler`. */
  readonly declared: Declared | undefined

  constructor(begin: AtOnce["begin"], declared?: Declared) {
    this.begin = begin
    this.declared = declared
  }
}

/**
 * `begin` ends with the statement that checks the premise, and can write by no other: if it fails, the request is
 * authenticated and begins again. `answer` is final, also where it fails.
 */
export const atOnce = <A>(
  begin: (
    request: PresumedRequest,
    premise: Premise,
    author: PresumedAuthor
  ) => Effect.Effect<Checked<A>, Refusal | PremiseFailed, Services>,
  answer: (result: A, request: Request) => Effect.Effect<Reply, Refusal, Services>,
  declared?: Declared
): AtOnce =>
  new AtOnce(
    (request, premise) =>
      Effect.map(begin(request, premise, { presumed: request.author }), (checked) =>
        mapChecked(checked, (result) => answer(result, request))
      ),
    declared
  )

/** An `AtOnce` handler for a sender whom Postgres named in a statement before. */
export const authenticated =
  ({ begin }: AtOnce): Handler =>
  (request) =>
    begin(request, undefined).pipe(
      Effect.catchTag("PremiseFailed", Effect.die),
      Effect.flatMap(({ value }) => value)
    )

/**
 * The senders that have access to a route. An object type: users who may do the method's action to its objects. `open`:
 * everybody, unless LOGIN_REQUIRED is set. `credentials`: everybody, because the request itself carries the credentials.
 * `unasked`: everybody, without authentication.
 */
export type Access = ObjectType | "open" | "credentials" | "unasked"

/** Whether a route is for people, not for programs. */
export const isPage = ({ path }: Pick<Route, "path">): boolean => !path.startsWith("/api/")

export interface Route {
  /** Ends with a slash where NetBox's path does. */
  readonly path: string
  readonly access: Access
  /** The action of all its methods; absent where each method has its usual action. */
  readonly action?: Action
  /** Media types of its answers; JSON if absent. */
  readonly produces?: ReadonlyArray<string>
  readonly methods: Readonly<Partial<Record<Method, Handler | AtOnce>>>
  /**
   * Whether a form that is sent to it with `_again` is shown as it was sent, and writes nothing: such a form is kept
   * when its session has ended.
   */
  readonly keepsForm?: boolean
  /** Whether its writes change secrets of their objects, whatever their fields are (account/Confirmation.ts). */
  readonly changesSecrets?: boolean
  /**
   * Whether its forms carry files (`multipart/form-data`). Admission reads no body of that size: the handler reads it
   * within its own limits and calls `refuseForgedUpload` before it does anything else.
   */
  readonly takesFiles?: boolean
  /** Whether open pages request it by themselves: such a request is no use of a session. */
  readonly isPolled?: boolean
  /** Whether its writes have a limit of their own, and not that of their sender. */
  readonly hasOwnLimit?: boolean
  /** Largest body of JSON; a mebibyte if absent. */
  readonly jsonMax?: ByteSize.ByteSize
}

export interface Match {
  readonly route: Route
  readonly params: Readonly<Record<string, string>>
}

interface Node {
  readonly literal: Map<string, Node>
  any?: { readonly name: string; readonly node: Node }
  route?: Route
}

/** Compiles routes to a lookup by path. Throws if two routes have the same path. */
export const makeRouter = (routes: ReadonlyArray<Route>): ((path: string) => Match | undefined) => {
  const root: Node = { literal: new Map() }
  for (const route of routes) {
    let node = root
    for (const segment of route.path.split("/")) node = child(node, segment)
    if (node.route !== undefined) throw new Error(`two routes for ${route.path}`)
    node.route = route
  }
  return (path) => {
    const params = emptyRecord<string>()
    let node = root
    for (const segment of path.split("/")) {
      const next = node.literal.get(segment)
      if (next !== undefined) {
        node = next
      } else if (node.any !== undefined && segment !== "") {
        params[node.any.name] = segment
        node = node.any.node
      } else return undefined
    }
    return node.route === undefined ? undefined : { route: node.route, params }
  }
}

const child = (node: Node, segment: string): Node => {
  if (segment.startsWith(":")) {
    const name = segment.slice(1)
    node.any ??= { name, node: { literal: new Map() } }
    if (node.any.name !== name) throw new Error(`one segment is both :${node.any.name} and ${segment}`)
    return node.any.node
  }
  const next = node.literal.get(segment) ?? { literal: new Map() }
  node.literal.set(segment, next)
  return next
}
