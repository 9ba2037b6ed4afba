// Recorded answers of live services, and what they say, read by code of its own. Rows are in $CASES_DIR/live.jsonl.gz.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { geminiSaid } from './gemini-said.ts'

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

export function saidBy(row: Recording): Said {
  if (row.api === 'chat') return chatSaid(messagesOf(row))
  if (row.api === 'gemini') return geminiSaid(row)
  return row.api === 'responses' ? itemsSaid(responseOf(row)) : blocksSaid(blocksOf(row))
}

const ends = new Set(['response.completed', 'response.incomplete', 'response.failed'])
const typeOf = (chunk: string) => (isJson(chunk) ? (JSON.parse(chunk) as Json).type : undefined)

/** The first response of a recording, which may hold the whole loop of an agent; undefined if no event ends it. */
export function firstResponse(chunks: readonly string[]): string[] | undefined {
  const end = chunks.findIndex((chunk) => ends.has(typeOf(chunk)))
  return end < 0 ? undefined : chunks.slice(0, end + 1)
}

/** Recordings that are not what they are labelled as, or not whole. */
export function isUnreadable({ api, form, chunks, body }: Recording): boolean {
  if (api !== 'responses' || form === 'error') return false
  if (!chunks) return !Array.isArray(body.output)
  const types = (firstResponse(chunks) ?? []).map(typeOf)
  return types.at(-1) === undefined || types.at(-1) === 'response.failed' || !chunks.every(isJson)
}

function isJson(text: string): boolean {
  try {
    return Boolean(JSON.parse(text))
  } catch {
    return false
  }
}

function responseOf({ chunks, body }: Recording): Json {
  if (!chunks) return body
  const events: Json[] = (firstResponse(chunks) ?? []).map((chunk) => JSON.parse(chunk))
  const done = events.filter(({ type }) => type === 'response.output_item.done').map(({ item }) => item)
  const { response } = events.at(-1)
  const said = (index: number, whole: string) => {
    const streamed = events
      .filter(({ type, output_index: at }) => type === 'response.output_text.delta' && at === index)
      .map(({ delta }) => delta)
      .join('')
    // In one recording they differ: what was streamed cannot be taken back.
    return whole.startsWith(streamed) ? whole : streamed
  }
  const output = (done.length > 0 ? done : response.output).map((item: Json, index: number) =>
    item.type === 'message'
      ? {
          ...item,
          content: [
            { text: said(index, item.content.map((part: Json) => part.text ?? part.refusal).join('')) },
          ],
        }
      : item,
  )
  return { ...response, output }
}

function itemsSaid({ output, status, incomplete_details: details }: Json): Said {
  const of = (type: string): Json[] => output.filter((item: Json) => item.type === type)
  const texts = (parts: Json[] | null | undefined) =>
    (parts ?? []).map((part) => part.text ?? part.refusal ?? '').filter(Boolean)
  const calls = output.flatMap((item: Json) => {
    if (item.type === 'function_call') return [{ name: item.name, input: JSON.parse(item.arguments || '{}') }]
    return item.type === 'custom_tool_call' ? [{ name: item.name, input: { input: item.input } }] : []
  })
  const cut = details?.reason === 'content_filter' ? 'content-filter' : 'length'
  return {
    text: of('message').flatMap(({ content }) => texts(content)).join(''), // biome-ignore format: one line
    reasoning: of('reasoning').map(({ summary, content }) => (texts(content).length > 0 ? texts(content) : texts(summary)).join('\n\n')).join(''), // biome-ignore format: one line
    calls,
    finish: status === 'incomplete' ? cut : calls.length > 0 ? 'tool-calls' : 'stop',
  }
}

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
