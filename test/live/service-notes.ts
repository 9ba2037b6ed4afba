// What services really get wrong: the repairs that their recorded answers leave notes of. All others must leave none.

import { type RepairKind, repairOf } from '../../src/core/repairs.ts'

interface ServiceNotes {
  /** At every door. */
  every?: readonly RepairKind[]
  /** At the door of the same dialect. */
  own?: readonly RepairKind[]
  /** At the other doors. */
  others?: readonly RepairKind[]
}

/** By the API and the service. */
const serviceNotes: Readonly<Record<string, ServiceNotes>> = {
  'chat alibaba': { every: ['empty-call-name'] },
  'chat groq': { own: ['changing-created', 'reasoning-field'] },
  // Content as parts is Mistral's documented form.
  'chat mistral': {
    every: ['content-parts', 'empty-call-name', 'no-call-index'],
    own: ['no-call-type', 'no-role'],
  },
  'chat moonshotai': { own: ['no-object'] },
  // A recording of Azure, which begins with its filter results.
  'chat openai': { own: ['early-chunk'] },
  'chat openai-compatible': { own: ['changing-created'] },
  'chat perplexity': { own: ['changing-created', 'no-object', 'repeated-role', 'usage-place'] },
  'chat xai': { own: ['changing-created'] },
  // Results of server tools; a call by a program of the model, in an answer that ends as a text does.
  'messages anthropic': { every: ['repeated-start'], others: ['finish-of-calls', 'odd-part'] },
  'responses azure': { others: ['odd-part'] },
  'responses open-responses': { others: ['missing-events'] },
  // Two of these recordings were shortened by hand.
  'responses openai': { others: ['missing-events', 'odd-part', 'other-text'] },
  'responses xai': { others: ['odd-part'] },
}

const seen = new Set<string>()

/** The repairs among the notes of an answer that the table does not have. */
export function unexpectedRepairs(api: string, service: string, isOwn: boolean, notes: readonly string[]) {
  const { every = [], own = [], others = [] } = serviceNotes[`${api} ${service}`] ?? {}
  const expected: readonly string[] = [...every, ...(isOwn ? own : others)]
  const kinds = notes.flatMap((note) => repairOf(note) ?? [])
  for (const kind of kinds) seen.add(`${api} ${service} ${kind}`)
  return kinds.filter((kind) => !expected.includes(kind))
}

/** Entries of the table that no recording needed. */
export const unseenRepairs = (): string[] =>
  Object.entries(serviceNotes)
    .flatMap(([service, { every = [], own = [], others = [] }]) =>
      [...every, ...own, ...others].map((kind) => `${service} ${kind}`),
    )
    .filter((entry) => !seen.has(entry))
