/** A provider behind TLS. The second command is a process, because Node reads NODE_EXTRA_CA_CERTS at its start. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { environmentOf } from "../../support/Api.ts"
import { type Certificate, hasOpenssl, makeCertificate } from "../../support/Certificate.ts"
import { runCommand, runProcess } from "../../support/Command.ts"
import { type TestDatabase, makeDatabase } from "../../support/Database.ts"
import { type HostileProvider, startHostileProvider } from "./HostileProvider.ts"

describe.skipIf(!hasOpenssl)("a provider behind TLS", () => {
  let provider: HostileProvider
  let certificate: Certificate
  let database: TestDatabase

  beforeAll(async () => {
    certificate = makeCertificate()
    provider = await startHostileProvider(certificate)
    database = await makeDatabase()
  })

  afterAll(async () => {
    await database.drop()
    await provider.stop()
    certificate.remove()
  })

  it("is reached if its certificate is trusted, and not otherwise", async () => {
    const env = { ...environmentOf(database), OIDC_ISSUER: provider.issuer, OIDC_CLIENT_ID: "rackwire" }
    const refused = await runCommand(["check"], { env })
    expect(refused.output).toMatch(
      /CHANGE provider single sign-on: does not answer: localhost:\d+: self-signed certificate/
    )
    const trusting = { ...env, NODE_EXTRA_CA_CERTS: certificate.certificateFile }
    const { output } = await runProcess(["check"], { env: trusting })
    expect(output).toContain(`ok    provider single sign-on: ${provider.issuer} answers`)
  })
})
