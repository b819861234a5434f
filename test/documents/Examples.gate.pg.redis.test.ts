/** The examples of the documents, pasted into a shell as they stand, one after the other. */
import { mkdirSync, writeFileSync } from "node:fs"
import { type AddressInfo, createServer } from "node:net"
import { join } from "node:path"
import { afterEach, expect, it } from "vitest"
import { type Browser, openBrowser } from "../auth/Browser.ts"
import { type Api, environmentOf, startApi } from "../support/Api.ts"
import { password } from "../support/Client.ts"
import { eventually } from "../support/Eventually.ts"
import { type Page, type Step, documentAt, hasLines, stepsOf } from "./Steps.ts"
import { type Shell, openShell } from "./Shell.ts"
import { isThorough } from "../support/Seed.ts"

const documents = ["README.md", ...(isThorough ? ["docs/first-hour.md"] : []), "docs/api.md"]

let api: Api | undefined
let shell: Shell | undefined

afterEach(async () => {
  shell?.close()
  await api?.stop()
  shell = api = undefined
})

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo
      server.close(() => resolve(port))
    })
  })

/** The text of a page, without its markup. */
const textOf = async (browser: Browser, path: string): Promise<string> => {
  const response = await browser.fetch(path)
  const html = await response.text()
  if (response.status !== 200) throw new Error(`${path}: ${response.status}`)
  return html
    .replace(/<[^>]*>/g, " ")
    .replace(/&quot;/g, '"')
    .replace(/&#39;/g, "'")
    .replace(/\s+/g, " ")
}

it.each(documents)("the examples of %s work as pasted", { timeout: 300_000 }, async (path) => {
  api = await startApi()
  const { service, database } = api
  shell = openShell(environmentOf(database))
  const { folder, run } = shell
  mkdirSync(join(folder, ".rackwire"))
  writeFileSync(join(folder, ".rackwire/database-url"), database.databaseUrl)
  const browser = openBrowser(service.url)
  await browser.logIn()
  const port = String(await freePort())
  /** The script with the values that a reader replaces: the password, and where the service and the receiver are. */
  const asHere = (script: string) =>
    script
      .replace("PASSWORD=…", `PASSWORD="${password}"`)
      .replaceAll("localhost:8000", new URL(service.url).host)
      .replaceAll("9000", port)
  let output = ""
  const take = async (step: Step): Promise<void> => {
    if (step.kind === "run") output = await run(asHere(step.script))
    else if (step.kind === "page") await eventually(`${step.path}: ${step.words.join(", ")}`, () => shows(step))
    else if (!hasLines(output, step.lines)) throw new Error(`not\n${step.lines.join("\n")}\nbut\n${output}`)
  }
  const shows = async ({ path, words }: Page): Promise<boolean> => {
    const text = await textOf(browser, path)
    return words.every((each) => text.includes(each))
  }
  const steps = stepsOf(documentAt(path))
  for (const step of steps) await take(step)
  expect(steps.map(({ kind }) => kind)).toContain("run")
})

it("the README names the commands that run and test the service", () => {
  const readme = documentAt("README.md")
  expect(readme).toContain("npm ci && npm start")
  expect(readme).toContain("npm ci && npm test")
})
