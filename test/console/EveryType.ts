/** An object's life in the console, from the declaration of its type alone, in a real browser. */
import { text as textOf } from "node:stream/consumers"
import type { Page } from "playwright-core"
import { describe, expect, it } from "vitest"
import { fieldTitle } from "../../src/console/value/Title.ts"
import type { ObjectType } from "../../src/inventory/ObjectType.ts"
import { cellOf } from "../../src/inventory/derive/represent/Flat.ts"
import { type Existing, bodiesOf, makeWorld, writeAny } from "../support/AnyObject.ts"
import type { Api } from "../support/Api.ts"
import type { Json } from "../support/Client.ts"
import { at, hasBrowser, type Watched } from "../support/Browser.ts"
import { eventually } from "../support/Eventually.ts"
import { startConsole } from "./Fixture.ts"

/** Declares the tests for these types. */
export const expectLivesInConsole = (types: ReadonlyArray<ObjectType>): void => {
  let api: Api
  let existing: Existing
  /** One page for all types, whose browser keeps the files of the console; a test that fails leaves none. */
  let watched: Watched | undefined

  const { loggedIn } = startConsole(async (started) => {
    api = started
    existing = await makeWorld(api.call, 2)
  })

  const pathOf = ({ path }: ObjectType) => path.slice("/api".length)

  /** The first of the bodies that the API takes for a new object. The object is not there. */
  const bodyOf = async (type: ObjectType, bodies: Iterable<Json>): Promise<Json> => {
    let taken: Json = {}
    const { id } = await writeAny(type, bodies, (body) => {
      taken = { ...body }
      return api.call<Json>("POST", type.path, body)
    })
    await api.call("DELETE", `${type.path}${id}/`)
    return taken
  }

  const objectOf = async (type: ObjectType, id: number) => (await api.call<Json>("GET", `${type.path}${id}/`)).json

  /** The value of a choice, the id of an object, or the value itself. */
  const valueIn = (object: Json, name: string): unknown => {
    const value = object[name]
    return typeof value === "object" && value !== null ? ((value as Json)["value"] ?? (value as Json)["id"]) : value
  }

  /** The field that the test changes, and two values of it, where the type has no plain text. */
  const changedField: Readonly<Record<string, readonly [name: string, values: () => ReadonlyArray<string | number>]>> =
    {
      "tenancy.contactassignment": ["priority", () => ["secondary", "tertiary"]],
      "extras.customlink": ["group_name", () => ["one group", "another group"]],
      "ipam.fhrpgroupassignment": ["priority", () => [1, 2]],
      "ipam.l2vpntermination": ["l2vpn", () => existing("ipam.l2vpn").slice(0, 2)]
    }

  /** The field that the test changes, and its new value. */
  const changeOf = ({ fields, id }: ObjectType, before: Json, text: string): readonly [string, string | number] => {
    const name = ["description", "comments"].find((each) => Object.hasOwn(fields, each))
    if (name !== undefined) return [name, text]
    const [other, values] = changedField[id]!
    return [other, values().find((value) => value !== valueIn(before, other))!]
  }

  const idsIn = (value: unknown): unknown =>
    Array.isArray(value) ? value.map((each) => (typeof each === "object" ? (each as Json)["object_id"] : each)) : value

  const fillField = async (page: Page, name: string, value: unknown): Promise<void> => {
    if (value === null || value === undefined || (await page.locator(`#f-${name}`).count()) === 0) return
    const select = page.locator(`select#f-${name}`)
    const kind = await page.getAttribute(`#f-${name}`, "type")
    if ((await select.count()) > 0) await select.selectOption(String(value))
    else if (kind === "file") await page.setInputFiles(`#f-${name}`, fileOf(String(value)))
    else
      await page.fill(
        `#f-${name}`,
        kind === "date" ? String(value).slice(0, "2026-11-20".length) : cellOf(idsIn(value))
      )
  }

  const fileOf = (url: string) => ({
    name: "pixel.gif",
    mimeType: "image/gif",
    buffer: Buffer.from(url.split(",")[1]!, "base64")
  })

  /** Fills in the form; choices come first, because what a reference may point at depends on some of them. */
  const fillForm = async (page: Page, { fields }: ObjectType, body: Json): Promise<void> => {
    const isChoice = (name: string) => fields[name]?.choices !== undefined || fields[name]?.generic !== undefined
    const names = Object.keys(body).sort((a, b) => Number(isChoice(b)) - Number(isChoice(a)))
    for (const name of names) await fillField(page, name, body[name])
  }

  /** Values that a clone must not share with its original, from another body. */
  const distinctOf = ({ fields, unique }: ObjectType, body: Json): Json => {
    const together = new Set(unique.flatMap((each) => [...each.fields, ...(each.ignoreCase ?? [])]))
    const own = Object.keys(fields).filter((name) => {
      const { initial, choices, unique: isUnique, wire } = fields[name]!
      const isShown = wire === "both" && choices === undefined
      return isShown && (initial === undefined || isUnique || together.has(name))
    })
    const values = own.filter((name) => {
      const { reference, unique: isUnique } = fields[name]!
      return reference === undefined || reference.ends !== undefined || isUnique
    })
    return Object.fromEntries((values.length > 0 ? values : own).map((name) => [name, body[name] ?? ""]))
  }

  /** Sends the form of a new object; returns the id of the object whose page follows. */
  const addInForm = async (page: Page, type: ObjectType, body: Json): Promise<number> => {
    await fillForm(page, type, body)
    const own = page.url()
    const [answer] = await Promise.all([
      // Some forms post what is typed to another address, which checks it.
      page.waitForResponse((response) => response.request().method() === "POST" && response.url() === own),
      page.click(".form-end button:has-text('Add')")
    ])
    const why =
      answer.status() === 302 ? "" : (await page.locator(".alert-bad, .field-error").allTextContents()).join(" ")
    expect([type.id, why, body]).toEqual([type.id, "", body])
    await page.waitForURL(({ pathname }) => /\/\d+\/$/.test(pathname))
    return Number(page.url().split("/").at(-2))
  }

  const refuses = async (page: Page, type: ObjectType): Promise<void> => {
    const needed = Object.values(type.fields).some(({ wire, initial }) => wire === "both" && initial === undefined)
    if (!needed) return
    await page.click(".form-end button:has-text('Add')")
    await page.waitForSelector(".alert-bad")
    // A cable without ends breaks a rule about both.
    if (type.id === "dcim.cable") return expect(await page.locator("[aria-invalid=true]").count()).toBe(0)
    const focused = await page.evaluate<string>("document.activeElement.id")
    const first = await page.locator("[aria-invalid=true] >> nth=0").getAttribute("id")
    expect([type.id, focused]).toEqual([type.id, first])
  }

  /** Changes one field in the form of the object, whose page is open; everything else stays as it is. */
  const change = async (page: Page, type: ObjectType, id: number): Promise<string> => {
    const before = await objectOf(type, id)
    const [name, value] = changeOf(type, before, "changed in a form")
    await page.click(".ph-act >> text=Edit")
    await fillField(page, name, value)
    await page.click(".form-end button:has-text('Save')")
    await page.waitForURL(at(`${pathOf(type)}${id}/`))
    const after = await objectOf(type, id)
    expect([type.id, valueIn(after, name)]).toEqual([type.id, value])
    const same = { [name]: "", display: "", last_updated: "" }
    expect({ ...after, ...same }).toEqual({ ...before, ...same })
    return name
  }

  /** The change log of the object shows which field was changed. */
  const isLogged = async (page: Page, type: ObjectType, id: number, name: string): Promise<void> => {
    const updates = `/api/extras/object-changes/?changed_object_type=${type.id}&changed_object_id=${id}&action=update`
    await eventually("the change is captured", async () => {
      return (await api.call<{ readonly count: number }>("GET", updates)).json.count > 0 || undefined
    })
    await page.goto(`${pathOf(type)}${id}/changelog/`)
    await page.click("main tbody tr:has-text('Updated') th a")
    expect(await page.textContent("main")).toContain(fieldTitle(name))
  }

  /** Finds the object by the quick search of its list, with columns of the reader's choice. */
  const find = async (page: Page, type: ObjectType, id: number): Promise<void> => {
    const [column] = changeOf(type, {}, "")
    await page.goto(pathOf(type))
    const all = await page.locator("#objects tbody tr").count()
    await page.click("main summary:has-text('Columns')")
    while ((await page.locator("[name=column]:checked").count()) > 0)
      await page.uncheck("[name=column]:checked >> nth=0")
    await page.check(`[name=column][value=${column}]`)
    await page.click(".menu-form button:has-text('Apply')")
    await page.waitForURL(`**?columns=${column}`)
    // The change may have replaced the text of the body.
    const word = (await objectOf(type, id))[type.search[0] ?? ""]
    // An input has one line.
    if (typeof word === "string" && word.length > 2 && !/[\r\n]/.test(word)) {
      await page.fill("#quick", word)
      await page.waitForURL(({ searchParams }) => searchParams.get("q") === word)
    } else await page.goto(`${pathOf(type)}?id=${id}`)
    await page.waitForSelector(`#objects th a[href="${pathOf(type)}${id}/"]`)
    const headings = await page.locator("#objects thead th:not(.select)").allTextContents()
    expect([type.id, headings.length, headings[1]?.trim()]).toEqual([type.id, 2, fieldTitle(column)])
    expect(await page.locator("#objects tbody tr").count()).toBeLessThan(all)
  }

  /** Changes a field of both objects at once, and imports the export of both, which changes nothing. */
  const changeTogether = async (page: Page, type: ObjectType, ids: ReadonlyArray<number>): Promise<void> => {
    const [name, value] = changeOf(type, await objectOf(type, ids[0]!), "changed together")
    await page.goto(`${pathOf(type)}?${ids.map((id) => `id=${id}`).join("&")}`)
    await page.check("[data-select-page]")
    await page.click(".bulk-bar button:has-text('Edit')")
    await fillField(page, name, value)
    await page.click(".form-end button:has-text('Preview')")
    await page.click(".form-end button:has-text('Change')")
    await page.click(".ph-act summary:has-text('Export')")
    const after = await Promise.all(ids.map((id) => objectOf(type, id)))
    expect(after.map((object) => valueIn(object, name))).toEqual(ids.map(() => value))
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(".ph-act >> text=CSV with ids")])
    await page.goto(`${pathOf(type)}import/`)
    await page.fill("#f-data", await textOf(await download.createReadStream()))
    await page.click(".import-form button:has-text('Import')")
    await page.waitForURL(({ search }) => search.startsWith(`?created=0&updated=${ids.length}&`))
    const imported = await Promise.all(ids.map((id) => objectOf(type, id)))
    const same = (objects: ReadonlyArray<Json>) => objects.map((each) => ({ ...each, last_updated: "" }))
    expect(same(imported)).toEqual(same(after))
  }

  const remove = async (page: Page, type: ObjectType, id: number): Promise<void> => {
    await page.goto(`${pathOf(type)}${id}/delete/`)
    await page.click(".object-form button:has-text('Delete')")
    await page.waitForURL(at(pathOf(type)))
    expect((await api.call("GET", `${type.path}${id}/`)).status).toBe(404)
  }

  describe.skipIf(!hasBrowser)("an object", () => {
    it.each(types.map((type) => [type.id, type] as const))(
      "of %s is added, changed, cloned, found, changed with another, exported, imported and deleted",
      async (_, type) => {
        const body = await bodyOf(type, bodiesOf(type, existing, 101))
        const { page, problems } = watched ?? (await loggedIn())
        watched = undefined
        await page.goto(`${pathOf(type)}add/`)
        await refuses(page, type)
        const id = await addInForm(page, type, body)
        const others = Array.from(bodiesOf(type, existing, 102), (other) => ({ ...body, ...distinctOf(type, other) }))
        const other = await bodyOf(type, others)
        const field = await change(page, type, id)
        await page.click(".ph-act >> text=Clone")
        const clone = await addInForm(page, type, distinctOf(type, other))
        await isLogged(page, type, id, field)
        await find(page, type, id)
        await changeTogether(page, type, [id, clone])
        await remove(page, type, id)
        await api.call("DELETE", `${type.path}${clone}/`)
        expect(problems).toEqual([])
        watched = { page, problems, close: () => page.close() }
      }
    )
  })
}
