/** A real OpenID provider (oidc-provider) in the process of the test, with a login page of one button. */
import { type IncomingMessage, type ServerResponse, createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { exportJWK, generateKeyPair } from "jose"
import { Provider } from "oidc-provider"
import { type Browser, openBrowser } from "../Browser.ts"

/** The claims of an account. */
export type Account = Readonly<Record<string, unknown>> & { readonly sub: string }

export interface RealProvider {
  readonly issuer: string
  /** The account that its login page offers. */
  offer: Account
  /** Registers Rackwire at this address as its client. */
  readonly register: (serviceUrl: string) => Promise<void>
  readonly stop: () => Promise<void>
}

export const client = { id: "rackwire", secret: "a secret of the client, for tests" }

/** The part of a provider's answers in which products differ. */
export interface Shape {
  /** The path of its issuer, as `/realms/company`. */
  readonly path: string
  /** Names of the provider in the options of Rackwire; "" for the one without a name. */
  readonly names: ReadonlyArray<string>
  /** Claims by scope. */
  readonly claims: Readonly<Record<string, ReadonlyArray<string>>>
  /** Whether the ID token has the claims of every scope, and not those of `openid` alone. */
  readonly hasWholeIdToken: boolean
  /** The algorithm of ID tokens. */
  readonly algorithm: "RS256" | "HS256"
  /** Logout by the client: none, a page, or a page that refuses a request without the ID token. */
  readonly logout: "none" | "any" | "with hint"
}

const usual: Shape = {
  path: "",
  names: [""],
  claims: {
    openid: ["sub"],
    email: ["email", "email_verified"],
    profile: ["preferred_username", "given_name", "family_name", "groups"]
  },
  hasWholeIdToken: false,
  algorithm: "RS256",
  logout: "any"
}

/** Listens, and answers once Rackwire is registered. */
export const startRealProvider = async (shape: Partial<Shape> = {}): Promise<RealProvider> => {
  const all = { ...usual, ...shape }
  let answer = (_: IncomingMessage, response: ServerResponse): unknown => response.writeHead(503).end()
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  const issuer = `${origin}${all.path}`
  const mount = all.path.replace(/\/$/, "")
  const made: RealProvider = {
    issuer,
    offer: { sub: "ana-1" },
    register: async (serviceUrl) => {
      const provider = new Provider(issuer, await configuration(serviceUrl, all, () => made.offer))
      const callback = provider.callback()
      answer = (request, response) => {
        const url = request.url ?? ""
        if (url.startsWith("/interaction/")) return interact(provider, request, response, made.offer)
        if (!url.startsWith(mount)) return response.writeHead(404).end()
        const isHinted = new URL(url, origin).searchParams.has("id_token_hint")
        if (all.logout === "with hint" && url.includes("/session/end?") && !isHinted)
          return response.writeHead(400).end("id_token_hint is missing")
        // By the original address the provider finds out under which path it is mounted.
        return callback(Object.assign(request, { originalUrl: url, url: url.slice(mount.length) }), response)
      }
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
  return made
}

const configuration = async (serviceUrl: string, shape: Shape, offered: () => Account) => {
  const { names, claims, hasWholeIdToken, algorithm, logout } = shape
  const { privateKey } = await generateKeyPair("RS256", { extractable: true })
  return {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: names.map((name) => `${serviceUrl}/login/oidc/${name === "" ? "" : `${name}/`}callback/`),
        id_token_signed_response_alg: algorithm,
        post_logout_redirect_uris: [`${serviceUrl}/login/`]
      }
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: "RS256", use: "sig", kid: "one" }] },
    cookies: { keys: ["a key of the cookies, for tests"] },
    claims,
    conformIdTokenClaims: !hasWholeIdToken,
    enabledJWA: { idTokenSigningAlgValues: [algorithm] },
    pkce: { required: () => true },
    interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: logout !== "none" } },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ ...offered(), sub: accountId })
    }),
    // Nobody has to consent.
    loadExistingGrant: async ({ oidc }: GrantContext) => {
      const { clientId } = oidc.client
      const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope(Object.keys(claims).join(" "))
      await grant.save()
      return grant
    },
    ttl: { Interaction: 600, Session: 600, Grant: 600, AccessToken: 600, IdToken: 600, AuthorizationCode: 60 }
  }
}

interface GrantContext {
  readonly oidc: {
    readonly provider: Provider
    readonly client: { readonly clientId: string }
    readonly session: { readonly accountId: string }
  }
}

/** The login page; its button logs the offered account in. */
const interact = async (
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  { sub }: Account
): Promise<void> => {
  if (request.method === "POST") return provider.interactionFinished(request, response, { login: { accountId: sub } })
  await provider.interactionDetails(request, response)
  response.writeHead(200, { "content-type": "text/html" })
  response.end(
    `<!doctype html><html lang="en"><title>Provider</title><h1>Provider</h1><form method="post"><button>I am ${sub}</button></form>`
  )
}

/** The visitor's way to the provider, where the account logs in, and back. Returns the answer of Rackwire at its end. */
export const signInBy = async (
  provider: RealProvider,
  service: { readonly url: string },
  { visitor, account, path }: { readonly visitor: Browser; readonly account: Account; readonly path: string }
): Promise<Response> => {
  provider.offer = account
  const { origin } = new URL(provider.issuer)
  const atProvider = openBrowser(origin)
  let to = (await visitor.fetch(path)).headers.get("location")!
  for (let hops = 0; to.startsWith(origin) || to.startsWith("/interaction/"); hops++) {
    if (hops > 5) throw new Error(`still at ${to}`)
    const page = await atProvider.fetch(to.replace(origin, ""))
    const answer = page.status === 200 ? await atProvider.fetch(to.replace(origin, ""), { method: "POST" }) : page
    to = answer.headers.get("location")!
  }
  return visitor.fetch(to.replace(service.url, ""))
}
