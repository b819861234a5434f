/** A real OpenLDAP server with some users and groups, reached in the clear, by StartTLS and by TLS. */
import { execFileSync, spawn } from "node:child_process"
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Attribute, Change, Client } from "ldapts"
import { freePorts } from "../../../src/embedded/Ports.ts"
import { hasOpenssl, makeCertificate } from "../../support/Certificate.ts"
import { eventually } from "../../support/Eventually.ts"
import { needs } from "../../support/Ledger.ts"

const program = "/usr/sbin/slapd"

export const hasSlapd = needs("slapd", existsSync(program) && hasOpenssl, "apt-get install slapd")

export interface Slapd {
  /** Addresses with the name of its certificate. */
  readonly url: string
  readonly secureUrl: string
  readonly certificate: string
  /** Options of a service that searches users and groups in it. */
  readonly options: Readonly<Record<string, string>>
  /** Changes an attribute of an entry; no values delete it. */
  readonly change: (dn: string, attribute: string, values: ReadonlyArray<string>) => Promise<void>
  readonly remove: (dn: string) => Promise<void>
  readonly rename: (dn: string, to: string) => Promise<void>
  readonly stop: () => Promise<void>
}

export const base = "dc=example,dc=org"
export const secret = "a secret of the directory"
const rootPassword = "root's secret"
const reader = { dn: `cn=reader,${base}`, password: "reader's secret" }

/** The part of the server that a test may replace. */
export interface DirectoryContent {
  readonly base: string
  /** Lines of its configuration with more attributes and classes. */
  readonly schema: string
  /** Lines of its configuration with more limits of access. */
  readonly access: string
  /** Its entries, as LDIF. */
  readonly entries: string
  readonly options: Readonly<Record<string, string>>
}

const rootOf = (base: string): string => `cn=root,${base}`

const configuration = (
  folder: string,
  { certificate, key }: { readonly certificate: string; readonly key: string },
  { base, schema, access }: DirectoryContent
) => `
include /etc/ldap/schema/core.schema
include /etc/ldap/schema/cosine.schema
include /etc/ldap/schema/inetorgperson.schema
include /etc/ldap/schema/nis.schema
${schema}
modulepath /usr/lib/ldap
moduleload back_mdb
moduleload ppolicy
TLSCertificateFile ${certificate}
TLSCertificateKeyFile ${key}
sizelimit 500
database mdb
directory ${folder}/data
suffix "${base}"
rootdn "${rootOf(base)}"
rootpw "${rootPassword}"
overlay ppolicy
ppolicy_default "cn=policy,${base}"
access to attrs=userPassword by anonymous auth by * none
${access}
access to * by users read by * none
`

const person = (uid: string, more = "") => `
dn: uid=${uid},ou=people,${base}
objectClass: inetOrgPerson
uid: ${uid}
cn: ${uid}
sn: Ruiz
givenName: Ana
mail: ${uid}@example.org
userPassword: ${secret}${more}
`

const group = (cn: string, members: ReadonlyArray<string>) => `
dn: cn=${cn},ou=groups,${base}
objectClass: groupOfNames
cn: ${cn}
${members.map((member) => `member: ${member},${base}`).join("\n")}
`

// ana is in netops, which is in engineers, which is in staff; staff is in netops, a circle.
const entries = `dn: ${base}
objectClass: dcObject
objectClass: organization
o: Example
dc: example

dn: ou=people,${base}
objectClass: organizationalUnit
ou: people

dn: ou=groups,${base}
objectClass: organizationalUnit
ou: groups

dn: cn=policy,${base}
objectClass: device
objectClass: pwdPolicy
cn: policy
pwdAttribute: userPassword
pwdLockout: TRUE

dn: ${reader.dn}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: reader
userPassword: ${reader.password}
${person("ana")}${person("bo", "\nmail: shared@example.org")}${person("cy", "\nmail: shared@example.org")}
dn: cn=odd\\2C \\2B(x),ou=people,${base}
objectClass: inetOrgPerson
uid: o*d\\(d)
cn: odd, +(x)
sn: Odd
userPassword: ${secret}
${group("netops", ["uid=ana,ou=people", "cn=staff,ou=groups"])}${group("engineers", ["cn=netops,ou=groups"])}${group(
  "staff",
  ["cn=engineers,ou=groups", "uid=bo,ou=people"]
)}
dn: cn=unix,ou=groups,${base}
objectClass: posixGroup
cn: unix
gidNumber: 100
memberUid: ana
`

const usual: DirectoryContent = {
  ...{ base, schema: "", access: "", entries },
  options: {
    LDAP_BIND_DN: reader.dn,
    LDAP_BIND_PASSWORD: reader.password,
    LDAP_USER_BASE: `ou=people,${base}`,
    LDAP_GROUP_BASE: `ou=groups,${base}`
  }
}

export const startSlapd = async (content: DirectoryContent = usual): Promise<Slapd> => {
  const { base } = content
  const folder = mkdtempSync(join(tmpdir(), "rackwire-ldap-"))
  const certificate = makeCertificate()
  const [port, securePort] = (await freePorts(2)) as [number, number]
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text)
    return join(folder, name)
  }
  mkdirSync(join(folder, "data"))
  const conf = file(
    "slapd.conf",
    configuration(folder, { certificate: certificate.certificateFile, key: certificate.keyFile }, content)
  )
  execFileSync("/usr/sbin/slapadd", ["-q", "-f", conf, "-l", file("entries.ldif", content.entries)], { stdio: "pipe" })
  const url = `ldap://localhost:${port}`
  const listening = `ldap://127.0.0.1:${port}/ ldaps://127.0.0.1:${securePort}/`
  // With a level of debugging, even none, it stays in the foreground.
  const server = spawn(program, ["-f", conf, "-h", listening, "-d", "0"], { stdio: "ignore" })
  await eventually("slapd answers", () => accepts(port))
  const asRoot = async (work: (client: Client) => Promise<void>) => {
    const client = new Client({ url })
    await client.bind(rootOf(base), rootPassword)
    await work(client)
    await client.unbind()
  }
  return {
    url,
    secureUrl: `ldaps://localhost:${securePort}`,
    certificate: readFileSync(certificate.certificateFile, "utf8"),
    options: { LDAP_URL: url, ...content.options },
    change: (dn, type, values) =>
      asRoot((client) =>
        client.modify(
          `${dn},${base}`,
          new Change({ operation: "replace", modification: new Attribute({ type, values: [...values] }) })
        )
      ),
    remove: (dn) => asRoot((client) => client.del(`${dn},${base}`)),
    rename: (dn, to) => asRoot((client) => client.modifyDN(`${dn},${base}`, to)),
    stop: async () => {
      const ended = new Promise((resolve) => server.once("exit", resolve))
      if (server.kill()) await ended
      certificate.remove()
      rmSync(folder, { recursive: true })
    }
  }
}

const accepts = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1", () => resolve(true))
    socket.on("error", () => resolve(false)).on("connect", () => socket.destroy())
  })
