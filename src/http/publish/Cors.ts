/**
 * Requests to the API by scripts of other sites (CORS), from origins that the options name. Tokens only: an answer to a
 * request without one has no CORS headers, and none ever lets a browser send cookies. So a script learns no more than its
 * token shows, and nothing of a reader's session, network or exempt object types.
 */
import type { Settings } from "../../Config.ts"
import { type Pattern, patternOf } from "../../pattern/Pattern.ts"
import { PatternError } from "../../pattern/PatternError.ts"

type Options = Pick<Settings["Service"], "corsOrigins" | "corsPatterns" | "corsAll">

/** The parts of a request that decide. */
interface CorsRequest {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string | undefined>>
}

type Headers = Readonly<Record<string, string>>

export interface Cors {
  /** The headers of the answer to a preflight; undefined for other requests, and where the origin is not allowed. */
  readonly preflight: (request: CorsRequest) => Headers | undefined
  /** The headers that the answer has in addition. */
  readonly headers: (request: CorsRequest) => Headers
}

/** Longest origin that patterns are matched with, characters. */
const originCharsMax = 300

/** Returns the fault of the options, or undefined. */
export const corsProblem = ({
  corsOrigins,
  corsPatterns
}: Pick<Options, "corsOrigins" | "corsPatterns">): string | undefined => {
  const wrong = corsOrigins.find((text) => !URL.canParse(text) || new URL(text).origin !== text)
  if (wrong !== undefined) {
    return `CORS_ORIGIN_WHITELIST: ${wrong} is no origin; expected for example https://portal.example.org, without a path`
  }
  const bad = corsPatterns.find((text) => faultOf(text) !== undefined)
  return bad === undefined ? undefined : `CORS_ORIGIN_REGEX_WHITELIST: ${bad}: ${faultOf(bad)}`
}

const wholeOrigin = (text: string): Pattern => patternOf(`^(?:${text})$`)

const faultOf = (text: string): string | undefined => {
  try {
    wholeOrigin(text)
    return undefined
  } catch (error) {
    if (error instanceof PatternError) return error.message
    throw error
  }
}

/** Undefined where the options name no origin. */
export const corsOf = ({ corsOrigins, corsPatterns, corsAll }: Options): Cors | undefined => {
  if (!corsAll && corsOrigins.length + corsPatterns.length === 0) return undefined
  const patterns = corsPatterns.map(wholeOrigin)
  const isAllowed = (origin: string): boolean =>
    corsAll ||
    corsOrigins.includes(origin) ||
    (origin.length <= originCharsMax && patterns.some((pattern) => pattern.isIn(origin)))
  const allowed = ({ url, headers: { origin } }: CorsRequest): Headers | undefined =>
    origin !== undefined && url.startsWith("/api/") && isAllowed(origin)
      ? { "access-control-allow-origin": corsAll ? "*" : origin }
      : undefined
  return {
    preflight: (request) => {
      const wanted = request.headers["access-control-request-headers"]?.toLowerCase().split(/\s*,\s*/)
      if (request.method !== "OPTIONS" || wanted?.includes("authorization") !== true) return undefined
      const origin = allowed(request)
      return origin && { ...origin, ...preflightHeaders }
    },
    headers: (request) => {
      const origin = request.headers["authorization"] === undefined ? undefined : allowed(request)
      return origin === undefined ? varied : { ...origin, ...exposed, ...varied }
    }
  }
}

const preflightHeaders = {
  "access-control-allow-methods": "GET, POST, PUT, PATCH, DELETE, OPTIONS",
  "access-control-allow-headers": "accept, authorization, content-type, if-match, traceparent",
  "access-control-max-age": "86400"
}

const exposed = {
  "access-control-expose-headers": "api-version, content-disposition, etag, location, retry-after, x-request-id"
}

/** Answers differ by origin, which caches between have to respect. */
const varied = { vary: "Accept, Authorization, Cookie, Origin" }
