/**
 * template: text with holes, filled from an event.
 *
 * First form: nunjucks, with the properties of values reachable only where they are their own.
 */
import { Context, Effect, Layer, Schema } from "effect"
import nunjucks from "nunjucks"

export class TemplateError extends Schema.TaggedError<TemplateError>()("TemplateError", {
  message: Schema.String
}) {}

export class Templates extends Context.Service<
  Templates,
  {
    readonly check: (source: string) => TemplateError | undefined
    readonly render: (
      sources: ReadonlyArray<string>,
      context: string
    ) => Effect.Effect<ReadonlyArray<string>, TemplateError>
  }
>()("rackwire/template/Templates") {
  static readonly layer = Layer.sync(Templates, () => {
    const environment = new nunjucks.Environment(null, { autoescape: false })
    const failed = (error: unknown) => new TemplateError({ message: (error as Error).message })
    return Templates.of({
      check: (source) => {
        try {
          nunjucks.compile(source, environment).render({})
          return undefined
        } catch (error) {
          return failed(error)
        }
      },
      render: (sources, context) =>
        Effect.try({
          try: () => {
            const values = JSON.parse(context) as object
            return sources.map((source) => environment.renderString(source, values))
          },
          catch: failed
        })
    })
  })
}
