/** The options of TLS that every outgoing connection has: to receivers, token endpoints and a proxy. */
import { constants } from "node:crypto"
import { type SecureContext, type SecureContextOptions, createSecureContext } from "node:tls"

/**
 * ECDHE and AEAD only: the server chooses the numbers of DHE, and with 10,000 bits OpenSSL computes for 0.9 s. TLS 1.3
 * has groups of its own for finite fields, so groups are named as well.
 */
const ciphers = [
  "TLS_AES_256_GCM_SHA384",
  "TLS_CHACHA20_POLY1305_SHA256",
  "TLS_AES_128_GCM_SHA256",
  ...["AES128-GCM-SHA256", "AES256-GCM-SHA384", "CHACHA20-POLY1305"].flatMap((each) => [
    `ECDHE-ECDSA-${each}`,
    `ECDHE-RSA-${each}`
  ])
].join(":")

/** OpenSSL before 3.5 refuses a list with an unknown group. */
const knowsMlKem = !/^([12]|3\.[0-4])\./.test(process.versions.openssl)

const groups = `${knowsMlKem ? "X25519MLKEM768:" : ""}X25519:P-256:P-384:P-521`

export const tlsOptions: SecureContextOptions = {
  minVersion: "TLSv1.2",
  ciphers,
  ecdhCurve: groups,
  // A second handshake of TLS 1.2 would have no limit: HandshakeGuard watches the first.
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION
}

let usual: SecureContext | undefined

/** The context that trusts the usual CAs. Made once, since it takes 0.1 ms. */
export const usualContext = (): SecureContext => (usual ??= createSecureContext(tlsOptions))
