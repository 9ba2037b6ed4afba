// Where the references of a schema lead. A schema may hold others with an `$id` of their own (resources): their references begin at
// them. What leads out of the whole is not followed.

import { type Fields, isObject } from '../json.ts'
import { resolveReference } from './reference.ts'

interface Resource {
  root: unknown
  url: string
  anchors: Map<string, unknown>
}

/** What a look at a part takes, beside an entry of a list. */
const visitSize = 2

/** Of a schema without a name. */
const noUrl = 'schema:///'

/** What they hold are values. */
const valueKeywords = new Set(['enum', 'const', 'default', 'examples', 'example'])
/** What they hold has names of its own. */
const mapKeywords = new Set([
  'properties',
  'patternProperties',
  'dependentSchemas',
  'dependencies',
  '$defs',
  'definitions',
])

export class SchemaReferences {
  readonly #root: unknown
  readonly #takes: (amount: number) => boolean
  /** Null where the schema is too large to be searched for names. */
  #index: SchemaIndex | null | undefined

  constructor(root: unknown, takes: (amount: number) => boolean) {
    this.#root = root
    this.#takes = takes
  }

  /** The target of the schema's `$ref`; undefined where it leads nowhere, or out of the schema. */
  targetOf(schema: Fields): unknown {
    const { $ref } = schema
    if (typeof $ref !== 'string') return undefined
    if (this.#index === undefined) this.#index = indexOf(this.#root, this.#takes)
    const own = this.#index?.resourceOf(schema)
    if (!own) return undefined
    const at = $ref.indexOf('#')
    const path = at < 0 ? $ref : $ref.slice(0, at)
    const resource = path === '' ? own : this.#index?.find(path, own)
    if (!resource) return undefined
    const fragment = at < 0 ? '' : $ref.slice(at + 1)
    if (fragment === '' || fragment.startsWith('/')) return resolveReference(`#${fragment}`, resource.root)
    return resource.anchors.get(fragment)
  }
}

function indexOf(root: unknown, takes: (amount: number) => boolean): SchemaIndex | null {
  const index = new SchemaIndex(root)
  return index.read(takes) ? index : null
}

interface Visit {
  value: object
  resource: Resource
  /** Whether its members are named by the author, not keywords. */
  isMap: boolean
}

class SchemaIndex {
  readonly #whole: Resource
  readonly #resources = new Map<string, Resource>()
  /** By the schema; empty where there is only one. */
  #byPlace = new Map<object, Resource>()

  constructor(root: unknown) {
    const id = isObject(root) && typeof root.$id === 'string' ? root.$id : ''
    this.#whole = { root, url: urlOf(id, noUrl) ?? noUrl, anchors: new Map() }
    this.#resources.set(this.#whole.url, this.#whole)
  }

  /** False where there is too much to read. */
  read(takes: (amount: number) => boolean): boolean {
    const { root } = this.#whole
    const left: Visit[] = isObject(root) ? [{ value: root, resource: this.#whole, isMap: false }] : []
    for (let visit = left.pop(); visit !== undefined; visit = left.pop()) {
      const { value, isMap } = visit
      if (!takes(visitSize)) return false
      const resource = isMap || !isObject(value) ? visit.resource : this.#named(value, visit.resource)
      this.#byPlace.set(value, resource)
      for (const name in value) {
        const one = (value as Fields)[name]
        if (typeof one === 'object' && one !== null && (isMap || !valueKeywords.has(name)))
          left.push({ value: one, resource, isMap: !isMap && mapKeywords.has(name) })
      }
    }
    if (this.#resources.size === 1) this.#byPlace = new Map()
    return true
  }

  /** Where there are several resources, a schema that was made from parts of the whole belongs to none of them. */
  resourceOf(schema: object): Resource | undefined {
    return this.#resources.size === 1 ? this.#whole : this.#byPlace.get(schema)
  }

  find(path: string, from: Resource): Resource | undefined {
    const url = urlOf(path, from.url)
    return url === undefined ? undefined : this.#resources.get(url)
  }

  /** Notes the names that a schema gives itself. Returns the resource that it belongs to. */
  #named(schema: Fields, outer: Resource): Resource {
    const { $id, $anchor } = schema
    let own = outer
    if (typeof $id === 'string' && schema !== this.#whole.root)
      if ($id.startsWith('#'))
        // Until draft 7, a name within the resource.
        outer.anchors.set($id.slice(1), schema)
      else {
        own = { root: schema, url: urlOf($id, outer.url) ?? '', anchors: new Map() }
        this.#resources.set(own.url, own)
      }
    if (typeof $anchor === 'string') own.anchors.set($anchor, schema)
    return own
  }
}

/** Without its fragment. Undefined for an address that cannot be read. */
function urlOf(path: string, base: string): string | undefined {
  try {
    const url = new URL(path, base)
    url.hash = ''
    return url.href
  } catch {
    return undefined
  }
}
