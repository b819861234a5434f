/** A real browser: Chromium, if this machine has one. */
import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { patienceMillis } from "./Eventually.ts"
import { needs } from "./Ledger.ts"
import { isThorough } from "./Seed.ts"
import { type Browser, type BrowserContext, type BrowserContextOptions, type Page, chromium } from "playwright-core"

/** Chromium without its windows comes first: a page takes it half of the time. */
const executablePath = ["chromium-headless-shell", "chromium", "chromium-browser", "google-chrome"]
  .map((name) => `/usr/bin/${name}`)
  .find(existsSync)

/** Tests of pages are skipped, and counted as skipped, where there is no browser. */
export const hasBrowser = needs("Chromium", executablePath !== undefined, "apt-get install chromium-headless-shell")

const launchOptions = {
  executablePath: executablePath ?? "",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-sync",
    // Pages of one context share a process, and so the code that it has compiled.
    "--process-per-site",
    // Pages live for seconds: their scripts would end before the faster code for them is compiled.
    "--js-flags=--no-opt --no-maglev"
  ]
}

/** A browser of the caller's own, for scripts. */
export const openBrowser = (): Promise<Browser> => chromium.launch(launchOptions)

let started: Promise<Browser> | undefined

/**
 * The browser of this worker, for its files one after the other; it ends with the worker. One browser for the run would
 * take a fifth more processor time: each message would pass through the main process.
 */
export const workerBrowser = (): Promise<Browser> => (started ??= openBrowser())

/** Closes the pages of a file. */
export const closePages = async (browser: Browser): Promise<void> => {
  await Promise.all(browser.contexts().map((context) => context.close()))
}

export interface Watched {
  readonly page: Page
  /** Messages of the console, errors of scripts, answers of 500 and more, dialogs, and requests to other hosts. */
  readonly problems: Array<string>
  readonly close: () => Promise<void>
}

/** A context of the browser: its pages share cookies. */
export const openContext = async (
  browser: Browser,
  baseURL: string,
  options: BrowserContextOptions = {}
): Promise<BrowserContext> => {
  // A window would ask whether the page may copy.
  const context = await browser.newContext({ baseURL, permissions: ["clipboard-write"], ...options })
  context.setDefaultTimeout(patienceMillis)
  return context
}

/** Opens a page in a context of its own. */
export const watch = async (browser: Browser, baseURL: string, options?: BrowserContextOptions): Promise<Watched> => {
  const context = await openContext(browser, baseURL, options)
  return { ...(await watchPage(context, baseURL)), close: () => context.close() }
}

