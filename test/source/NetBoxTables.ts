/** The tables of a NetBox, by release: its change log, its users, its webhooks, and those of the fixture's models. */
import {
  type Release,
  changeTableOf,
  idTypeOf,
  isAtLeast,
  modelsOf,
  primaryKeyOf,
  userTableOf
} from "./NetBoxModels.ts"

const deferred = "deferrable initially deferred"

const times = (release: Release): string =>
  `created ${isAtLeast(release, "3.2") ? "timestamptz" : "date"}, last_updated timestamptz`

const customFields = "custom_field_data jsonb not null"

/** The change table, with its indexes. The primary key is its replica identity. */
const changeLog = (release: Release): ReadonlyArray<string> => {
  const table = changeTableOf(release)
  const id = idTypeOf(release)
  // Django checks that an id that it stores in a positive column is none below zero.
  return [
    `create table ${table} (
       ${primaryKeyOf(release)},
       time timestamptz not null,
       user_name varchar(150) not null,
       request_id uuid not null,
       action varchar(50) not null,
       changed_object_id ${id} not null check (changed_object_id >= 0),
       related_object_id ${id} check (related_object_id >= 0),
       object_repr varchar(200) not null,
       ${isAtLeast(release, "4.4") ? "message varchar(200) not null," : ""}
       prechange_data jsonb,
       postchange_data jsonb,
       changed_object_type_id integer not null references django_content_type (id) ${deferred},
       related_object_type_id integer references django_content_type (id) ${deferred},
       user_id integer references ${userTableOf(release)} (id) ${deferred})`,
    `create index on ${table} (time)`,
    `create index on ${table} (user_id)`,
    `create index on ${table} (changed_object_type_id)`,
    `create index on ${table} (related_object_type_id)`,
    ...(isAtLeast(release, "3.5") ? [`create index on ${table} (request_id)`] : []),
    ...(isAtLeast(release, "4.0")
      ? [
          `create index on ${table} (changed_object_type_id, changed_object_id)`,
          `create index on ${table} (related_object_type_id, related_object_id)`
        ]
      : [])
  ]
}

const objects = (release: Release): ReadonlyArray<string> => {
  const models = modelsOf(release)
  return Object.values(models).flatMap(({ table, columns, references, lists, hasTags }) => [
    `create table ${table} (${[
      primaryKeyOf(release),
      times(release),
      ...(hasTags ? [customFields] : []),
      ...Object.entries(columns).map(([name, type]) => `${name} ${type}`),
      ...Object.entries(references).map(
        ([name, { to }]) =>
          `${name}_id ${idTypeOf(release)}${to === undefined ? "" : ` references ${models[to]!.table} (id) ${deferred}`}`
      )
    ].join(", ")})`,
    ...Object.values(lists).map(
      ({ table: through, own, other, to }) =>
        `create table ${through} (${primaryKeyOf(release)},
           ${own} ${idTypeOf(release)} not null references ${table} (id) ${deferred},
           ${other} ${idTypeOf(release)} not null references ${models[to]!.table} (id) ${deferred}, unique (${own}, ${other}))`
    )
  ])
}

const tagged = (release: Release): string =>
  `create table extras_taggeditem (${primaryKeyOf(release)}, object_id ${idTypeOf(release)} not null,
     content_type_id integer not null references django_content_type (id) ${deferred},
     tag_id ${idTypeOf(release)} not null references extras_tag (id) ${deferred})`

/** Columns of a webhook that say what is sent, in all releases. */
const request = `payload_url varchar(500) not null, http_method varchar(30) not null,
  http_content_type varchar(100) not null, additional_headers text not null, body_template text not null,
  secret varchar(255) not null, ssl_verification boolean not null, ca_file_path varchar(4096)`

const kinds = (hasJobs: boolean): string =>
  ["create", "update", "delete", ...(hasJobs ? ["job_start", "job_end"] : [])]
    .map((kind) => `type_${kind} boolean not null`)
    .join(", ")

const webhooks = (release: Release): ReadonlyArray<string> => {
  const through = (table: string, owner: string, other: string) =>
    `create table ${table} (${primaryKeyOf(release)}, ${owner}_id ${idTypeOf(release)} not null,
       ${other} integer not null references django_content_type (id) ${deferred}, unique (${owner}_id, ${other}))`
  if (!isAtLeast(release, "3.7")) {
    return [
      `create table extras_webhook (${primaryKeyOf(release)}, ${times(release)}, name varchar(150) not null unique,
         ${kinds(isAtLeast(release, "3.5"))}, enabled boolean not null, ${request}, conditions jsonb,
         unique (payload_url, type_create, type_update, type_delete))`,
      through("extras_webhook_content_types", "webhook", "contenttype_id")
    ]
  }
  const owned = isAtLeast(release, "4.5") ? ", owner_id bigint" : ""
  return [
    `create table extras_webhook (${primaryKeyOf(release)}, ${times(release)}, ${customFields},
       name varchar(150) not null unique, description varchar(200) not null, ${request}${owned})`,
    `create table extras_eventrule (${primaryKeyOf(release)}, ${times(release)}, ${customFields},
       name varchar(150) not null unique, description varchar(200) not null, enabled boolean not null, conditions jsonb,
       action_type varchar(30) not null, action_object_id bigint check (action_object_id >= 0), action_data jsonb,
       comments text not null, event_types varchar(50)[] not null,
       action_object_type_id integer not null references django_content_type (id) ${deferred}${owned})`,
    through("extras_eventrule_object_types", "eventrule", "objecttype_id")
  ]
}

/** Tables that show the release, as far as the fixture has no use for them. */
const marks: ReadonlyArray<readonly [since: string, table: string]> = [
  ["3.1", "tenancy_contact"],
  ["3.2", "dcim_module"],
  ["3.3", "dcim_cabletermination"],
  ["3.4", "extras_savedfilter"],
  ["3.5", "core_datasource"],
  ["3.6", "extras_bookmark"],
  ["4.2", "dcim_macaddress"],
  ["4.3", "extras_tableconfig"],
  ["4.4", "extras_configcontextprofile"],
  ["4.5", "users_owner"],
  ["4.6", "dcim_cablebundle"]
]

/** Content types that rows name beside those of the models. */
const otherTypes = ["extras.webhook", "extras.script", "extras.eventrule", "extras.notificationgroup", "ipam.prefix"]

/** Statements that make the tables of a release, with its content types and two users. */
export const schemaOf = (release: Release): ReadonlyArray<string> => {
  const types = [...Object.keys(modelsOf(release)), ...otherTypes].map((type) => type.split("."))
  return [
    "create table django_content_type (id serial primary key, app_label varchar(100) not null, model varchar(100) not null, unique (app_label, model))",
    `create table ${userTableOf(release)} (id serial primary key, username varchar(150) not null unique,
       password varchar(128) not null, is_superuser boolean not null, is_active boolean not null, email varchar(254) not null)`,
    ...objects(release),
    tagged(release),
    ...changeLog(release),
    ...webhooks(release),
    ...marks
      .filter(([since]) => isAtLeast(release, since))
      .map(([, table]) => `create table ${table} (${primaryKeyOf(release)})`),
    `insert into django_content_type (app_label, model) values ${types.map(([app, model]) => `('${app}', '${model}')`).join(", ")}`,
    `insert into ${userTableOf(release)} (username, password, is_superuser, is_active, email) values
       ('admin', '!', true, true, ''), ('alice', '!', false, true, '')`
  ]
}
