/**
 * Sign-ins with the options that docs/signin.md has for each product, by a real provider (oidc-provider) whose issuer has
 * the product's path and whose tokens have the product's claims. The products themselves are not run.
 */
import { decodeJwt } from "jose"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type Api, startApiAlone } from "../../support/Api.ts"
import { openBrowser } from "../Browser.ts"
import { type Product, type ProductName, documentedOptions, issuerPath, products } from "./Products.ts"
import { type Account, type RealProvider, client, signInBy, startRealProvider } from "./RealProvider.ts"

const names = Object.keys(products) as ReadonlyArray<ProductName>

const providers = new Map<string, RealProvider>()
let api: Api

/** The options of the document for a provider of this name; its issuer and client are those of the test. */
const optionsOf = (name: string, { heading }: Product, issuer: string) => {
  const given = {
    ...documentedOptions(heading),
    OIDC_ISSUER: issuer,
    OIDC_CLIENT_ID: client.id,
    OIDC_CLIENT_SECRET: client.secret
  }
  return Object.entries(given).map(([option, value]) => [option.replace("OIDC_", `OIDC_${name.toUpperCase()}_`), value])
}

/** Starts a provider that answers as the product, and returns the options of Rackwire for it. */
const startProduct = async (name: string, product: Product, shape: Partial<Product["shape"]> = {}) => {
  const path = issuerPath(documentedOptions(product.heading))
  const provider = await startRealProvider({ ...product.shape, ...shape, path, names: [name, `${name}adopts`] })
  providers.set(name, provider)
  return optionsOf(name, product, provider.issuer)
}

beforeAll(async () => {
  const started = await Promise.all([
    ...names.map((name) => startProduct(name, products[name])),
    startProduct("unsigned", products.authentik, { algorithm: "HS256" })
  ])
  const { issuer } = providers.get("entra")!
  const adopting = [...optionsOf("entraadopts", products.entra, issuer), ["OIDC_ENTRAADOPTS_ADOPT", "verified-email"]]
  api = await startApiAlone(Object.fromEntries([...started.flat(), ...adopting]))
  for (const provider of providers.values()) await provider.register(api.service.url)
  for (const name of ["admins", "network", "1c0a3f52-5b0e-4a4e-9d0c-6f0a4b7d2e33", "/netops/admins"])
    await api.make("users/groups", { name })
})

afterAll(async () => {
  await api?.stop()
  for (const provider of providers.values()) await provider.stop()
})

/** A sign-in by the product; `name` is another one of the same provider. */
const signIn = async (product: ProductName | "unsigned", account: Account, name: string = product) => {
  const visitor = openBrowser(api.service.url)
  const path = `/login/oidc/${name}/?next=/dcim/sites/`
  const answer = await signInBy(providers.get(product)!, api.service, { visitor, account, path })
  return { visitor, status: answer.status, text: await answer.text() }
}

const signedIn = expect.objectContaining({ status: 302, text: "" })

/** The user of an account, by its issuer and subject. */
const userOf = async (product: ProductName, { sub }: Account) => {
  const [user] = await api.database.sql.query(
    `select u.username, u.email, u.first_name, u.last_name, u.is_superuser,
            array(select g.name from users_group g where g.id = any (u.groups) order by 1) as groups
       from rackwire_identity i join users_user u on u.id = i.user_id where i.issuer = $1 and i.subject = $2`,
    [providers.get(product)!.issuer, sub]
  )
  return user
}

const giveByHand = (username: string, group: string) =>
  api.database.sql.query(
    `update users_user set groups = groups || (select id from users_group where name = $2) where username = $1`,
    [username, group]
  )

const user = {
  email: "ana@example.org",
  first_name: "Ana",
  last_name: "Berg",
  is_superuser: false,
  groups: ["admins"]
}

const users: Readonly<Record<ProductName, object>> = {
  keycloak: { ...user, username: "ana.keycloak" },
  authentik: { ...user, username: "ana.authentik", first_name: "Ana Berg", last_name: "" },
  // One group by its id, the other one by the name that the option gives it.
  entra: { ...user, username: "ana@corp.example.org", groups: ["1c0a3f52-5b0e-4a4e-9d0c-6f0a4b7d2e33", "network"] },
  okta: { ...user, username: "ana@okta.example.org" },
  google: { ...user, username: "ana@google.example.org", email: "ana@google.example.org", groups: [] }
}

