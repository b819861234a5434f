/** An authenticator app, and a visitor who sets it up, for tests. */
import { Secret, TOTP } from "otpauth"
import type { Api } from "../../support/Api.ts"
import { type Browser, openBrowser } from "../Browser.ts"
import { userPassword } from "../Users.ts"

/** The code that the app shows, or shows so many steps of 30 seconds later. */
export const codeOf = (secret: string, steps = 0): string =>
  new TOTP({ secret: Secret.fromBase32(secret) }).generate({ timestamp: Date.now() + steps * 30_000 })

/** The value of a hidden input of a page. */
export const hiddenIn = (page: string, name: string): string =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(page)?.[1] ?? ""

export interface AppOwner {
  /** The session in which the app was set up. */
  readonly browser: Browser
  readonly secret: string
  readonly recoveryCodes: ReadonlyArray<string>
}

/** Sends the page for an app back with a code of its secret. */
export const sendSetUp = async (browser: Browser, code: (secret: string) => string) => {
  const page = await (await browser.fetch("/user/factors/app/")).text()
  const secret = /id="secret">([^<]*)</.exec(page)![1]!.replaceAll(" ", "")
  const [csrfmiddlewaretoken, ticket] = [hiddenIn(page, "csrfmiddlewaretoken"), hiddenIn(page, "ticket")]
  const body = new URLSearchParams({ csrfmiddlewaretoken, ticket, code: code(secret) })
  const answer = await browser.fetch("/user/factors/app/", { method: "POST", body })
  return { secret, ticket, answer, text: await answer.text() }
}

/** Logs a user of `makeUser` in, and sets up an app. Codes of all steps count afterwards. */
export const setUpApp = async (api: Api, name: string): Promise<AppOwner> => {
  const browser = openBrowser(api.service.url)
  const { status } = await browser.logIn(name, userPassword)
  if (status !== 302) throw new Error(`${name} cannot log in: ${status}`)
  const { secret, answer, text } = await sendSetUp(browser, codeOf)
  if (answer.status !== 200) throw new Error(`the app is not set up: ${answer.status}`)
  const recoveryCodes = [...text.matchAll(/<li>([\w-]{19})<\/li>/g)].map(([, code]) => code!)
  await forgetSteps(api)
  return { browser, secret, recoveryCodes }
}

/** Makes codes count again that were used: a test does not wait for the next one. */
export const forgetSteps = (api: Api) => api.database.superuser.query("update rackwire_totp set last_step = 0")

/** A visitor who has sent the right password, and is led to the second factor. */
export const atFactor = async (url: string, name: string, next = "/"): Promise<Browser> => {
  const browser = openBrowser(url)
  const answer = await browser.logIn(name, userPassword, next)
  const location = answer.headers.get("location")
  if (location !== "/login/factor/") throw new Error(`no second factor is requested: ${answer.status} ${location}`)
  return browser
}

/** Sends the second factor. */
export const sendFactor = (browser: Browser, fields: Readonly<Record<string, string>>) =>
  browser.submit("/login/factor/", fields)
