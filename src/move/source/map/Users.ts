import { type Mapping, column } from "../Mapping.ts"

const users: ReadonlyArray<Mapping> = [
  { type: "users.group", tables: ["auth_group"] },
  {
    type: "users.user",
    tables: ["auth_user"],
    fields: {
      // The API shows no passwords: Django's `!` says that a new user has none.
      password: [column("password", "verbatim"), { needs: [], sql: "'!'", kind: "initial" }],
      is_superuser: [column("is_superuser")],
      date_joined: [column("date_joined")]
    },
    dropped: ["last_login"],
    homeless: {
      // Django's `!` says that the user has no password.
      hash: {
        needs: ["password"],
        sql: "case when t.password !~ '^(pbkdf2_sha256\\$|pbkdf2_sha1\\$|argon2\\$argon2|!)' then 'no login accepts its format: set a new one' end"
      }
    }
  },
  {
    type: "users.objectpermission",
    fields: {
      users: [
        {
          needs: ["users_user_object_permissions.*"],
          sql: "array(select m.user_id from users_user_object_permissions m where m.objectpermission_id = t.id order by 1)",
          kind: "ids"
        }
      ],
      groups: [
        {
          needs: ["users_group_object_permissions.*"],
          sql: "array(select m.group_id from users_group_object_permissions m where m.objectpermission_id = t.id order by 1)",
          kind: "ids"
        }
      ]
    }
  },
  { type: "users.token", fields: { created: [column("created")], last_used: [column("last_used")] } }
]

export default users
