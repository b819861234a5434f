/**
 * `npm run supply`: checks what the dependencies bring. Fails if a package has a licence or an install script that
 * nobody has looked at, if a dependency of the service has a known vulnerability of high or critical severity, or if
 * there is no bill of materials. A registry that answers no audits is no failure: the output says so.
 */
import { spawnSync } from "node:child_process"
import { readFileSync } from "node:fs"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("..", import.meta.url))
const read = (file: string): string => readFileSync(new URL(`../${file}`, import.meta.url), "utf8")

/** Licences under which the service may be given away with the package. The fonts have OFL-1.1. */
const licences = ["0BSD", "Apache-2.0", "BSD-0-Clause", "BSD-2-Clause", "BSD-3-Clause", "ISC", "MIT", "OFL-1.1"]
/** Licences of tools that are used for development only, and not changed. */
const licencesOfTools = [...licences, "MPL-2.0", "Unlicense"]

interface Locked {
  readonly version: string
  readonly license?: string
  readonly dev?: boolean
  readonly hasInstallScript?: boolean
}

const { packages } = JSON.parse(read("package-lock.json")) as { readonly packages: Readonly<Record<string, Locked>> }
const installed = Object.entries(packages).filter(([path]) => path !== "")
const nameOf = (path: string): string => path.replace(/.*node_modules\//, "")

const problems: Array<string> = []

for (const [path, { dev, license }] of installed) {
  if (license === undefined || !(dev === true ? licencesOfTools : licences).includes(license))
    problems.push(`${nameOf(path)}: licence ${license}`)
}

const documented = read("docs/install.md")
const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript === true).map(([path]) => nameOf(path))
for (const name of scripted) {
  if (!documented.includes(`\`${name}\``)) problems.push(`${name}: docs/install.md does not name its install script`)
}

const npm = (...args: ReadonlyArray<string>) =>
  spawnSync("npm", args, { cwd: root, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 })

type Vulnerabilities = Readonly<Record<"high" | "critical", number>>

/** The number of vulnerabilities by severity, or why the registry tells none. */
const audit = (): Vulnerabilities | string => {
  try {
    const { message, metadata } = JSON.parse(npm("audit", "--omit=dev", "--json").stdout) as {
      readonly message?: string
      readonly metadata?: { readonly vulnerabilities: Vulnerabilities }
    }
    return metadata?.vulnerabilities ?? String(message)
  } catch (error) {
    return String(error)
  }
}
const found = audit()
if (typeof found === "string") console.log(`not audited: ${found}`)
else if (found.high + found.critical > 0) problems.push(`vulnerabilities: ${JSON.stringify(found)}; see npm audit`)

// Checks all packages: with --omit=dev npm leaves out a dependency that a tool may use too.
const { stdout: bill } = npm("sbom", "--sbom-format=cyclonedx", "--package-lock-only")
for (const [path, { version }] of installed) {
  const purl = `"pkg:npm/${nameOf(path).replace("@", "%40")}@${version}"`
  if (!bill.includes(purl)) problems.push(`${nameOf(path)}: is not in the bill of materials`)
}

for (const problem of problems) console.error(problem)
console.log(`${installed.length} packages, ${scripted.length} with install scripts: ${problems.length} problems`)
process.exitCode = problems.length === 0 ? 0 : 1
