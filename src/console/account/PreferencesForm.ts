/** `/user/preferences/`: theme, density, time zone and page size. */
import { Duration, Effect } from "effect"
import { keepPreferences } from "../../auth/Principal.ts"
import { type Handler, type Route, redirect } from "../../http/Route.ts"
import type { Request } from "../../http/wire/Request.ts"
import { readForm } from "../../http/wire/Body.ts"
import { type Html, html } from "../Html.ts"
import { accountPage, doneLine, userIn } from "./AccountPage.ts"
import {
  densities,
  densityNamed,
  keyChoiceNamed,
  keyChoices,
  type Preferences,
  pageSizeIn,
  pageSizeMax,
  preferencesOf,
  themeNamed,
  themes,
  zoneNamed
} from "./Preferences.ts"
import { csrfInput } from "../form/Csrf.ts"
import { icon } from "../frame/Icon.ts"

const names = ["theme", "density", "timeZone", "pageSize", "keys"] as const

/** The fields as they were typed. */
type FormValues = Readonly<Record<(typeof names)[number], string>>
type Problems = Partial<Record<keyof FormValues, string>>

const problems: Readonly<Record<keyof FormValues, string>> = {
  theme: "Choose one of the themes.",
  density: "Choose one of the densities.",
  timeZone: "There is no such time zone. Use a name such as Europe/Oslo.",
  pageSize: `Use a whole number up to ${pageSizeMax}.`,
  keys: "Choose on or off."
}

const zones = Intl.supportedValuesOf("timeZone")

const page = (request: Request, typed: FormValues, wrong: Problems = {}) => {
  const isWrong = Object.keys(wrong).length > 0
  const first = names.find((name) => wrong[name] !== undefined)
  const row = (name: keyof FormValues, title: string, control: (common: Html) => Html, hint = "") => {
    const problem = wrong[name]
    const common = html`class="field-in" id="${name}"
    name="${name}"${problem === undefined ? "" : html` aria-invalid="true" aria-describedby="wrong-${name}"`}${name === first ? html` autofocus` : ""}`
    return html`<div class="form-row">
      <label for="${name}">${title}</label>
      <div>
        ${control(common)}
        ${problem === undefined ? "" : html`<p class="field-error" id="wrong-${name}">${problem}</p>`}
        ${hint === "" ? "" : html`<p class="sub">${hint}</p>`}
      </div>
    </div>`
  }
  const select = (options: Readonly<Record<string, string>>, chosen: string) => (common: Html) =>
    html`<select ${common}>
      ${Object.entries(options).map(([key, label]) => html`<option value="${key}" ${key === chosen ? html` selected` : ""}>${label}</option>`)}
    </select>`
  return accountPage(request, {
    title: "Preferences",
    main: html`${request.url.searchParams.has("saved") && !isWrong ? doneLine("Your preferences are saved.") : ""}
      ${isWrong ? html`<div class="alert-line" role="alert"><b>Nothing was saved.</b> Correct the marked fields.</div>` : ""}
      <form class="card object-form" method="post" action="/user/preferences/">
        ${csrfInput(request)} ${row("theme", "Theme", select(themes, typed.theme))}
        ${row("density", "Density", select(densities, typed.density))}
        ${row(
          "timeZone",
          "Time zone",
          (common) =>
            html`<input ${common} list="zones" value="${typed.timeZone}" maxlength="63" autocomplete="off" /><datalist
                id="zones"
              >
                ${zones.map((zone) => html`<option value="${zone}"></option>`)}
              </datalist>`,
          "Pages show times in this zone. The exact time in UTC appears when you point at one."
        )}
        ${row(
          "pageSize",
          "Objects on a page",
          (common) =>
            html`<input ${common} value="${typed.pageSize}" inputmode="numeric" maxlength="4" autocomplete="off" />`,
          "For lists of the console. Blank is the usual number."
        )}
        ${row("keys", "Single keys", select(keyChoices, typed.keys), "Keys such as j, k and / act on pages, except in fields.")}
        <div class="form-end"><button class="btn btn-sm btn-primary">${icon("check")}Save</button></div>
      </form>`,
    status: isWrong ? 400 : 200
  })
}

const show: Handler = (request) =>
  Effect.gen(function* () {
    yield* userIn(request)
    const { pageSize, ...kept } = preferencesOf(request)
    return yield* page(request, { ...kept, pageSize: pageSize === 0 ? "" : `${pageSize}` })
  })

const submit: Handler = (request) =>
  Effect.gen(function* () {
    const user = yield* userIn(request)
    const form = yield* readForm(request.incoming)
    const typed = Object.fromEntries(names.map((name) => [name, (form.get(name) ?? "").trim()])) as FormValues
    const read = {
      theme: themeNamed(typed.theme),
      density: densityNamed(typed.density),
      timeZone: zoneNamed(typed.timeZone),
      pageSize: /^\d{0,4}$/.test(typed.pageSize) ? pageSizeIn(Number(typed.pageSize)) : undefined,
      keys: keyChoiceNamed(typed.keys)
    }
    const wrong = names.filter((name) => read[name] === undefined)
    if (wrong.length > 0) {
      return yield* page(request, typed, Object.fromEntries(wrong.map((name) => [name, problems[name]])))
    }
    const preferences = read as Preferences
    yield* keepPreferences(user.id, preferences)
    const options = { path: "/", sameSite: "lax", secure: request.origin.isSecure, maxAge: Duration.days(365) } as const
    // Scripts read it: pages before the login do not know the account.
    const cookie = { name: "theme", value: preferences.theme === "auto" ? undefined : preferences.theme, options }
    return { ...redirect("/user/preferences/?saved=1"), cookies: [cookie] }
  })

export default { path: "/user/preferences/", access: "open", methods: { GET: show, POST: submit } } satisfies Route
