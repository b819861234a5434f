import {
  broken,
  choice,
  decimal,
  defineObjectType,
  flag,
  flagged,
  headers,
  integer,
  json,
  kept,
  receiverAddress,
  ref,
  sealed,
  text,
  texts,
  time
} from "../../ObjectType.ts"
import { conditionWarnings } from "../../derive/represent/ConditionWarnings.ts"
import { certificateErrors, oauthErrors, sentToBoth, sentToReceiver } from "./WebhookCredentials.ts"
import { batchProblem } from "./WebhookBatch.ts"

/** Nothing was sent for a week, though it could have been. */
const silent = flagged(`t.enabled and not t.paused and not exists (
  select from rackwire_traffic f where f.webhook_id = t.id and f.since > now() - interval '7 days')`)

export default defineObjectType({
  app: "extras",
  name: "webhook",
  plural: "webhooks",
  menu: "Logging",
  groups: {
    "Object types and events": [
      ...["source", "content_types", "type_create", "type_update", "type_delete", "conditions", "scope_user"]
    ],
    Request: ["payload_url", "http_method", "http_content_type", "additional_headers"],
    Body: ["template_engine", "body_template"],
    Signature: ["secret", "previous_secret", "previous_secret_expires", "signature"],
    TLS: ["ssl_verification", "ca_file_path", "ca_certificate", "client_certificate", "client_key"],
    "OAuth 2.0": ["oauth_token_url", "oauth_client_id", "oauth_client_secret", "oauth_client_auth", "oauth_scope"],
    Deliveries: [
      "paused",
      "timeout",
      "max_in_flight",
      "rate_limit",
      "ordering",
      "batch",
      "retry_schedule",
      "max_failed"
    ]
  },
  announced: true,
  // Each fires for every change that its user may view. Users who may leave the scope out are trusted.
  quota: {
    field: "scope_user",
    max: ({ webhooksPerUser }) => webhooksPerUser,
    message: (max) =>
      `At most ${max} webhooks may have the same user (WEBHOOKS_PER_USER). Delete those that are no longer used.`
  },
  fields: {
    source: ref("extras.source", {
      optional: true,
      onDelete: "protect",
      help: "The NetBox whose changes are sent. Blank sends those of the inventory."
    }),
    content_types: texts({
      grammar: "webhookTypes",
      readBy: "source",
      help: "The object types whose changes are sent."
    }),
    name: text({ max: 150, unique: true }),
    description: text({ max: 200, optional: true }),
    type_create: flag({ default: false }),
    type_update: flag({ default: false }),
    type_delete: flag({ default: false }),
    payload_url: receiverAddress({
      max: 500,
      secretsIn: "secret_url",
      sentTo: sentToReceiver,
      grammar: "url",
      readBy: "template_engine",
      placeholder: "https://example.com/hook",
      help: "User information, as in https://user:password@example.com/, becomes Basic authorization and is kept secret."
    }),
    secret_url: kept(),
    enabled: flag({ default: true }),
    http_method: choice(
      { GET: "GET", POST: "POST", PUT: "PUT", PATCH: "PATCH", DELETE: "DELETE" },
      { default: "POST", bare: true }
    ),
    http_content_type: text({
      max: 100,
      default: "application/json",
      pattern: /^[\t\x20-\x7e]*$/,
      refusal: "Only printable characters of ASCII are allowed in a content type."
    }),
    template_engine: text({
      max: 50,
      default: "jinja",
      grammar: "engine",
      help: "The language of the templates: jinja, liquid or nunjucks, or that of another plugin."
    }),
    additional_headers: headers({
      secretsIn: "secret_headers",
      sentTo: sentToReceiver,
      grammar: "headers",
      readBy: "template_engine"
    }),
    secret_headers: kept(),
    body_template: text({
      optional: true,
      verbatim: true,
      grammar: "template",
      readBy: "template_engine",
      help: "Blank sends the event as JSON."
    }),
    secret: sealed({ max: 255, grammar: "secret" }),
    previous_secret: sealed({ max: 255, grammar: "secret" }),
    previous_secret_expires: time(),
    signature: choice({ netbox: "NetBox", standard: "Standard Webhooks" }, { default: "netbox", bare: true }),
    conditions: json({ grammar: "condition", help: "It fires only where they are true. Blank fires always." }),
    ssl_verification: flag({ default: true }),
    ca_file_path: text({ max: 4096, nullable: true, grammar: "caFile" }),
    ca_certificate: text({ max: 65_536, optional: true, verbatim: true, grammar: "caCertificate" }),
    client_certificate: text({
      max: 32_768,
      optional: true,
      verbatim: true,
      grammar: "clientCertificate",
      help: "Shown to receivers that request one: PEM, with the certificates that lead to its CA behind it."
    }),
    client_key: sealed({
      max: 8192,
      grammar: "clientKey",
      readBy: "client_certificate",
      help: "The private key of the client certificate: PEM, without a passphrase."
    }),
    oauth_token_url: text({
      max: 500,
      optional: true,
      grammar: "tokenUrl",
      placeholder: "https://login.example.com/oauth2/token",
      help: "Requests carry a token from here (client credentials). It is reached as the receiver is: same proxy, same TLS."
    }),
    oauth_client_id: text({ max: 255, optional: true }),
    oauth_client_secret: sealed({ max: 1024, sentTo: sentToBoth }),
    oauth_client_auth: choice(
      { basic: "Header", body: "Body" },
      { default: "basic", bare: true, help: "Where the token endpoint wants the client's id and secret." }
    ),
    oauth_scope: text({ max: 1000, optional: true, help: "Separated by spaces. Blank requests none." }),
    timeout: integer({ min: 1, max: 3600, optional: true, help: "Seconds. Blank takes the default of the service." }),
    max_in_flight: integer({ min: 1, max: 1000, optional: true, help: "Most requests at the same time." }),
    rate_limit: decimal({ digits: 8, places: 3, min: 0.001, optional: true, help: "Most requests per second." }),
    ordering: choice(
      { none: "None", object: "Object" },
      { default: "none", bare: true, help: "Object: deliveries about one object are sent in their order." }
    ),
    batch: json({
      grammar: batchProblem,
      help: 'Sends several events in one request: {"size": 100, "seconds": 5} sends up to 100 events of 5 seconds. "latest": true sends only the newest event of each object. Blank sends each event by itself.'
    }),
    retry_schedule: json({
      grammar: "retry",
      help: 'When it tries again, such as {"kind": "fixed", "delay": 60, "attempts": 5}. Blank takes the default of the service.'
    }),
    // Not set null: it would fire for everything then.
    scope_user: ref("users.user", {
      optional: true,
      onDelete: "protect",
      help: "It fires only for what this user may view. Blank fires for everything."
    }),
    paused: flag({ default: false, help: "Deliveries wait until it is resumed." }),
    disabled_note: text({ optional: true, wire: "read" }),
    max_failed: integer({
      min: 0,
      max: 10_000,
      optional: true,
      help: "It counts as failing while more deliveries than this have failed for good. Blank takes any number."
    }),
    health: choice(
      { healthy: "Healthy", failing: "Failing", stopped: "Stopped" },
      {
        default: "healthy",
        bare: true,
        wire: "read",
        help: "Failing: most attempts fail, or more than max_failed deliveries have. Stopped: it is disabled. A pause keeps it unchanged."
      }
    ),
    health_since: time({ wire: "read" })
  },
  functions: [
    // A disabled webhook is stopped, also if plain SQL disabled it; the note about it goes when it is enabled again. A turn of the health alone leaves last_updated, and so the ETag:
    // it must not refuse the edit of a user who opened the webhook before, and it defines nothing anew.
    `create or replace function rackwire_turn_health() returns trigger language plpgsql as $$
     begin
       if new.enabled = (new.health = 'stopped') then
         new.health := case when new.enabled then 'healthy' else 'stopped' end;
       end if;
       if new.enabled then
         new.disabled_note := '';
       end if;
       if tg_op = 'UPDATE' and new.health <> old.health then
         new.health_since := now();
         if to_jsonb(new) - '{health,health_since,last_updated}'::text[]
            = to_jsonb(old) - '{health,health_since,last_updated}'::text[] then
           new.last_updated := old.last_updated;
         end if;
       end if;
       return new;
     end $$`
  ],
  triggers: [
    {
      // Triggers fire in the order of their names: this one after extras_webhook_touch.
      name: "extras_webhook_turn",
      sql: "before insert or update on extras_webhook for each row execute function rackwire_turn_health()"
    }
  ],
  derived: {
    warnings: {
      shape: { kind: "texts" },
      of: (row, view) => (row.source === null ? conditionWarnings(row.content_types, row.conditions, view) : [])
    }
  },
  leftOut: ["type_job_start", "type_job_end"],
  asked: { silent },
  search: ["name", "payload_url"],
  ordering: ["name"],
  brief: ["name"],
  display: (row) => String(row.name),
  *check(row, _, before) {
    if (row.type_create !== true && row.type_update !== true && row.type_delete !== true) {
      const message = "At least one type must be selected: create, update, and/or delete."
      yield broken(["type_create", "type_update", "type_delete"], { __all__: [message] })
    }
    if (row.ssl_verification === false && row.ca_file_path) {
      const message = "Do not specify a CA certificate file if SSL verification is disabled."
      yield broken(["ssl_verification", "ca_file_path"], { ca_file_path: [message] })
    }
    if (row.ssl_verification === false && row.ca_certificate) {
      const message = "Do not specify a CA certificate if SSL verification is disabled."
      yield broken(["ssl_verification", "ca_certificate"], { ca_certificate: [message] })
    }
    const errors = { ...certificateErrors(row, before), ...oauthErrors(row, before) }
    const credentials = ["oauth_token_url", "oauth_client_id", "oauth_client_secret", "oauth_scope"]
    if (Object.keys(errors).length > 0) yield broken(["client_certificate", "client_key", ...credentials], errors)
  }
})
