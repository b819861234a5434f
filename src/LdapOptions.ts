/** The options of sign-in by an LDAP directory: environment name, type, default, description. */
import { Duration } from "effect"
import * as kind from "./Setting.ts"
import { optional, setting } from "./Setting.ts"

export const ldapOptions = {
  ldapUrl: setting(
    "LDAP_URL",
    kind.list,
    [],
    "Servers of an LDAP directory, comma-separated: `ldaps://dc1.example.org,ldaps://dc2.example.org`. Users then log in with their password of the directory ([signing in](signin.md#by-an-ldap-directory)). The first server that answers counts.",
    ""
  ),
  ldapStartTls: setting(
    "LDAP_START_TLS",
    kind.yesOrNo,
    false,
    "Whether a connection to `ldap://` is encrypted by StartTLS before anything else is sent. Without it `ldap://` is accepted for this machine only."
  ),
  ldapCa: optional(
    "LDAP_CA",
    kind.secret,
    "Certificates of the authorities that may sign the servers' certificates, as PEM; `LDAP_CA_FILE` for their file.",
    "those that Node trusts"
  ),
  ldapTimeout: setting(
    "LDAP_TIMEOUT",
    kind.duration,
    Duration.seconds(5),
    "Time limit for one server and one sign-in, connecting included.",
    "5 seconds"
  ),
  ldapBindDn: optional(
    "LDAP_BIND_DN",
    kind.text,
    "Name by which users and groups are searched. It needs no right to write.",
    "anonymous"
  ),
  ldapBindPassword: optional("LDAP_BIND_PASSWORD", kind.secret, "Its password."),
  ldapUserBase: optional("LDAP_USER_BASE", kind.text, "Entry below which users are searched."),
  ldapUserFilter: setting(
    "LDAP_USER_FILTER",
    kind.text,
    "(uid=%(user)s)",
    "Filter that finds the entry of a user; `%(user)s` is the name as it was typed. Active Directory: `(&(objectCategory=person)(objectClass=user)(sAMAccountName=%(user)s))`."
  ),
  ldapUserDnTemplate: optional(
    "LDAP_USER_DN_TEMPLATE",
    kind.text,
    "Name of a user's entry, such as `uid=%(user)s,ou=people,dc=example,dc=org`. The user is then not searched, and `LDAP_BIND_DN` is not needed."
  ),
  ldapUserNameAttribute: setting(
    "LDAP_USERNAME_ATTRIBUTE",
    kind.text,
    "uid",
    "Attribute with the user name here. Active Directory: `sAMAccountName`."
  ),
  ldapGroupBase: optional(
    "LDAP_GROUP_BASE",
    kind.text,
    "Entry below which groups are searched. At each sign-in the user gets the groups here, and loses those that the directory gave before. Memberships given by hand stay.",
    "groups are given by hand"
  ),
  ldapGroupFilter: setting(
    "LDAP_GROUP_FILTER",
    kind.text,
    "(|(member=%(dn)s)(uniqueMember=%(dn)s)(memberUid=%(user)s))",
    "Filter that finds the groups of a user; `%(dn)s` is the name of the user's entry, `%(user)s` the user name."
  ),
  ldapGroupNameAttribute: setting("LDAP_GROUP_NAME_ATTRIBUTE", kind.text, "cn", "Attribute with the name of a group."),
  ldapNestedGroups: setting(
    "LDAP_NESTED_GROUPS",
    kind.yesOrNo,
    true,
    "Whether a member of a group is one of the groups that this group is a member of."
  ),
  ldapGroupsCreate: setting(
    "LDAP_GROUPS_CREATE",
    kind.yesOrNo,
    false,
    "Whether groups of the directory that do not exist here are created, without permissions. They are ignored otherwise."
  ),
  ldapGroupsPrefix: setting(
    "LDAP_GROUPS_PREFIX",
    kind.text,
    "",
    "Beginning of the names of the groups that are used; the group here has the name without it."
  ),
  ldapGroupsMap: optional(
    "LDAP_GROUPS_MAP",
    kind.jsonObject,
    'Groups here by names of the directory, as JSON: `{"NetOps": "operators", "DC-Admins": ["operators", "sites"]}`. An empty list drops a name.',
    "none"
  ),
  ldapRequiredGroup: optional(
    "LDAP_REQUIRED_GROUP",
    kind.text,
    "Group of the directory whose members alone may log in.",
    "everybody whom the filter finds"
  ),
  ldapSuperuserGroups: setting(
    "LDAP_SUPERUSER_GROUPS",
    kind.list,
    [],
    "Groups whose members are superusers, comma-separated, by their names here. A user who left them is none any more.",
    ""
  ),
  ldapAdopt: setting(
    "LDAP_ADOPT",
    kind.oneOf("never", "no-password"),
    "never",
    "Whether a first sign-in may take over the local user of the same name. `no-password`: if that user has no password, such as users of the directory that [`rackwire move`](netbox.md) brought."
  )
} as const
