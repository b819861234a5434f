/** Routes declare their requests and answers in the files that have them. */
import { Effect, type Schema } from "effect"
import { describe, expect, it } from "vitest"
import { routeFiles } from "../../src/http/declare/Discovered.ts"
import { endpoint } from "../../src/http/declare/Endpoint.ts"
import { brief, described, listOf, objectOf, orNull, partWith, record, string } from "../../src/http/declare/Parts.ts"
import { openApi } from "../../src/http/describe/OpenApi.ts"
import { describedOperation } from "../../src/http/describe/Operation.ts"
import { plainOf } from "../../src/http/describe/Schema.ts"
import { type Handler, makeRouter, methodsOf } from "../../src/http/Route.ts"
import type { Request } from "../../src/http/wire/Request.ts"
import { objectType, registry } from "../../src/inventory/Registry.ts"
import { routes } from "../../src/Service.ts"

const tag = objectType("extras.tag")

describe("a route of the API", () => {
  it("costs one file: it is found, answers and is described", async () => {
    const files = await routeFiles(new URL("./routes/", import.meta.url))
    const found = files.flatMap((file) => file.default ?? [])
    expect(found.map(({ path }) => path)).toEqual(["/api/extras/greetings/:name/"])
    const { route, params } = makeRouter([...routes, ...found])("/api/extras/greetings/Ada/")!
    const answered = await Effect.runPromise(
      (route.methods.GET as Handler)({ params } as Request) as Effect.Effect<unknown>
    )
    expect(answered).toEqual({ status: 200, json: { text: "Hello, Ada" } })
    const document = openApi([{ ...plainOf(route), access: route.access }], "http://localhost") as {
      readonly paths: Readonly<Record<string, unknown>>
    }
    expect(document.paths["/api/extras/greetings/{name}/"]).toMatchObject({
      get: {
        operationId: "extras_greetings_name_get",
        summary: "A greeting",
        parameters: expect.arrayContaining([
          { name: "times", in: "query", schema: { type: "integer" }, description: "How often." },
          { name: "slug", in: "query", schema: { type: "array", items: { type: "string" } } }
        ]),
        responses: {
          200: {
            content: {
              "application/json": {
                schema: {
                  type: "object",
                  properties: {
                    text: { type: "string" },
                    times: { type: "integer", description: "How often it was said." }
                  },
                  required: ["text"]
                }
              }
            }
          }
        }
      }
    })
  })

  it("declares each of its methods, unless the declaration of an object type does", () => {
    const derived = new Set([...registry.values()].flatMap(({ path }) => [path, `${path}:id/`]))
    const undeclared = routes
      .filter(({ path }) => path.startsWith("/api/") && !derived.has(path))
      .flatMap(({ path, methods }) =>
        methodsOf(methods).flatMap((method) => (methods[method]?.declared === undefined ? [`${method} ${path}`] : []))
      )
    expect(undeclared).toEqual([])
  })

  it("is not compiled if it answers otherwise than it declares", () => {
    const reply = record({ text: string })
    type Answering<Json> = () => Effect.Effect<{ readonly status: number; readonly json: Json }>
    type Takes<Json> = Answering<Json> extends Parameters<typeof endpoint<typeof reply>>[1] ? true : false
    const taken: readonly [Takes<{ text: string }>, Takes<{ text: number }>, Takes<{ words: string }>] = [
      true,
      false,
      false
    ]
    const handler: Answering<{ text: string }> = () => Effect.succeed({ status: 200, json: { text: "" } })
    expect([taken, endpoint({ summary: "", reply }, handler).declared]).toEqual([
      [true, false, false],
      { summary: "", reply }
    ])
  })
})

describe("a declared schema", () => {
  const replyOf = (reply: Schema.Constraint) => {
    const { operation, schemas } = describedOperation({ summary: "", reply })
    const responses = operation["responses"] as Readonly<Record<string, { readonly content: unknown }>>
    return { content: responses["200"]!.content, schemas }
  }
  const json = (schema: unknown) => ({ "application/json": { schema } })

  it("refers to the schemas of object types", () => {
    const { content } = replyOf(record({ tag: orNull(described(objectOf(tag), "One.")), others: listOf(brief) }))
    expect(content).toEqual(
      json({
        type: "object",
        properties: {
          tag: {
            anyOf: [{ $ref: "#/components/schemas/ExtrasTag", description: "One." }, { type: "null" }]
          },
          others: { type: "array", items: { $ref: "#/components/schemas/Brief" } }
        },
        required: ["tag", "others"]
      })
    )
  })

  it("adds properties to the schema of an object type", () => {
    expect(replyOf(partWith(tag, record({ text: string }))).content).toEqual(
      json({
        allOf: [
          { $ref: "#/components/schemas/PatchedExtrasTagRequest" },
          { type: "object", properties: { text: { type: "string" } }, required: ["text"], additionalProperties: true }
        ]
      })
    )
  })

  it("is named in the document if it has an identifier", () => {
    const { content, schemas } = replyOf(listOf(record({ text: string }).annotate({ identifier: "Greeting" })))
    expect(content).toEqual(json({ type: "array", items: { $ref: "#/components/schemas/Greeting" } }))
    expect(schemas).toEqual({
      Greeting: { type: "object", properties: { text: { type: "string" } }, required: ["text"] }
    })
  })
})
