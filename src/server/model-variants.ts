// Variants in model names. Cursor IDE appends `-fast` and an effort to the configured names. Variants are only tried for a name
// that does not exist.

import type { ReasoningEffort } from '../core/request.ts'

export interface ModelVariant {
  name: string
  effort?: ReasoningEffort
}

const efforts = 'minimal|low|medium|high|xhigh|max'
const thinking = new RegExp(`^(.+)-(?:thinking-(${efforts})|(${efforts})-thinking)$`)

/** The possible base names, the longest first. */
export function modelVariants(name: string): ModelVariant[] {
  const slow = name.endsWith('-fast') ? name.slice(0, -'-fast'.length) : name
  const variants: ModelVariant[] = slow === name || slow === '' ? [] : [{ name: slow }]
  const [, base, behind, before] = thinking.exec(slow) ?? []
  if (base !== undefined) variants.push({ name: base, effort: (behind ?? before) as ReasoningEffort })
  return variants
}
