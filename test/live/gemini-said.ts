// What a recorded answer of Gemini's API says, read by code of its own.

import type { Json, Recording, Said } from './recordings.ts'

const ends: Record<string, Said['finish']> = { STOP: 'stop', MAX_TOKENS: 'length', SAFETY: 'content-filter' }

export function geminiSaid({ chunks, body }: Pick<Recording, 'chunks' | 'body'>): Said {
  const answers: Json[] = chunks ? chunks.map((chunk) => JSON.parse(chunk)) : [body]
  const said: Said = { text: '', reasoning: '', calls: [], finish: 'stop' }
  for (const { candidates = [] } of answers) {
    const [candidate = {}] = candidates
    for (const part of candidate.content?.parts ?? []) {
      if (part.functionCall) addCall(said.calls, part.functionCall)
      else if (part.thought) said.reasoning += part.text ?? ''
      else said.text += part.text ?? ''
    }
    if (candidate.finishReason) said.finish = ends[candidate.finishReason] ?? 'stop'
  }
  return { ...said, finish: said.calls.length > 0 && said.finish === 'stop' ? 'tool-calls' : said.finish }
}

/** Vertex sends arguments in pieces, each with its place. */
function addCall(calls: Said['calls'], { name, args, partialArgs = [] }: Json): void {
  if (name) calls.push({ name, input: args ?? {} })
  for (const piece of partialArgs) put(calls.at(-1)?.input, piece)
}

function put(input: Json, { jsonPath, stringValue, numberValue, boolValue }: Json): void {
  const steps = jsonPath.slice(1).match(/[^.[\]]+/g) as string[]
  const last = steps.pop() as string
  let holder = input
  for (const [at, step] of steps.entries()) {
    holder[step] ??= /^\d+$/.test(steps[at + 1] ?? last) ? [] : {}
    holder = holder[step]
  }
  holder[last] = stringValue === undefined ? (numberValue ?? boolValue) : (holder[last] ?? '') + stringValue
}
