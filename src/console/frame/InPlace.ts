/**
 * Attributes by which links and forms change a page in place (htmx): they load the next page and take its main part.
 * Without scripts they load it whole.
 */
import { html } from "../Html.ts"

/** For what is around the links and forms of a list. The newest request counts. */
export const linksInPlace = html`hx-boost:inherited="true" hx-target:inherited="#main" hx-select:inherited="#main"
hx-swap:inherited="outerHTML show:none" hx-sync:inherited="#main:replace"`

/** For what lies within it and leads to other pages. */
export const linksLeave = html`hx-boost:inherited="false"`

/** For a form within it that leads to other pages, though links in the form do not. */
export const formLeaves = html`hx-boost="false"`

/** For a form. A second click, before the first is answered, sends nothing. */
export const formInPlace = html`hx-boost="true" hx-target="#main" hx-select="#main" hx-swap="outerHTML show:top"
hx-sync="this:drop"`

/** Headers of a page without that main part: it takes the place of the whole page. */
export const wholePage = { "hx-retarget": "body", "hx-reselect": "body", "hx-reswap": "outerHTML" }
