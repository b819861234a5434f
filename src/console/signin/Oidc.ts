/** `/login/oidc/`: leads the browser to a provider of OpenID Connect, and begins a session when it returns. */
import { Effect } from "effect"
import { auditSignIn, auditSignInRefused } from "../../auth/Audit.ts"
import { begin } from "../../auth/Session.ts"
import { userOfAccount } from "../../auth/directory/Account.ts"
import { callbackPath } from "../../auth/oidc/ProviderOptions.ts"
import { noteProvider } from "../../auth/oidc/ProviderSession.ts"
import type { SignInRefused } from "../../auth/directory/SignInRefused.ts"
import { type Provider, SingleSignOn } from "../../auth/oidc/SingleSignOn.ts"
import { addressOf } from "../../http/Admission.ts"
import { notFound } from "../../http/HttpRefused.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import { forgottenSignIn, sessionCookies, signInCookie, signInUnderWay } from "../../http/wire/Cookies.ts"
import { type Request, publicUrl } from "../../http/wire/Request.ts"
import { loginForm } from "../account/LoginForm.ts"
import { ownPath } from "../frame/OwnPath.ts"
import { limitFlood } from "./Flood.ts"

/** The provider that the path names. Fails with 404. */
export const providerOf = ({ params }: Pick<Request, "params">) =>
  Effect.flatMap(SingleSignOn, ({ providers }) => {
    const found = providers.find(({ options }) => options.name === (params["name"] ?? ""))
    return found === undefined ? notFound() : Effect.succeed(found)
  })

const nextOf = ({ url }: Request): string => ownPath(url.searchParams.get("next")) ?? "/"

const leave: Handler = (request) =>
  Effect.gen(function* () {
    const provider = yield* providerOf(request)
    const { incoming, origin, base } = request
    const next = nextOf(request)
    // A page of another site may lead to the login page, but not through it.
    if (incoming.headers["sec-fetch-site"] === "cross-site") return redirect(`/login/?${new URLSearchParams({ next })}`)
    return yield* provider.begin(base + callbackPath(provider.options), next).pipe(
      Effect.map(({ url, cookie }) => ({ ...redirect(url), cookies: [signInUnderWay(origin, cookie)] })),
      Effect.catchTag("SignInRefused", (refusal) => refused(request, provider, refusal, next))
    )
  })

const arrive: Handler = (request) =>
  Effect.gen(function* () {
    const provider = yield* providerOf(request)
    yield* limitFlood(request)
    const { incoming, origin, principal, author } = request
    const address = addressOf(incoming)
    const state = yield* provider.underWay(incoming.cookies[signInCookie(origin)])
    const next = state?.next ?? "/"
    return yield* Effect.gen(function* () {
      const profile = yield* provider.finish(publicUrl(request), state)
      const { id, username, how } = yield* userOfAccount(profile, provider.options, { address, author })
      const place = { address, agent: incoming.headers["user-agent"], isByProvider: true }
      const { key, seconds } = yield* begin(Number(id), principal.session, place)
      yield* noteProvider(key, provider.options, profile)
      yield* auditSignIn(how, username, { ...profile, way: provider.options.source }, address)
      return { ...redirect(next), cookies: [...sessionCookies(origin, key, seconds), forgottenSignIn(origin)] }
    }).pipe(Effect.catchTag("SignInRefused", (refusal) => refused(request, provider, refusal, next)))
  })

/** The login page with the reason, and a reference to the log. */
const refused = (request: Request, { options }: Provider, refusal: SignInRefused, next: string) =>
  Effect.gen(function* () {
    const { incoming, author } = request
    yield* auditSignInRefused({ way: options.source, issuer: options.issuer }, refusal, addressOf(incoming))
    const page = yield* loginForm(request, { next, problem: refusal.sentence, reference: author.requestId })
    return { ...page, status: refusal.reason === "ProviderAway" ? 503 : 403 }
  })

export default [
  { path: "/login/oidc/", access: "credentials", methods: { GET: leave } },
  { path: "/login/oidc/callback/", access: "credentials", methods: { GET: arrive } },
  { path: "/login/oidc/:name/", access: "credentials", methods: { GET: leave } },
  { path: "/login/oidc/:name/callback/", access: "credentials", methods: { GET: arrive } }
] satisfies ReadonlyArray<Route>
