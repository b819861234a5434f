/** A service and a browser for the tests of one file. */
import { join } from "node:path"
import type { Browser, BrowserContext, BrowserContextOptions } from "playwright-core"
import { afterAll, afterEach, beforeAll, expect } from "vitest"
import { openBrowser } from "../auth/Browser.ts"
import { userPassword } from "../auth/Users.ts"
import { type Api, startApi } from "../support/Api.ts"
import { password } from "../support/Client.ts"
import {
  type Watched,
  closePages,
  hasBrowser,
  openContext,
  watch,
  watchPage,
  workerBrowser
} from "../support/Browser.ts"

type Cookie = Parameters<BrowserContext["addCookies"]>[0][number]

interface Console {
  /** A page of somebody who is not logged in. */
  readonly opened: (options?: BrowserContextOptions) => Promise<Watched>
  /** A page of the administrator. All have one session, and share a context with the pages of the same options. */
  readonly loggedIn: (options?: BrowserContextOptions) => Promise<Watched>
  /** A page in a session of its own: of the administrator, or of a user that `makeUser` has made. */
  readonly loggedInAs: (name: string, options?: BrowserContextOptions) => Promise<Watched>
}

/**
 * Starts both before the tests of the file, and stops them after; `fill` makes the objects that the tests need. A test
 * fails if a page that it opened has a problem, unless the test removes it from the page's problems.
 */
export const startConsole = (
  fill: (api: Api) => Promise<void> | void,
  start: () => Promise<Api> = startApi
): Console => {
  let api: Api
  let browser: Browser
  let admin: ReadonlyArray<Cookie>
  let shown: Array<Watched> = []
  const still: BrowserContextOptions = { reducedMotion: "reduce" }
  const opened: Console["opened"] = async (options) => {
    const watched = await watch(browser, api.service.url, { ...still, ...options })
    shown.push(watched)
    return watched
  }
  afterEach(async ({ task }) => {
    const problems = shown.flatMap((each) => each.problems)
    const last = shown.at(-1)?.page
    shown = []
    if (task.result?.state === "fail" && last?.isClosed() === false) {
      task.meta.screenshot = join("test-results", `${task.id}.png`)
      await last.screenshot({ path: task.meta.screenshot, fullPage: true }).catch(() => {})
    }
    expect(problems).toEqual([])
  })
  const sessionOf = async (name: string, agent = "test"): Promise<ReadonlyArray<Cookie>> => {
    const { url } = api.service
    const visitor = openBrowser(url, { "user-agent": agent })
    const { status } = await visitor.logIn(name, name === "admin" ? password : userPassword)
    if (status !== 302) throw new Error(`${name} cannot log in: ${status}`)
    // The tests of a file may take longer than a confirmation counts.
    await api.database.superuser.query("update rackwire_session set confirmed = now() + interval '1 hour'")
    return Array.from(visitor.cookies, ([key, value]) => ({ name: key, value, url }))
  }
  const loggedInAs: Console["loggedInAs"] = async (name, options) => {
    const cookies = await sessionOf(name, options?.userAgent)
    const watched = await opened(options)
    await watched.page.context().addCookies(cookies)
    return watched
  }
  /** A context and the first page in it take half a second of processor time. */
  const shared = new Map<string, Promise<BrowserContext>>()
  const sharedContext = async (options?: BrowserContextOptions): Promise<BrowserContext> => {
    const context = await openContext(browser, api.service.url, { ...still, ...options })
    await context.addCookies(admin)
    return context
  }
  const loggedIn: Console["loggedIn"] = async (options) => {
    const key = JSON.stringify(options ?? {})
    if (!shared.has(key)) shared.set(key, sharedContext(options))
    const watched = await watchPage(await shared.get(key)!, api.service.url)
    shown.push(watched)
    return watched
  }
  beforeAll(async () => {
    if (!hasBrowser) return
    api = await start()
    browser = await workerBrowser()
    admin = await sessionOf("admin")
    await fill(api)
  })
  afterAll(async () => {
    if (!hasBrowser) return
    await closePages(browser)
    await api.stop()
  })
  return { opened, loggedIn, loggedInAs }
}
