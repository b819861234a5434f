/** Values that no field takes, in every field of a form: shown beside the field, and the typed text comes back. */
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { formOf } from "../../src/console/form/FormField.ts"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"
import { cellOf } from "../../src/inventory/derive/represent/Flat.ts"
import { type Browser, openBrowser } from "../auth/Browser.ts"
import { type Api, startApiAlone } from "../support/Api.ts"
import { hostile } from "../support/Hostile.ts"

interface Extent {
  readonly types: ReadonlyArray<ObjectType>
  /** The texts that a form is filled in with; the name tells the choices of forms apart. */
  readonly valuesOf: (texts: ReadonlyArray<string>, name: string) => ReadonlyArray<string>
}

/** Declares the tests for the forms of these types. */
export const expectBadFormsRefused = ({ types, valuesOf }: Extent): void => {
  let api: Api
  let browser: Browser
  let token: string

  beforeAll(async () => {
    api = await startApiAlone()
    browser = openBrowser(api.service.url)
    await browser.logIn()
    const form = await (await browser.fetch("/dcim/sites/add/")).text()
    token = /name="csrfmiddlewaretoken" value="([^"]*)"/.exec(form)![1]!
  })
  afterAll(() => api.stop())

  /** The values as people could type them. A text of 70,000 characters in every field is more than a form may have. */
  const typed = [...new Set(hostile.map((value) => cellOf(value).slice(0, 5000).toWellFormed()))].filter(
    (text) => text !== ""
  )

  const pathOf = ({ path }: ObjectType) => path.slice("/api".length)

  const unescaped = (text: string): string =>
    text.replaceAll(
      /&(?:lt|gt|quot|#39|amp);/g,
      (entity) => ({ "&lt;": "<", "&gt;": ">", "&quot;": '"', "&#39;": "'" })[entity] ?? "&"
    )

  describe("a form", () => {
    it.each(types.map((type) => [type.id, type] as const))(
      "of %s tells what is wrong beside the fields, and gives back what was typed",
      async (_, type) => {
        const { fields } = formOf(type, [])
        for (const text of valuesOf(typed, type.id)) {
          const body = new URLSearchParams({ csrfmiddlewaretoken: token })
          for (const { name } of fields) body.set(name, text)
          const reply = await browser.fetch(`${pathOf(type)}add/`, { method: "POST", body })
          const page = await reply.text()
          const shown = `${type.id} ${JSON.stringify(text).slice(0, 60)}`
          const log = reply.status >= 500 ? api.service.output().slice(-2000) : ""
          expect([shown, reply.status, log]).toEqual([shown, expect.toBeOneOf([302, 400]), ""])
          // Some types take it everywhere.
          if (reply.status === 302) continue
          // The focus is on the first wrong field.
          const wrong = [...page.matchAll(/aria-invalid="true"/g)].length
          expect([shown, wrong > 0, [...page.matchAll(/ autofocus/g)].length]).toEqual([shown, true, 1])
          const back = unescaped(page).split(text).length - 1
          const kept = fields.filter(({ control }) => control !== "choice" && control !== "several")
          expect([shown, back >= kept.length]).toEqual([shown, true])
        }
      }
    )
  })
}
