/** A person at the console who counts: clicks, and forms that are filled in and sent. Keys cost nothing. */
import type { Locator, Page } from "playwright-core"
import { expect } from "vitest"

export interface Person {
  /** Clicks, and waits for the page that the click leads to. */
  readonly click: (target: Locator | string) => Promise<void>
  /** Clicks into a field, and types in place of its text. */
  readonly type: (label: string, text: string) => Promise<void>
  /** Clicks into a picker, types, and takes the object that is found with the keys. */
  readonly pick: (label: string, text: string, option?: string) => Promise<void>
  /** Clicks into a picker, types, and adds what is missing with a click. */
  readonly addInPicker: (label: string, text: string) => Promise<void>
  /** Chooses an entry of a list with one click. */
  readonly choose: (label: string, option: string) => Promise<void>
  /** Sends a form that was filled in. */
  readonly send: (button: Locator | string) => Promise<void>
  readonly stays: (clicksMax: number, formsMax?: number) => void
}

export const personAt = (page: Page): Person => {
  let clicks = 0
  let forms = 0
  const located = (target: Locator | string): Locator =>
    typeof target === "string" ? page.locator("main, header, nav").getByText(target, { exact: true }).first() : target
  const click = async (target: Locator | string): Promise<void> => {
    clicks += 1
    await located(target).click()
    await page.waitForLoadState("domcontentloaded")
  }
  const field = (label: string): Locator =>
    page.locator("main").getByLabel(label, { exact: true }).and(page.locator("input, textarea, select")).first()
  const into = async (label: string, text: string): Promise<void> => {
    const input = field(label)
    await click(input)
    // The parts of a date are typed in the order of the browser's language.
    if ((await input.getAttribute("type")) === "date") return input.fill(text)
    await page.keyboard.press("ControlOrMeta+a")
    await page.keyboard.type(text)
  }
  const option = (name: string): Locator =>
    page.locator("[role=listbox]:visible [role=option]:not(.picker-add)").filter({ hasText: name }).first()
  return {
    click,
    type: into,
    pick: async (label, text, name = text) => {
      await into(label, text)
      await option(name).waitFor()
      await page.locator("[data-searching]").waitFor({ state: "detached" })
      const all = page.locator("[role=listbox]:visible [role=option]")
      const texts = await all.allInnerTexts()
      for (let at = texts.findIndex((each) => each.includes(name)); at >= 0; at--)
        await page.keyboard.press("ArrowDown")
      await page.keyboard.press("Enter")
    },
    addInPicker: async (label, text) => {
      await into(label, text)
      await click(page.getByRole("option", { name: /at once$/ }))
      await page.locator("[role=listbox]:visible").waitFor({ state: "hidden" })
    },
    choose: async (label, name) => {
      clicks += 1
      await field(label).selectOption({ label: name })
    },
    send: async (button) => {
      forms += 1
      await click(button)
    },
    stays: (clicksMax, formsMax = clicksMax) => {
      expect({ clicks, isWithin: clicks <= clicksMax }).toEqual({ clicks, isWithin: true })
      expect({ forms, isWithin: forms <= formsMax }).toEqual({ forms, isWithin: true })
    }
  }
}
