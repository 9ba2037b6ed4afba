// A subset of JSON Schema, as data: what a service takes in the schemas of tools, and what becomes of the rest.

export type SubsetName =
  | 'openai'
  | 'cerebras'
  | 'anthropic'
  | 'xgrammar'
  | 'xai'
  | 'moonshot'
  | 'mistral'
  | 'gemini'
  | 'gemini-json'
  | 'gbnf'

export interface Subset {
  readonly name: string
  /**
   * strict: the service holds the model to the schema, so a schema that cannot be said in the subset is unfit. taken: the service
   * must only take it, so what cannot be said is left out, and the client's schema judges the call afterwards.
   */
  readonly goal: 'strict' | 'taken'
  /** Keywords that are left out and told in the description. */
  readonly told: ReadonlySet<string>
  /** Keywords that are left out in silence, because they constrain nothing. */
  readonly dropped: ReadonlySet<string>
  /** Keywords without which the schema would mean something else. */
  readonly unfit: ReadonlySet<string>
  /** If stated, any keyword that is in none of the lists is left out: as a constraint if it is known to be one. */
  readonly known?: ReadonlySet<string>
  /** Values of `format` that are taken. Undefined: all. */
  readonly formats?: ReadonlySet<string>
  /** Undefined: all are taken. */
  readonly takesPattern?: (pattern: string) => boolean
  /** The largest value of a keyword; a larger one is told. */
  readonly most?: ReadonlyMap<string, number>
  /**
   * closed: every object states `additionalProperties: false`. opened: the service closes objects that do not state it, so an object
   * without properties must say that it is a map.
   */
  readonly objects: 'closed' | 'opened' | 'as given'
  /** null: each property is required, and null stands for absence. */
  readonly optional: 'null' | 'kept'
  readonly oneOf: 'anyOf' | 'kept'
  readonly allOf: 'merged' | 'kept'
  /** Whether a union may stand beside `type` and `properties`. */
  readonly unionBeside: boolean
  /** object: no union at the root. objects: a union of objects. */
  readonly root: 'object' | 'objects' | 'any'
  /** alone: without any keyword beside it. */
  readonly refs: 'kept' | 'alone' | 'inlined'
  readonly recursion: 'kept' | 'unfit' | 'cut'
  readonly tuples: 'kept' | 'prefixItems' | 'list' | 'unfit'
  readonly enums: 'any' | 'primitive' | 'strings'
  /** A list of types: kept; or a union of single types, with null as a type or as `nullable`. */
  readonly typeLists: 'kept' | 'union' | 'nullable'
  /** Whether each schema must state its type, and each array its items. */
  readonly typed: boolean
  /** Whether `true` may stand for a schema. */
  readonly booleans: boolean
  /** Whether `required` may name what `properties` does not have. */
  readonly requiresUndeclared: boolean
  readonly sizes?: {
    readonly levels: number
    readonly properties: number
    readonly enums: number
    readonly text: number
  }
}
