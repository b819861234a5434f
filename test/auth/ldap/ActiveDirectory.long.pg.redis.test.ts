/**
 * The options that docs/signin.md has for Active Directory, with an OpenLDAP server whose entries have its classes and
 * attributes, and no entryUUID. Active Directory itself is not run.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { blocksOf, readDocument } from "../../documents/Document.ts"
import { type Api, environmentOf, startApi } from "../../support/Api.ts"
import { runCommand } from "../../support/Command.ts"
import { openBrowser } from "../Browser.ts"
import { type Slapd, hasSlapd, secret, startSlapd } from "./Slapd.ts"

const [block] = blocksOf(readDocument("signin.md").split("\n### Active Directory\n")[1]!)
const options = Object.fromEntries(
  [...block!.text.matchAll(/^(\w+)=(.*)$/gm)].map(([, name, value]) => [name!, value!])
)
const base = options["LDAP_USER_BASE"]!
const bind = options["LDAP_BIND_DN"]!

const text = "EQUALITY caseIgnoreMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.15 SINGLE-VALUE"
const schema = `
attributetype ( 1.2.840.113556.1.4.221 NAME 'sAMAccountName' ${text} )
attributetype ( 1.2.840.113556.1.4.782 NAME 'objectCategory' ${text} )
attributetype ( 1.2.840.113556.1.4.2 NAME 'objectGUID' EQUALITY octetStringMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 SINGLE-VALUE )
attributetype ( 1.2.840.113556.1.4.8 NAME 'userAccountControl' EQUALITY integerMatch SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )
objectclass ( 1.2.840.113556.1.5.9 NAME 'user' SUP organizationalPerson STRUCTURAL
  MUST ( sAMAccountName $ objectGUID $ objectCategory ) MAY ( mail $ givenName $ userAccountControl ) )
objectclass ( 1.2.840.113556.1.5.8 NAME 'group' SUP top STRUCTURAL MUST cn MAY ( member $ sAMAccountName ) )`

const guids = { ana: "00112233445566778899aabbccddeeff", computer: "ff112233445566778899aabbccddeeff" }

const account = (name: string, guid: string, category: string) => `
dn: CN=${name},OU=Staff,${base}
objectClass: user
objectCategory: ${category}
cn: ${name}
sn: Ruiz
givenName: Ana
sAMAccountName: ${name}
mail: ${name}@corp.example.org
userAccountControl: 512
objectGUID:: ${Buffer.from(guid, "hex").toString("base64")}
userPassword: ${secret}
`

const group = (name: string, ...members: ReadonlyArray<string>) => `
dn: CN=${name},OU=Groups,${base}
objectClass: group
cn: ${name}
${members.map((member) => `member: CN=${member},${base}`).join("\n")}
`

const unit = (name: string) => `
dn: OU=${name},${base}
objectClass: organizationalUnit
ou: ${name}
`

const entries = `dn: ${base}
objectClass: dcObject
objectClass: organization
o: Corp
dc: corp
${["Staff", "Groups", "Services"].map(unit).join("")}
dn: ${bind}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: rackwire
userPassword: ${secret}
${account("ana", guids.ana, "person")}${account("server", guids.computer, "computer")}
${group("netops", "ana,OU=Staff")}${group("engineers", "netops,OU=Groups")}${group("others", "server,OU=Staff")}`

describe.skipIf(!hasSlapd)("Active Directory", () => {
  let slapd: Slapd
  let api: Api
  /** The options of the document, for the server of the test. */
  let directoryOptions: Readonly<Record<string, string>>

  beforeAll(async () => {
    const access = "access to attrs=entryUUID by * none"
    slapd = await startSlapd({ base, schema, access, entries, options: {} })
    directoryOptions = {
      ...options,
      LDAP_URL: slapd.secureUrl,
      LDAP_CA: slapd.certificate,
      LDAP_BIND_PASSWORD: secret
    }
    api = await startApi(directoryOptions)
    for (const name of ["netops", "engineers", "others"]) await api.make("users/groups", { name })
  })

  afterAll(async () => {
    await api?.stop()
    await slapd?.stop()
  })

  const logIn = async (name: string) => (await openBrowser(api.service.url).logIn(name, secret)).status
  const users = () =>
    api.database.sql.query(
      `select i.subject, u.username, u.email, u.first_name, u.last_name,
              array(select g.name from users_group g where g.id = any (u.groups) order by 1) as groups
         from rackwire_identity i join users_user u on u.id = i.user_id`
    )

  const ana = {
    ...{ subject: guids.ana, username: "ana", email: "ana@corp.example.org" },
    ...{ first_name: "Ana", last_name: "Ruiz", groups: ["engineers", "netops"] }
  }

  it("lets its users in by their account name, with their groups and the groups of these", async () => {
    expect([await logIn("ana"), await users()]).toEqual([302, [ana]])
    expect([await logIn("ANA"), await users()]).toEqual([302, [ana]])
  })

  it("lets nobody in by an account that is no person", async () => {
    expect(await logIn("server")).toBe(200)
  })

  it("finds the user of a renamed entry by its objectGUID, and the sync ends the user of a disabled account", async () => {
    const dn = "CN=ana,OU=Staff"
    await slapd.change(dn, "sAMAccountName", ["ana.ruiz"])
    expect([await logIn("ana.ruiz"), await users()]).toEqual([302, [ana]])
    const synced = () => runCommand(["users", "sync"], { env: { ...environmentOf(api.database), ...directoryOptions } })
    expect(await synced()).toEqual({ code: 0, output: "0 users changed.\n" })
    // A login by a disabled account is refused by the server: OpenLDAP does not do that by this attribute.
    await slapd.change(dn, "userAccountControl", ["514"])
    expect(await synced()).toEqual({ code: 0, output: "ana: inactive now\n1 users changed.\n" })
  })
})
