/** Providers that answer as products do, by the documentation of each; none of the products is run. */
import { blocksOf, readDocument } from "../../documents/Document.ts"
import type { Account, Shape } from "./RealProvider.ts"

export interface Product {
  /** Its heading in docs/signin.md. */
  readonly heading: string
  readonly shape: Omit<Shape, "path" | "names">
  readonly account: Account
}

const tenant = "72f988bf-86f1-41af-91ab-2d7cd011db47"

/** The options that docs/signin.md has for a product, by name. */
export const documentedOptions = (heading: string): Readonly<Record<string, string>> => {
  const [block] = blocksOf(readDocument("signin.md").split(`\n**${heading}.** `)[1]!)
  const lines = block!.text.trim().split("\n")
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)] as const)
  )
}

/** The path of the issuer in these options. */
export const issuerPath = (options: Readonly<Record<string, string>>): string => {
  const { pathname } = new URL(options["OIDC_ISSUER"]!.replace("<tenant id>", tenant))
  return pathname === "/" ? "" : pathname
}

const person = {
  given_name: "Ana",
  family_name: "Berg",
  name: "Ana Berg",
  email: "ana@example.org"
}

/** Products by their names in the options of the test. */
export const products = {
  // Every mapper writes to the ID token and to userinfo. Roles are in the access token, unless a mapper adds them.
  keycloak: {
    heading: "Keycloak",
    shape: {
      claims: {
        openid: ["sub", "sid", "groups", "realm_access"],
        email: ["email", "email_verified"],
        profile: ["preferred_username", "name", "given_name", "family_name"]
      },
      hasWholeIdToken: true,
      algorithm: "RS256",
      logout: "any"
    },
    account: {
      ...person,
      sub: "f1b7b0e2-8f7c-4f0e-9d5b-3a4b0d0a7c11",
      preferred_username: "ana.keycloak",
      email_verified: true,
      groups: ["admins", "groups that Rackwire has not"]
    }
  },
  // The subject is a hash of the user's id; groups belong to the scope `profile`.
  authentik: {
    heading: "Authentik",
    shape: {
      claims: {
        openid: ["sub"],
        email: ["email", "email_verified"],
        profile: ["preferred_username", "nickname", "name", "given_name", "groups"]
      },
      hasWholeIdToken: true,
      algorithm: "RS256",
      logout: "any"
    },
    account: {
      ...person,
      sub: "8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4",
      given_name: "Ana Berg",
      preferred_username: "ana.authentik",
      nickname: "ana.authentik",
      email_verified: false,
      groups: ["admins", "authentik Admins"]
    }
  },
  // The ID token has no names in parts: userinfo has them. Nothing says whether the e-mail address is verified.
  entra: {
    heading: "Microsoft Entra ID",
    shape: {
      claims: {
        openid: ["sub", "oid", "tid", "ver", "preferred_username", "name", "email", "groups"],
        email: [],
        profile: ["given_name", "family_name"]
      },
      hasWholeIdToken: false,
      algorithm: "RS256",
      logout: "any"
    },
    account: {
      ...person,
      sub: "AAAAAAAAAAAAAAAAAAAAAIkzqFVrSaSaFHy782bbtaQ",
      oid: "690222be-ff1a-4d56-abd1-7e4f7d38e474",
      tid: tenant,
      ver: "2.0",
      preferred_username: "ana@corp.example.org",
      groups: ["9f6c41d7-0c5e-4a53-b3c8-2f1f7a2d9b10", "1c0a3f52-5b0e-4a4e-9d0c-6f0a4b7d2e33"]
    }
  },
  // Beside an access token the ID token is thin; groups are in userinfo, with the scope `groups`.
  okta: {
    heading: "Okta",
    shape: {
      claims: {
        openid: ["sub", "ver", "idp", "preferred_username", "name", "email"],
        email: ["email_verified"],
        profile: ["given_name", "family_name", "locale", "zoneinfo"],
        groups: ["groups"]
      },
      hasWholeIdToken: false,
      algorithm: "RS256",
      logout: "with hint"
    },
    account: {
      ...person,
      sub: "00uid4BxXw6I6TV4m0g3",
      ver: 1,
      idp: "00ok1u7AsAkrwdZL3z0g3",
      preferred_username: "ana@okta.example.org",
      email_verified: true,
      groups: ["admins", "Everyone"]
    }
  },
  // Neither groups nor a user name, and no logout.
  google: {
    heading: "Google",
    shape: {
      claims: {
        openid: ["sub", "hd"],
        email: ["email", "email_verified"],
        profile: ["name", "given_name", "family_name", "picture"]
      },
      hasWholeIdToken: true,
      algorithm: "RS256",
      logout: "none"
    },
    account: {
      ...person,
      sub: "110169484474386276334",
      email: "ana@google.example.org",
      email_verified: true,
      hd: "google.example.org"
    }
  }
} as const satisfies Readonly<Record<string, Product>>

export type ProductName = keyof typeof products
