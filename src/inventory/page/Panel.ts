/**
 * The panels of an object's page, as data. A type lists them in `panels`; the fields of every type are shown without.
 *
 * The vocabulary is closed, and has no markup: the console draws each kind in a file of its own
 * (`console/panel/<Kind>.ts`). A new kind takes an entry here and that file, and no list of types names it.
 */

/** The data of a declared panel, by its kind. */
interface PanelKinds {
  /** Attributes under a title of their own; they leave the group in which they would be otherwise. */
  readonly attributes: { readonly title: string; readonly fields: ReadonlyArray<string> }
  /** The ports of a machine, by kind: objects of these types that name it in the field. */
  readonly ports: { readonly types: ReadonlyArray<string>; readonly field: string }
  /** The addresses of an interface, or those that its parts have. */
  readonly addresses: Nothing
  /** Objects of a type that name this one in a field. */
  readonly children: {
    readonly title: string
    readonly type: string
    readonly field: string
    /** The fields that are shown beside the name. */
    readonly shows: ReadonlyArray<string>
  }
  /** The faces of the rack: the object itself, or the one that this reference names, with the object highlighted. */
  readonly elevation: { readonly rack?: string }
  /** The webhooks that hear of changes of objects of the type. */
  readonly webhooks: Nothing
  /** The merged config context of the machine, folded, and the way to its rendered configuration. */
  readonly configContext: Nothing
  /** The path of cables from the object, hop by hop. */
  readonly trace: Nothing
  /** How far the source is read, its gaps, and the changes that no source shows. */
  readonly source: Nothing
  /**
   * The images that are attached to the object, or those of its own fields; `via`: of the fields of the object that this
   * reference names.
   */
  readonly images: { readonly of: "object" | "self"; readonly via?: string }
  /** Its space as a map of what is used and what is free. */
  readonly spaceMap: {
    /** The addresses of its prefix, or the ids of its VLANs. */
    readonly of: "addresses" | "vlans"
    /** The reference to the VRF of its children; without it they may be of every VRF. */
    readonly vrf?: string
  }
  /** The prefixes around and below a network, indented by their depth, with how much of each is used. */
  readonly hierarchy: {
    /** The reference to their VRF; without it they may be of every VRF. */
    readonly vrf?: string
  }
  /** Objects with their addresses in this network and of its VRF. */
  readonly contained: {
    readonly title: string
    readonly type: string
    /** Its field of an address; the first of a range. */
    readonly field: string
    /** The reference to the VRF of both. */
    readonly vrf: string
    readonly shows: ReadonlyArray<string>
  }
}

type Nothing = Readonly<Record<never, never>>

export type PanelKind = keyof PanelKinds

/** A declared panel of one of the kinds: `{ kind: "elevation" }`. */
export type PanelOf<Kind extends PanelKind> = { readonly [K in Kind]: { readonly kind: K } & PanelKinds[K] }[Kind]

export type Panel = PanelOf<PanelKind>

/** The fields of the object itself that a panel names. */
export const fieldsIn = (panel: Panel): ReadonlyArray<string> => {
  if (panel.kind === "attributes") return panel.fields
  if (panel.kind === "elevation") return panel.rack === undefined ? [] : [panel.rack]
  if (panel.kind === "images") return panel.via === undefined ? [] : [panel.via]
  const isOfVrf = panel.kind === "spaceMap" || panel.kind === "hierarchy" || panel.kind === "contained"
  return isOfVrf && panel.vrf !== undefined ? [panel.vrf] : []
}

/** The types whose objects a panel shows because they name the object of the page. */
export const typesShownBy = (panel: Panel): ReadonlyArray<string> => {
  if (panel.kind === "ports") return panel.types
  return panel.kind === "children" ? [panel.type] : []
}
