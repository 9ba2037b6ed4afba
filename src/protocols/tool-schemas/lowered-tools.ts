// Schemas that a service would refuse, lowered to what it takes. The client's own schema still judges the calls.

import type { Fields } from '../../base/json.ts'
import { rewriteSchema } from './rewrite.ts'
import type { Subset, SubsetName } from './subset.ts'
import { subsets, withoutKeywords } from './subsets.ts'

interface Lowering {
  readonly subset: SubsetName | undefined
  /** Keywords that the service has refused by name. */
  readonly keywords: readonly string[]
}

export class SchemaLowering {
  readonly #subset: Subset
  readonly #leftOut = new Set<string>()
  #isChanged = false

  constructor({ subset, keywords }: Lowering) {
    this.#subset = withoutKeywords(subset && subsets[subset], keywords)
  }

  /** The same object if the service takes it as it is. */
  lower(schema: Fields): Fields {
    const made = rewriteSchema(schema, this.#subset)
    if (made.kind !== 'rewritten') return schema
    this.#isChanged = true
    for (const keyword of made.leftOut) if (isPlain.test(keyword)) this.#leftOut.add(keyword)
    return made.schema
  }

  /** What was done, for the client; undefined if nothing. */
  get note(): string | undefined {
    if (!this.#isChanged) return undefined
    const listed = [...this.#leftOut].slice(0, maxListed).join(', ')
    const left = listed === '' ? '' : ` (without ${listed})`
    return `schemas of tools were lowered to what the service takes${left}`
  }
}

const maxListed = 20
/** A keyword may be any text of the client's. */
const isPlain = /^[\w$-]{1,40}$/
