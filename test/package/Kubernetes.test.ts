/** The manifests of `ops/kubernetes/`, compared with the types of the Kubernetes API, each other and the service. */
import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import type { Deployment } from "kubernetes-types/apps/v1.js"
import type { Job } from "kubernetes-types/batch/v1.js"
import type { Service } from "kubernetes-types/core/v1.js"
import type { NetworkPolicy } from "kubernetes-types/networking/v1.js"
import type { PodDisruptionBudget } from "kubernetes-types/policy/v1.js"
import { describe, expect, it } from "vitest"
import { parse, parseAllDocuments } from "yaml"
import { roles } from "../../src/Service.ts"
import { apiRoutes } from "../../src/http/Routes.ts"
import { unknownOptions } from "./UnknownOptions.ts"

const root = fileURLToPath(new URL("../../", import.meta.url))
const folder = join(root, "ops/kubernetes")
const read = (file: string): string => readFileSync(join(folder, file), "utf8")

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { readonly name: string }
}

const kustomization = parse(read("kustomization.yaml")) as {
  readonly resources: ReadonlyArray<string>
  readonly configMapGenerator: ReadonlyArray<{ readonly name: string; readonly literals: ReadonlyArray<string> }>
  readonly images: ReadonlyArray<{ readonly name: string }>
}
const manifests = kustomization.resources.flatMap((file) =>
  parseAllDocuments(read(file)).map((document) => document.toJS() as Manifest)
)
const ofKind = <A>(kind: string) => manifests.filter((manifest): manifest is Manifest & A => manifest.kind === kind)

const deployments = ofKind<Deployment>("Deployment")
const jobs = ofKind<Job>("Job")
const pods = [...deployments, ...jobs].map(({ spec }) => spec!.template)
const containers = pods.flatMap((pod) => pod.spec!.containers)

const labelsOf = (deployment: Deployment) => deployment.spec!.template.metadata!.labels

