/** The purpose of sources, and the command that makes one: for a list without any. */
import { html } from "../Html.ts"

export const attachIntroduction = html`<p>
    A source is a NetBox that stays where it is: Rackwire reads its change table, and sends each change to the webhooks
    of the source.
  </p>
  <p>
    <code>npx rackwire attach postgresql://rackwire:secret@host/netbox</code> checks what the database needs, and says
    how to fix what is missing. Then it creates the publication, the slot and the source.
  </p>`
