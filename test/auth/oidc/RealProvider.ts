/** A real OpenID provider (oidc-provider) in the process of the test, with a login page of one button. */
import { type IncomingMessage, type ServerResponse, createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { exportJWK, generateKeyPair } from "jose"
import { Provider } from "oidc-provider"

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

/** Listens, and answers once Rackwire is registered. */
export const startRealProvider = async (): Promise<RealProvider> => {
  let answer = (_: IncomingMessage, response: ServerResponse): unknown => response.writeHead(503).end()
  const server = createServer((request, response) => void answer(request, response))
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const issuer = `http://localhost:${(server.address() as AddressInfo).port}`
  const made: RealProvider = {
    issuer,
    offer: { sub: "ana-1" },
    register: async (serviceUrl) => {
      const provider = new Provider(issuer, await configuration(serviceUrl, () => made.offer))
      const callback = provider.callback()
      answer = (request, response) =>
        request.url?.startsWith("/interaction/") === true
          ? interact(provider, request, response, made.offer)
          : callback(request, response)
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
  return made
}

const configuration = async (serviceUrl: string, offered: () => Account) => {
  const { privateKey } = await generateKeyPair("RS256", { extractable: true })
  return {
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        redirect_uris: [`${serviceUrl}/login/oidc/callback/`],
        post_logout_redirect_uris: [`${serviceUrl}/login/`]
      }
    ],
    jwks: { keys: [{ ...(await exportJWK(privateKey)), alg: "RS256", use: "sig", kid: "one" }] },
    cookies: { keys: ["a key of the cookies, for tests"] },
    claims: {
      openid: ["sub"],
      email: ["email", "email_verified"],
      profile: ["preferred_username", "given_name", "family_name", "groups"]
    },
    pkce: { required: () => true },
    interactions: { url: (_: unknown, { uid }: { readonly uid: string }) => `/interaction/${uid}` },
    features: { devInteractions: { enabled: false }, rpInitiatedLogout: { enabled: true } },
    findAccount: (_: unknown, accountId: string) => ({
      accountId,
      claims: () => ({ ...offered(), sub: accountId })
    }),
    // Nobody has to consent.
    loadExistingGrant: async ({ oidc }: GrantContext) => {
      const { clientId } = oidc.client
      const grant = new oidc.provider.Grant({ clientId, accountId: oidc.session.accountId })
      grant.addOIDCScope("openid profile email")
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
