/** One new entry of each kind, with the files that it touches. */

/** Writes a file anew, or changes the text of one. */
export type Edit = string | ((text: string) => string)

export interface NewEntry {
  /** Files of the change, by their paths. */
  readonly files: Readonly<Record<string, Edit>>
  /** How many they may be. */
  readonly price: number
}

/** Puts a text where another one is, which is there once. */
const instead =
  (old: string, text: string): Edit =>
  (whole) => {
    const parts = whole.split(old)
    if (parts.length !== 2) throw new Error(`${parts.length - 1} places have: ${old}`)
    return parts.join(text)
  }

const behind = (anchor: string, added: string): Edit => instead(anchor, anchor + added)

export const entries: Readonly<Record<string, NewEntry>> = {
  "a webhook field": {
    price: 3,
    files: {
      "src/inventory/types/extras/Webhook.ts": behind(
        "  fields: {\n",
        `    label: text({
          max: 50,
          optional: true,
          grammar: (value) => (value === "none" ? "A label says something." : undefined),
          help: "Sent as X-Label."
        }),\n`
      ),
      "src/webhook/Request.ts": instead(
        "Result.succeed({ method, url, headers, body })",
        `Result.succeed({ method, url, headers: { ...headers, "x-label": row.label }, body })`
      ),
      "docs/webhooks.md": behind(
        "# Writing webhooks\n",
        "\n**Label.** A webhook with a `label` sends it as `X-Label`.\n"
      )
    }
  },
  "an operator": {
    price: 1,
    files: {
      "src/match/Operator.ts": behind(
        "export const operators: Readonly<Record<string, Operator>> = {\n",
        `  begins: {
          wish: ["a text that begins with", "no text that begins with"],
          holdsIf: "is a text that begins with the value",
          accepts: ["string"],
          compile: (value) => (actual) => (typeof actual === "string" ? actual.startsWith(String(value)) : undefined)
        },\n`
      )
    }
  },
  "a page": {
    price: 1,
    files: {
      "src/console/beacon/Beacon.ts": `
        import { Effect } from "effect"
        import type { Route } from "../../http/Route.ts"

        const show = () => Effect.succeed({ status: 200, text: { type: "text/plain", content: "a page" } })

        export default { path: "/beacon/", access: "open", methods: { GET: show } } satisfies Route
      `
    }
  },
  "a route": {
    price: 1,
    files: {
      "src/http/beacon/Brightness.ts": `
        import { Effect } from "effect"
        import { endpoint } from "../declare/Endpoint.ts"
        import { described, integer, record } from "../declare/Parts.ts"
        import type { Route } from "../Route.ts"

        const brightness = record({ lumens: described(integer, "Of all beacons.") })

        const show = endpoint({ summary: "How bright it is", reply: brightness }, () =>
          Effect.succeed({ status: 200, json: { lumens: 7 } })
        )

        export default { path: "/api/dcim/brightness/", access: "open", methods: { GET: show } } satisfies Route
      `
    }
  },
  "an object type": {
    price: 1,
    files: {
      "src/inventory/types/dcim/Beacon.ts": `
        import { defineObjectType, text } from "../../ObjectType.ts"

        export default defineObjectType({
          ...{ app: "dcim", name: "beacon", plural: "beacons", search: ["name"], ordering: ["name"], brief: ["name"] },
          fields: { name: text({ max: 50, unique: true }) }
        })
      `
    }
  },
  "a metric": {
    price: 1,
    files: {
      "src/http/MeasuredRequest.ts": (text) =>
        `${text}
        counter({ name: "rackwire_beacons_total", help: "Beacons seen.", symptom: "api" }).record(7)\n`
    }
  },
  "an option": {
    price: 1,
    files: {
      "src/Config.ts": behind(
        "export const options = {\n",
        `  beacons: setting("BEACONS", kind.integer(1, 9), 3, "Beacons that are lit."),\n`
      )
    }
  },
  "a command": {
    price: 1,
    files: {
      "src/command/Beacons.ts": `
        import { Console, Effect } from "effect"
        import { Command } from "effect/cli"
        import { Settings } from "../Config.ts"
        import { entry } from "./service/Entry.ts"

        export default Command.make("beacons", {}, () =>
          Effect.flatMap(Settings, (settings) => Console.log(JSON.stringify({ lit: Reflect.get(settings, "beacons") })))
            .pipe(Effect.provide(Settings.layer))
        ).pipe(Command.withDescription("Light beacons."), entry({ beacons: "Lights the beacons." }))
      `
    }
  }
}
