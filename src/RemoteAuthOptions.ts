/** The options of sign-in by a proxy's header, by NetBox's names: environment name, type, default, description. */
import * as kind from "./Setting.ts"
import { optional, setting } from "./Setting.ts"

export const remoteAuthOptions = {
  remoteAuthEnabled: setting(
    "REMOTE_AUTH_ENABLED",
    kind.yesOrNo,
    false,
    "Whether a proxy of `TRUSTED_PROXIES` names the user in a header. The proxy must replace that header in every request, or a client can choose any user ([sign-in](signin.md))."
  ),
  remoteAuthHeader: setting(
    "REMOTE_AUTH_HEADER",
    kind.text,
    "HTTP_REMOTE_USER",
    "Header with the user name: `X-Remote-User`, or as WSGI spells it, `HTTP_X_REMOTE_USER`."
  ),
  remoteAuthCreateUsers: setting(
    "REMOTE_AUTH_AUTO_CREATE_USER",
    kind.yesOrNo,
    false,
    "Whether unknown users that the header names are created, without a password. They are refused otherwise."
  ),
  remoteAuthGroupSync: setting(
    "REMOTE_AUTH_GROUP_SYNC_ENABLED",
    kind.yesOrNo,
    false,
    "Whether the groups of the user follow a header. Memberships that were given by hand stay."
  ),
  remoteAuthGroupHeader: setting(
    "REMOTE_AUTH_GROUP_HEADER",
    kind.text,
    "HTTP_REMOTE_USER_GROUP",
    "Header with the names of the groups. Without it the user has none."
  ),
  remoteAuthGroupSeparator: setting(
    "REMOTE_AUTH_GROUP_SEPARATOR",
    kind.text,
    "|",
    "Text between two names of that header. A name cannot contain it."
  ),
  remoteAuthCreateGroups: setting(
    "REMOTE_AUTH_AUTO_CREATE_GROUPS",
    kind.yesOrNo,
    false,
    "Whether missing groups of that header are created. They are ignored otherwise."
  ),
  remoteAuthGroupReplace: setting(
    "REMOTE_AUTH_GROUP_SYNC_REPLACE",
    kind.yesOrNo,
    false,
    "Whether memberships and roles that were given by hand end too, if the header does not name them, as in NetBox."
  ),
  remoteAuthSuperuserGroups: setting(
    "REMOTE_AUTH_SUPERUSER_GROUPS",
    kind.list,
    [],
    "Groups of the header whose users are superusers, comma-separated. A user who left them is none any more. Requires `REMOTE_AUTH_GROUP_SYNC_ENABLED`, as do the next three.",
    ""
  ),
  remoteAuthSuperusers: setting("REMOTE_AUTH_SUPERUSERS", kind.list, [], "Names of users who are superusers.", ""),
  remoteAuthStaffGroups: setting("REMOTE_AUTH_STAFF_GROUPS", kind.list, [], "The same for staff.", ""),
  remoteAuthStaff: setting("REMOTE_AUTH_STAFF_USERS", kind.list, [], "Names of users who are staff.", ""),
  remoteAuthDefaultGroups: setting(
    "REMOTE_AUTH_DEFAULT_GROUPS",
    kind.list,
    [],
    "Groups that a user gets when it is created, comma-separated. Without effect if groups follow a header, as in NetBox; so is the next option.",
    ""
  ),
  remoteAuthDefaultPermissions: optional(
    "REMOTE_AUTH_DEFAULT_PERMISSIONS",
    kind.jsonObject,
    'Object permissions that a user gets when it is created, as JSON: `{"dcim.view_site": {"status": "active"}}`; null for all objects.',
    "none"
  )
} as const
