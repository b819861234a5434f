/** A browser as far as logging in needs one: it keeps cookies and sends them back. */
import { password } from "../support/Client.ts"

export interface Browser {
  readonly cookies: Map<string, string>
  readonly fetch: (path: string, options?: RequestInit) => Promise<Response>
  /** Sends the page's form with these fields. */
  readonly submit: (path: string, fields: Readonly<Record<string, string>>) => Promise<Response>
  /** Logs in as the superuser, or as another user. */
  readonly logIn: (username?: string, secret?: string, next?: string) => Promise<Response>
}

export const openBrowser = (url: string, always: Readonly<Record<string, string>> = {}): Browser => {
  const cookies = new Map<string, string>()
  const send = async (path: string, options: RequestInit = {}): Promise<Response> => {
    const headers = new Headers({ ...always, ...Object.fromEntries(new Headers(options.headers)) })
    if (cookies.size > 0) headers.set("cookie", Array.from(cookies, ([name, value]) => `${name}=${value}`).join("; "))
    const response = await fetch(url + path, { ...options, headers, redirect: "manual" })
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (/max-age=0/i.test(line)) cookies.delete(name!)
      else cookies.set(name!, value!)
    }
    return response
  }
  const submit: Browser["submit"] = async (path, fields) => {
    const shown = await (await send(path)).text()
    const token = /name="csrfmiddlewaretoken" value="([^"]*)"/.exec(shown)?.[1] ?? ""
    const body = new URLSearchParams({ csrfmiddlewaretoken: token, ...fields })
    return send(path, { method: "POST", body })
  }
  return {
    cookies,
    fetch: send,
    submit,
    logIn: (username = "admin", secret = password, next = "/") =>
      submit("/login/", { username, password: secret, next })
  }
}
