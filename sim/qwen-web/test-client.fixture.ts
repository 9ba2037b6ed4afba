// A test client of the web chat: sends the requests of the web page and collects the events of an answer.

import { randomUUID } from 'node:crypto'

export type Json = Record<string, unknown>

interface Delta {
  role: string
  content: string
  phase?: string
  status: string
  name?: string
  extra?: { summary_thought?: { content: string[] } }
}

interface QwenEvent {
  'response.created'?: { chat_id: string; parent_id: string; response_id: string }
  choices?: { delta: Delta }[]
  usage?: { input_tokens: number; output_tokens: number; total_tokens: number }
  error?: Json
}

export interface QwenAnswer {
  status: number
  type: string
  body: string
  /** Undefined for a stream. */
  json: { success?: boolean; data?: Json; ret?: string[] } | undefined
  events: QwenEvent[]
  deltas: Delta[]
  /** The text of the answer, from its deltas. */
  text: string
  responseId: string
}

export interface Question {
  chatId: string
  text: string
  parentId?: string | null
  headers?: Record<string, string>
  /** Overrides for fields of the request, its message and its feature_config. */
  body?: Json
  message?: Json
  config?: Json
}

export const version = { version: '0.2.81' }

export class QwenClient {
  readonly url: string
  readonly headers: Record<string, string>

  constructor(url: string, token: string | undefined = 'any') {
    this.url = url
    this.headers = { ...version, ...(token !== undefined && { authorization: `Bearer ${token}` }) }
  }

  async newChat(extra: Json = {}, headers = this.headers): Promise<string> {
    const { json } = await this.post('/api/v2/chats/new', newChatBody(extra), headers)
    return String(json?.data?.id)
  }

  ask(question: Question): Promise<QwenAnswer> {
    const path = `/api/v2/chat/completions?chat_id=${question.chatId}`
    return this.post(path, completionBody(question), question.headers ?? this.headers)
  }

  async post(path: string, body: unknown, headers = this.headers): Promise<QwenAnswer> {
    return collect(await fetch(this.url + path, { method: 'POST', headers, body: JSON.stringify(body) }))
  }

  async call(method: string, path: string, headers = this.headers): Promise<QwenAnswer> {
    return collect(await fetch(this.url + path, { method, headers }))
  }
}

export function newChatBody(extra: Json = {}): Json {
  return {
    title: 'New Chat',
    models: ['qwen3-max'],
    chat_mode: 'normal',
    chat_type: 't2t',
    timestamp: 1_790_000_000_000,
    project_id: '',
    ...extra,
  }
}

export function completionBody({ chatId, text, parentId = null, ...extra }: Question): Json {
  const timestamp = 1_790_000_000
  const message = {
    fid: randomUUID(),
    parentId,
    parent_id: parentId,
    childrenIds: [randomUUID()],
    role: 'user',
    content: text,
    user_action: 'chat',
    files: [],
    timestamp,
    models: ['qwen3-max'],
    chat_type: 't2t',
    sub_chat_type: 't2t',
    extra: { meta: { subChatType: 't2t' } },
    feature_config: {
      thinking_enabled: false,
      output_schema: 'phase',
      research_mode: 'normal',
      auto_thinking: false,
      auto_search: false,
      ...extra.config,
    },
    ...extra.message,
  }
  return {
    stream: true,
    version: '2.1',
    incremental_output: true,
    chat_id: chatId,
    chat_mode: 'normal',
    model: 'qwen3-max',
    parent_id: parentId,
    timestamp,
    messages: [message],
    ...extra.body,
  }
}

async function collect(response: Response): Promise<QwenAnswer> {
  const body = await response.text()
  const type = response.headers.get('content-type') ?? ''
  const isStream = type.startsWith('text/event-stream')
  const lines = isStream ? body.split('\n\n').filter((line) => line.startsWith('data: ')) : []
  const events = lines.map((line) => JSON.parse(line.slice(6)) as QwenEvent)
  const deltas = events.flatMap(({ choices }) => choices?.[0]?.delta ?? [])
  return {
    status: response.status,
    type,
    body,
    json: type.startsWith('application/json') ? JSON.parse(body) : undefined,
    events,
    deltas,
    text: deltas.map(({ phase, content }) => ((phase ?? 'answer') === 'answer' ? content : '')).join(''),
    responseId: events[0]?.['response.created']?.response_id ?? '',
  }
}