describe("the kustomization", () => {
  it("has every file of its folder", () => {
    const others = readdirSync(folder).filter((file) => file !== "kustomization.yaml")
    expect(kustomization.resources.toSorted()).toEqual(others.toSorted())
  })

  it("has the fields of the Kubernetes API only, with values of their types", () => {
    const typed = manifests.map(({ apiVersion, kind }, at) => {
      const module = apiVersion === "v1" ? "core/v1" : apiVersion.replace(".k8s.io", "")
      return `import type { ${kind} as Kind${at} } from "kubernetes-types/${module}"
export const manifest${at}: Kind${at} = ${JSON.stringify(manifests[at])}`
    })
    // Below node_modules, so that the types are found.
    const work = mkdtempSync(join(root, "node_modules/.kubernetes-"))
    writeFileSync(join(work, "manifests.ts"), typed.join("\n"))
    const compiler = join(root, "node_modules/typescript/bin/tsc")
    const flags = ["--ignoreConfig", "--noEmit", "--strict", "--module", "preserve", "--types", "", "manifests.ts"]
    const { stdout } = spawnSync(process.execPath, [compiler, ...flags], { cwd: work, encoding: "utf8" })
    rmSync(work, { recursive: true })
    expect(stdout).toBe("")
  })

  it("gives every process options that the service has, and secrets that exist", () => {
    const [config] = kustomization.configMapGenerator
    expect(unknownOptions(config!.literals.map((literal) => literal.split("=")[0]!))).toEqual([])
    for (const { env, envFrom } of containers) {
      expect(env).toBeUndefined()
      expect(envFrom).toEqual([{ configMapRef: { name: config!.name } }, { secretRef: { name: "rackwire" } }])
    }
    const made = /create secret generic rackwire ([^`]+)`{3}/.exec(readFileSync(join(root, "docs/install.md"), "utf8"))
    const names = [...(made?.[1] ?? "").matchAll(/--from-literal=(\w+)=/g)].map(([, name]) => name!)
    expect(names).toEqual(["DATABASE_URL", "REDIS_URL", "SECRET_KEY"])
    expect(unknownOptions(names)).toEqual([])
  })

  it("runs every role, and names the image that it sets", () => {
    const run = deployments.flatMap(({ spec }) => spec!.template.spec!.containers.flatMap(({ args }) => args!.at(-1)!))
    expect(new Set(run.flatMap((names) => names.split(",")))).toEqual(new Set(roles))
    expect(run.every((names) => names.split(",").includes("api"))).toBe(true)
    expect(new Set(containers.map(({ image }) => image))).toEqual(new Set(kustomization.images.map(({ name }) => name)))
  })

  it("probes addresses that the service has, at ports that the container has", () => {
    const paths = new Set(apiRoutes.map(({ path }) => path))
    const serving = containers.filter(({ args }) => args![0] === "serve")
    expect(serving).toHaveLength(deployments.length)
    for (const { ports, livenessProbe, readinessProbe, startupProbe } of serving) {
      for (const probe of [livenessProbe, readinessProbe, startupProbe]) {
        expect(paths).toContain(probe?.httpGet?.path)
        expect(ports?.map(({ name }) => name)).toContain(probe?.httpGet?.port)
      }
    }
  })

  it("selects the pods of each deployment by labels that no other has", () => {
    for (const deployment of deployments) expect(deployment.spec!.selector.matchLabels).toEqual(labelsOf(deployment))
    const selected = (labels: unknown) =>
      deployments.filter((deployment) => JSON.stringify(labelsOf(deployment)) === JSON.stringify(labels))
    const budgets = ofKind<PodDisruptionBudget>("PodDisruptionBudget").map(({ spec }) => spec!.selector!.matchLabels)
    expect(budgets.flatMap(selected)).toEqual(deployments)
    const [service] = ofKind<Service>("Service")
    expect(selected(service!.spec!.selector).map(({ metadata }) => metadata!.name)).toEqual(["api"])
    const ports = selected(service!.spec!.selector)[0]!.spec!.template.spec!.containers[0]!.ports
    expect(ports?.map(({ name }) => name)).toContain(service!.spec!.ports![0]!.targetPort)
  })

  it("lets clients reach the pods of the API only, and no pod the metadata service of a cloud", () => {
    const policies = ofKind<NetworkPolicy>("NetworkPolicy").map(({ spec }) => spec!)
    const everyPod = policies.filter(({ podSelector }) => Object.keys(podSelector).length === 0)
    expect(everyPod.some(({ policyTypes, ingress }) => policyTypes?.includes("Ingress") && ingress === undefined)).toBe(
      true
    )
    const open = policies.filter(({ ingress }) => ingress?.some(({ from }) => from === undefined))
    expect(open.map(({ podSelector }) => podSelector.matchLabels)).toEqual([{ "app.kubernetes.io/name": "api" }])
    const ports = policies.flatMap(
      ({ ingress }) => ingress?.flatMap(({ ports }) => ports!.map(({ port }) => port)) ?? []
    )
    for (const port of ports) expect(containers[0]!.ports?.map(({ name }) => name)).toContain(port)
    const reached = policies.flatMap(
      ({ egress }) => egress?.flatMap(({ to }) => to!.map(({ ipBlock }) => ipBlock)) ?? []
    )
    expect(reached).toEqual([
      { cidr: "0.0.0.0/0", except: ["169.254.169.254/32"] },
      { cidr: "::/0", except: ["fd00:ec2::254/128"] }
    ])
  })

  it("lets nodes be drained also of processes that are not ready, and bounds the memory of every container", () => {
    const budgets = ofKind<PodDisruptionBudget>("PodDisruptionBudget")
    expect(budgets.map(({ spec }) => spec!.unhealthyPodEvictionPolicy)).toEqual(budgets.map(() => "AlwaysAllow"))
    const unbounded = containers.filter(
      ({ resources }) => resources?.limits?.["memory"] === undefined || resources.requests?.["cpu"] === undefined
    )
    expect(unbounded).toEqual([])
  })

  it("meets the restricted standard of pod security", () => {
    for (const { spec } of pods) {
      expect(spec!.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: "RuntimeDefault" } })
      for (const { securityContext } of spec!.containers) {
        expect(securityContext).toMatchObject({ allowPrivilegeEscalation: false, capabilities: { drop: ["ALL"] } })
      }
    }
  })
})