describe("the options of the document", () => {
  it.each(names)("make a user with the name, the e-mail address and the groups of %s", async (name) => {
    const { account } = products[name]
    expect(await signIn(name, account)).toEqual(signedIn)
    expect(await userOf(name, account)).toEqual(users[name])
  })
})

describe("Keycloak", () => {
  const { account } = products.keycloak
  const other = { ...account, sub: "0b0c7f0e-0d9f-4f55-8d52-6b1f0f5a2c77", preferred_username: "finn.keycloak" }

  it("with full paths of groups names other groups than without", async () => {
    const paths = { ...other, groups: ["/netops/admins"] }
    expect(await signIn("keycloak", paths)).toEqual(signedIn)
    expect(await userOf("keycloak", paths)).toMatchObject({ groups: ["/netops/admins"] })
  })

  it("with groups as roles alone gives none, takes away those that it gave, and leaves those given by hand", async () => {
    expect(await signIn("keycloak", other)).toEqual(signedIn)
    expect(await userOf("keycloak", other)).toMatchObject({ groups: ["admins"] })
    await giveByHand("finn.keycloak", "network")
    const { groups: _, ...roles } = { ...other, realm_access: { roles: ["admins"] } }
    expect(await signIn("keycloak", roles)).toEqual(signedIn)
    expect(await userOf("keycloak", other)).toMatchObject({ groups: ["network"] })
  })
})

describe("Authentik", () => {
  it("without a signing key is refused, and the log says that it signs by HMAC", async () => {
    const answer = await signIn("unsigned", { ...products.authentik.account, preferred_username: "eve" })
    expect([answer.status, answer.text]).toEqual([403, expect.stringContaining("The answer of unsigned is not valid")])
    expect(api.service.output()).toContain("its ID token is signed by HS256: let it sign with a key")
    expect(await api.database.sql.query("select from users_user where username = 'eve'")).toEqual([])
  })
})

describe("Microsoft Entra ID", () => {
  const { account } = products.entra

  it("refuses a user with more than 200 groups in words, and changes nothing", async () => {
    expect(await signIn("entra", account)).toEqual(signedIn)
    const { groups: _, ...rest } = account
    const endpoint = `https://graph.microsoft.com/v1.0/users/${account.oid}/getMemberObjects`
    const many = { ...rest, _claim_names: { groups: "src1" }, _claim_sources: { src1: { endpoint } } }
    const answer = await signIn("entra", many)
    expect([answer.status, answer.text]).toEqual([
      403,
      expect.stringContaining("it has too many groups for its token (groups)")
    ])
    expect(await userOf("entra", account)).toEqual(users.entra)
  })

  it("adopts no user, because it does not say that the e-mail address is verified", async () => {
    const id = await api.make("users/users", { username: "local", password: "a password for tests" })
    await api.call("PATCH", `/api/users/users/${id}/`, { email: account.email })
    const local = { ...account, sub: "another subject", preferred_username: "local" }
    const refused = await signIn("entra", local, "entraadopts")
    expect([refused.status, refused.text]).toEqual([403, expect.stringContaining("belongs to another user")])
  })
})

describe("the logout", () => {
  const linkAfter = async (name: ProductName) => {
    const { visitor } = await signIn(name, products[name].account)
    const answer = await visitor.submit("/logout/", {})
    const link = /href="([^"]*session\/end[^"]*)"/.exec(await answer.text())?.[1]?.replaceAll("&amp;", "&")
    return { status: answer.status, link }
  }

  it("of Okta is given the ID token that it requires", async () => {
    const { link } = await linkAfter("okta")
    const url = new URL(link!)
    expect(decodeJwt(url.searchParams.get("id_token_hint")!)).toMatchObject({ sub: products.okta.account.sub })
    expect((await fetch(url)).status).toBe(200)
    url.searchParams.delete("id_token_hint")
    expect((await fetch(url)).status).toBe(400)
  })

  it("of Google does not exist, so that the session here ends alone", async () => {
    expect(await linkAfter("google")).toEqual({ status: 302, link: undefined })
  })
})
