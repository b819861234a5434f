/** `/help/builders/<name>/`: the words of a builder for other object types; POST says where a text is no JSON. */
import { Effect } from "effect"
import { notFound } from "../../http/HttpRefused.ts"
import type { Handler, Route } from "../../http/Route.ts"
import { readForm } from "../../http/wire/Body.ts"
import { jsonInWords } from "../fault/InWords.ts"
import { builders, typesIn } from "./Builder.ts"

const show: Handler = ({ params, url: { searchParams: query } }) =>
  Effect.gen(function* () {
    const built = builders.get(params["name"] ?? "")
    if (built === undefined) return yield* notFound()
    return {
      status: 200,
      json: yield* built.words(typesIn(query.get("types") ?? ""), (query.get("source") ?? "") !== "")
    }
  })

const check: Handler = (request) =>
  Effect.map(readForm(request.incoming), (form) => ({
    status: 200,
    json: { fault: jsonInWords(form.get("text") ?? "") ?? "" }
  }))

export default {
  path: "/help/builders/:name/",
  access: "open",
  methods: { GET: show, POST: check }
} satisfies Route
