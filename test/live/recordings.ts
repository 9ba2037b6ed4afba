// Recorded answers of live services, and what they say, read by code of its own. Rows are in $CASES_DIR/live.jsonl.gz.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

// biome-ignore lint/suspicious/noExplicitAny: recordings are looked into
export type Json = any

export interface Recording {
  id: string
  service: string
  api: string
  form: 'stream' | 'whole' | 'error'
  /** The data of each event. */
  chunks?: string[]
  body?: Json
}

export interface Said {
  text: string
  reasoning: string
  calls: { name: string; input: Json }[]
  finish: 'stop' | 'length' | 'tool-calls' | 'content-filter'
}

export function readRecordings(folder: string): Recording[] {
  const lines = gunzipSync(readFileSync(join(folder, 'live.jsonl.gz')))
    .toString('utf8')
    .trim()
    .split('\n')
  return lines.map((line) => JSON.parse(line))
}

export const saidBy = (row: Recording): Said =>
  row.api === 'chat' ? chatSaid(messagesOf(row)) : blocksSaid(blocksOf(row))

/** A second message begins within the first one: no answer can be trusted. */
export function isSpliced({ api, chunks = [] }: Recording): boolean {
  if (api !== 'messages') return false
  const types = chunks.map((chunk) => (JSON.parse(chunk) as Json).type)
  const firstBlock = types.indexOf('content_block_start')
  const second = types.indexOf('message_start', firstBlock)
  return firstBlock > 0 && second > 0 && second < types.indexOf('message_stop')
}

const finishes: Record<string, Said['finish']> = {
  stop: 'stop',
  end_turn: 'stop',
  stop_sequence: 'stop',
  length: 'length',
  max_tokens: 'length',
  model_length: 'length',
  tool_calls: 'tool-calls',
  tool_use: 'tool-calls',
  content_filter: 'content-filter',
  refusal: 'content-filter',
}

const finishOf = (stated: string | undefined, calls: number): Said['finish'] =>
  calls > 0 && finishes[stated ?? ''] === 'stop' ? 'tool-calls' : (finishes[stated ?? ''] ?? 'stop')

/** Chat: the choices of all chunks, in order. */
const messagesOf = ({ chunks, body }: Recording): Json[] =>
  (chunks ? chunks.filter((chunk) => chunk !== '[DONE]').map((chunk) => JSON.parse(chunk)) : [body])
    .flatMap((chunk: Json) => chunk.choices ?? [])
    .filter((choice: Json) => (choice.index ?? 0) === 0)

function chatSaid(choices: readonly Json[]): Said {
  let text = ''
  let reasoning = ''
  let stated: string | undefined
  const calls: { id: string; index: number; name: string; input: string }[] = []
  for (const { delta, message, finish_reason: reason } of choices) {
    const said = delta ?? message ?? {}
    stated ??= reason ?? undefined
    for (const part of Array.isArray(said.content)
      ? said.content
      : [{ type: 'text', text: said.content ?? '' }])
      if (part.type === 'thinking') reasoning += part.thinking.map((entry: Json) => entry.text).join('')
      else text += part.text ?? ''
    reasoning += said.reasoning_content || said.reasoning || ''
    for (const call of said.tool_calls ?? []) {
      const known = calls.find((one) => (call.id ? one.id === call.id : one.index === call.index))
      if (known) known.input += call.function.arguments ?? ''
      else
        calls.push({
          id: call.id,
          index: call.index ?? calls.length,
          name: call.function.name,
          input: call.function.arguments ?? '',
        })
    }
  }
  return {
    text,
    reasoning,
    calls: calls.map(({ name, input }) => ({ name, input: JSON.parse(input || '{}') })),
    finish: finishOf(stated, calls.length),
  }
}

/** Messages: whole blocks, those of streams put together. */
function blocksOf({ chunks, body }: Recording): { blocks: Json[]; stop: string | undefined } {
  if (!chunks) return { blocks: body.content, stop: body.stop_reason }
  const blocks: Json[] = []
  let stop: string | undefined
  for (const chunk of chunks) {
    const event: Json = JSON.parse(chunk)
    // Some recordings hold the whole loop of an agent; an answer is its first message.
    if (event.type === 'message_stop') break
    if (event.type === 'content_block_start') blocks[event.index] = { ...event.content_block, json: '' }
    else if (event.type === 'content_block_delta') {
      const block = blocks[event.index]
      const { text, thinking, partial_json: json } = event.delta
      if (text !== undefined) block.text += text
      if (thinking !== undefined) block.thinking += thinking
      if (json !== undefined) block.json += json
    } else if (event.type === 'message_delta') stop = event.delta.stop_reason ?? stop
  }
  for (const block of blocks) if (block?.json) block.input = JSON.parse(block.json)
  return { blocks: blocks.filter(Boolean), stop }
}

function blocksSaid({ blocks, stop }: { blocks: Json[]; stop: string | undefined }): Said {
  const of = (type: string) => blocks.filter((block) => block.type === type)
  const calls = of('tool_use').map(({ name, input }) => ({ name, input }))
  return {
    text: of('text')
      .map(({ text }) => text)
      .join(''),
    reasoning: of('thinking')
      .map(({ thinking }) => thinking)
      .join(''),
    calls,
    finish: finishOf(stop, calls.length),
  }
}
