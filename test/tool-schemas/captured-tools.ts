// The tools in requests of real clients, read by the doors that they came to.

import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { Notes } from '../../src/core/notes.ts'
import type { TurnRequest } from '../../src/core/request.ts'
import { fromMessagesRequest } from '../../src/protocols/anthropic-messages/request-in.ts'
import { fromGeminiRequest } from '../../src/protocols/gemini/request-in.ts'
import { fromOllamaChat } from '../../src/protocols/ollama/request-in.ts'
import { fromChatRequest } from '../../src/protocols/openai-chat/request-in.ts'
import { fromResponsesRequest } from '../../src/protocols/openai-responses/request-in.ts'

type Schema = Record<string, unknown>

export interface CapturedTools {
  client: string
  tools: { name: string; schema: Schema }[]
}

interface Captured {
  path: string
  body: string
}

const earlier = { conversation: () => undefined, itemsOf: () => undefined }

function turnOf({ path, body: text }: Captured): TurnRequest | undefined {
  const { pathname } = new URL(path, 'http://gateway')
  const body = JSON.parse(text)
  if (pathname.endsWith('/chat/completions')) return fromChatRequest(body, new Notes()).turn
  if (pathname.endsWith('/api/chat')) return fromOllamaChat(body, new Notes()).turn
  if (pathname.endsWith('/messages')) return fromMessagesRequest(body, new Notes()).turn
  // One that goes on after a stored answer cannot be read alone, and offers the same tools.
  if (pathname.endsWith('/responses'))
    return body.previous_response_id ? undefined : fromResponsesRequest(body, new Notes(), earlier).turn
  const gemini = /\/models\/(.+):(?:stream)?generateContent$/i.exec(pathname)?.[1]
  return gemini === undefined
    ? undefined
    : fromGeminiRequest(body, new Notes(), { model: gemini, stream: true }).turn
}

/** The request that offers the most: others ask for a title, or go on with the same tools. */
function toolsOf(requests: readonly Captured[]): CapturedTools['tools'] {
  let most: TurnRequest['tools'] = []
  for (const request of requests) {
    const tools = turnOf(request)?.tools ?? []
    if (tools.length > most.length) most = tools
  }
  return most.map(({ name, schema }) => ({ name, schema }))
}

/** One file per client, CLIENT.json, with its requests in order. */
export function capturedTools(folder: string): CapturedTools[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => ({
      client: basename(name, '.json'),
      tools: toolsOf(JSON.parse(readFileSync(join(folder, name), 'utf8'))),
    }))
}