/** Opens a page. Violations of the content security policy are messages of the console. */
export const watchPage = async (context: BrowserContext, baseURL: string): Promise<Watched> => {
  const page = await context.newPage()
  const frame = page.mainFrame()
  frame.click = whole(page, frame.click.bind(frame))
  frame.press = whole(page, frame.press.bind(frame))
  const problems: Array<string> = []
  page.on("console", (message) => {
    // A browser tells of every answer that refuses.
    const isTold = message.type() === "info" || /status of 4\d\d/.test(message.text())
    if (!isTold) problems.push(`${page.url()}: ${message.type()}: ${message.text()}`)
  })
  page.on("pageerror", (error) => problems.push(`${page.url()}: ${error.message}`))
  page.on("dialog", (dialog) => {
    problems.push(`${page.url()}: a dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  page.on("response", (response) => {
    if (response.status() >= 500) problems.push(`${response.url()}: ${response.status()}`)
  })
  page.on("request", (request) => {
    if (new URL(request.url()).origin !== new URL(baseURL).origin) problems.push(`a request to ${request.url()}`)
  })
  return { page, problems, close: () => page.close() }
}

/**
 * An action that waits for the page that it leads to. By itself it ends as the page begins to load: what is read then may
 * be part of it, such as a textarea without its text.
 */
const whole =
  <Args extends ReadonlyArray<unknown>>(page: Page, act: (...args: Args) => Promise<void>) =>
  async (...args: Args): Promise<void> => {
    await act(...args)
    await page.waitForLoadState("domcontentloaded")
  }

/**
 * For `waitForURL`: the page of this path and query. The pattern `**path` also matches a page that leads there, such as
 * `/login/?next=path`.
 */
export const at =
  (path: string) =>
  ({ pathname, search }: URL): boolean =>
    pathname + search === path

export const logIn = async (page: Page, username: string, password: string): Promise<void> => {
  await page.goto("/login/")
  await page.fill("[name=username]", username)
  await page.fill("[name=password]", password)
  await page.click("form button")
}

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")
const rules = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]

export type Theme = "light" | "dark" | "light contrast" | "dark contrast"

interface Violation {
  readonly id: string
  readonly nodes: ReadonlyArray<{ readonly target: ReadonlyArray<string> }>
}

/**
 * Loads axe into the page, whose policy stays as it is. To send its half a megabyte takes as long as to apply all rules,
 * so the browser context keeps it for its next pages.
 */
const loadAxe = async (page: Page): Promise<void> => {
  if (await page.evaluate<boolean>("localStorage.axe === undefined")) {
    await page.evaluate(`localStorage.axe = ${JSON.stringify(axe)}; 0`)
  }
  await page.evaluate("window.axe === undefined && (0, eval)(localStorage.axe); 0")
}

/** Violations that axe finds on the page. */
export const accessibility = async (page: Page, theme: Theme = "light"): Promise<ReadonlyArray<string>> => {
  // Only contrast depends on the colours.
  const runOnly = theme === "light" ? rules : { type: "rule", values: ["color-contrast"] }
  const [scheme, chosen = scheme] = theme.split(" ")
  // A part that is requested anew is dimmed.
  await page.locator(".htmx-request").first().waitFor({ state: "detached" })
  await loadAxe(page)
  await page.evaluate(`Object.assign(document.documentElement.dataset, { scheme: "${scheme}", theme: "${chosen}" })`)
  // Only violations leave the page: all results would take as long as the rules.
  const options = { runOnly, resultTypes: ["violations"], iframes: false, preload: false }
  const run = `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`
  const violations = await page.evaluate<ReadonlyArray<Violation>>(run)
  return violations.map(({ id, nodes }) => `${page.url()} (${theme}): ${id}: ${nodes[0]?.target.join(" ")}`)
}

/** On which screens the page is wider than the window: two small ones, and a usual one with text of twice its size. */
export const sideways = async (page: Page): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const [width, text] of [
    [390, 100],
    [320, 100],
    [1280, 200]
  ] as const) {
    await page.setViewportSize({ width, height: 844 })
    const size = `document.documentElement.style.fontSize = "${text}%"`
    const wider = `document.documentElement.scrollWidth - innerWidth`
    const pixels = await page.evaluate<number>(`${size}; ${wider}`)
    if (pixels > 0) found.push(`${page.url()} is ${pixels} pixels too wide at ${width} pixels, text ${text} %`)
  }
  await page.evaluate(`document.documentElement.style.fontSize = ""`)
  await page.setViewportSize({ width: 1280, height: 720 })
  return found
}

const themes: ReadonlyArray<Theme> = isThorough ? ["light", "dark", "light contrast", "dark contrast"] : ["light"]

/** Faults of the page on small screens and in the light theme; with more effort than usual in the other themes too. */
export const faultsOf = async (page: Page): Promise<ReadonlyArray<string>> => {
  const found: Array<string> = []
  for (const theme of themes) found.push(...(await accessibility(page, theme)))
  return [...found, ...(await sideways(page))]
}

/** As `faultsOf`, for a further state of a page: only the third tier checks it, because the file checks another state. */
export const faultsOfState = async (page: Page): Promise<ReadonlyArray<string>> => (isThorough ? faultsOf(page) : [])
