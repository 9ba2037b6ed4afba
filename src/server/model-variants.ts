// Model names with a wish in them. Cursor IDE appends variants to the names that people give it: `-fast`, and how hard the
// model should think. A name that exists is taken as it is; only then is a variant looked for.

import type { ReasoningEffort } from '../core/request.ts'

export interface ModelVariant {
  name: string
  effort?: ReasoningEffort
}

const efforts = 'minimal|low|medium|high|xhigh|max'
const thinking = new RegExp(`^(.+)-(?:thinking-(${efforts})|(${efforts})-thinking)$`)

/** The names that could be meant, the longest first. */
export function modelVariants(name: string): ModelVariant[] {
  const slow = name.endsWith('-fast') ? name.slice(0, -'-fast'.length) : name
  const variants: ModelVariant[] = slow === name || slow === '' ? [] : [{ name: slow }]
  const [, base, behind, before] = thinking.exec(slow) ?? []
  if (base !== undefined) variants.push({ name: base, effort: (behind ?? before) as ReasoningEffort })
  return variants
}
