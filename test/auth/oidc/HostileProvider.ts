/** A provider made by hand that signs whatever a test wants: tokens that no honest provider gives. */
import { readFileSync } from "node:fs"
import { type IncomingMessage, type ServerResponse, createServer } from "node:http"
import { createServer as createTlsServer } from "node:https"
import type { AddressInfo } from "node:net"
import { type CryptoKey, type JWK, SignJWT, exportJWK, exportSPKI, generateKeyPair } from "jose"
import type { Certificate } from "../../support/Certificate.ts"

type Claims = Readonly<Record<string, unknown>>

export interface Keys {
  readonly privateKey: CryptoKey
  readonly publicKey: CryptoKey
  readonly jwk: JWK
}

export const newKeys = async (kid: string): Promise<Keys> => {
  const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true })
  return { privateKey, publicKey, jwk: { ...(await exportJWK(publicKey)), alg: "RS256", use: "sig", kid } }
}

export interface HostileProvider {
  readonly issuer: string
  /** Its keys; the first one signs. */
  keys: ReadonlyArray<Keys>
  /** Fields of the discovery document beside, or in place of, the honest ones. */
  metadata: Claims
  /** The answer of the token endpoint; `idToken` is honest. */
  token: (response: ServerResponse) => unknown
  /** Requests so far, `GET /keys`. */
  readonly requests: Array<string>
  readonly stop: () => Promise<void>
}

const nowSeconds = () => Math.floor(Date.now() / 1000)

/** The claims of an honest ID token. */
export const honest = (issuer: string, nonce: string): Claims => ({
  ...{ iss: issuer, sub: "mallory-1", aud: "rackwire", nonce },
  ...{ iat: nowSeconds(), exp: nowSeconds() + 300 },
  ...{ preferred_username: "mallory", email: "mallory@example.org", email_verified: true }
})

export const signed = (
  claims: Claims,
  { privateKey }: Pick<Keys, "privateKey">,
  header: Claims = {}
): Promise<string> => new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid: "one", ...header }).sign(privateKey)

/** The same claims, signed by HMAC with the public key as its secret. */
export const signedByPublicKey = async (claims: Claims, { publicKey }: Keys): Promise<string> =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256", kid: "one" })
    .sign(new TextEncoder().encode(await exportSPKI(publicKey)))

const encoded = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url")

/** The same claims, not signed. */
export const unsigned = (claims: Claims): string => `${encoded({ alg: "none", kid: "one" })}.${encoded(claims)}.`

export const giving =
  (idToken: string): HostileProvider["token"] =>
  (response) =>
    json(response, { access_token: "an access token", token_type: "Bearer", id_token: idToken })

const json = (response: ServerResponse, value: unknown): void => {
  response.writeHead(200, { "content-type": "application/json" })
  response.end(JSON.stringify(value))
}

/** Starts it; with a certificate for `localhost` behind TLS. */
export const startHostileProvider = async (certificate?: Certificate): Promise<HostileProvider> => {
  const answer = (request: IncomingMessage, response: ServerResponse): unknown => {
    const { pathname } = new URL(request.url!, issuer)
    provider.requests.push(`${request.method} ${pathname}`)
    if (pathname === "/keys") return json(response, { keys: provider.keys.map(({ jwk }) => jwk) })
    if (pathname === "/token") return provider.token(response)
    return json(response, {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/keys`,
      response_types_supported: ["code"],
      subject_types_supported: ["public"],
      // It admits to everything.
      id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
      authorization_response_iss_parameter_supported: true,
      ...provider.metadata
    })
  }
  const tls = certificate && {
    key: readFileSync(certificate.keyFile),
    cert: readFileSync(certificate.certificateFile)
  }
  const server = tls === undefined ? createServer(answer) : createTlsServer(tls, answer)
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const host = tls === undefined ? "http://127.0.0.1" : "https://localhost"
  const issuer = `${host}:${(server.address() as AddressInfo).port}`
  const provider: HostileProvider = {
    issuer,
    keys: [await newKeys("one")],
    metadata: {},
    token: (response) => response.writeHead(500).end(),
    requests: [],
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    }
  }
  return provider
}
