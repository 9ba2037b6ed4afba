// Tool results as each upstream received them, by id or by the order of the calls.

import type { McpSuccess } from '../../proto/gen/agent/v1/exec_mcp_pb.ts'
import type { Sim } from '../../sim/server.ts'
import type { Bench } from '../harness.ts'

export interface ReceivedResult {
  text: string
  isError: boolean
}

/** A PNG in base64. */
export const pixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='

interface Part {
  type: string
  id?: string
  text?: string
  tool_use_id?: string
  content?: string | Part[]
  is_error?: boolean
}
interface Message {
  role: string
  content?: string | Part[] | null
  tool_calls?: { id: string }[]
  tool_call_id?: string
}

const messagesOf = (body: unknown): Message[] =>
  (body as { messages?: Message[] } | undefined)?.messages ?? []
const textOf = (content: Message['content'] | undefined): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text = '' }) => text).join('')

/** Without an error flag, the text says it. */
const flagged = (text: string): ReceivedResult =>
  text.startsWith('Error: ')
    ? { text: text.slice('Error: '.length), isError: true }
    : { text, isError: false }

export function receivedByClaude({ requests }: Sim): ReceivedResult[] {
  const [calls, results] = messagesOf(requests.at(-1)?.body)
    .slice(-2)
    .map(({ content }) => (Array.isArray(content) ? content : []))
  return (calls ?? [])
    .filter(({ type }) => type === 'tool_use')
    .map(({ id }) => {
      const result = results?.find(({ tool_use_id }) => tool_use_id === id)
      if (!result) throw new Error(`no result for ${id}`)
      return { text: textOf(result.content), isError: result.is_error === true }
    })
}

export function receivedByOpenAI({ openai }: Bench): ReceivedResult[] {
  const messages = messagesOf(openai.requests.at(-1)?.body)
  const calls = messages.findLast(({ tool_calls }) => tool_calls !== undefined)?.tool_calls ?? []
  return calls.map(({ id }) => {
    const result = messages.find(({ tool_call_id }) => tool_call_id === id)
    if (!result) throw new Error(`no result for ${id}`)
    return flagged(textOf(result.content))
  })
}

interface GeminiResult {
  id: string
  response: { output?: string; error?: string }
}
interface GeminiContent {
  parts: { functionCall?: { id: string }; functionResponse?: GeminiResult }[]
}

export function receivedByGemini({ gemini }: Bench): ReceivedResult[] {
  const body = gemini.requests.at(-1)?.body as { contents: GeminiContent[] } | undefined
  const parts = body?.contents.flatMap((content) => content.parts) ?? []
  const results = new Map(
    parts.flatMap(({ functionResponse: one }) => (one ? [[one.id, one.response] as const] : [])),
  )
  return parts.flatMap(({ functionCall }) => {
    const result = functionCall && results.get(functionCall.id)
    if (!result) return []
    return [{ text: result.output ?? result.error ?? '', isError: result.error !== undefined }]
  })
}

export function receivedByText({ text }: Bench): ReceivedResult[] {
  const last = textOf(messagesOf(text.requests.at(-1)?.body).at(-1)?.content)
  return [...last.matchAll(/<tool_response>\n([\s\S]*?)\n<\/tool_response>/g)].map(([, shown = '']) =>
    flagged(shown),
  )
}

export function receivedByCursor({ cursor }: Bench): ReceivedResult[] {
  const messages = [...(cursor.runs.at(-1)?.execResults ?? [])]
    .sort(([a], [b]) => a - b)
    .flatMap(([, sent]) => sent)
  return messages.flatMap(({ message }) => {
    if (message.case !== 'mcpResult') return []
    const { result } = message.value
    if (result.case !== 'success') throw new Error(`a result of the kind ${result.case}`)
    return [{ text: mcpText(result.value), isError: result.value.isError }]
  })
}

const mcpText = ({ content }: McpSuccess) =>
  content.map((item) => (item.content.case === 'text' ? item.content.value.text : '')).join('')

/** Whether the last upstream request has the image. */
export function receivedPicture({ cursor, ...bench }: Bench): boolean {
  const images = [...(cursor.runs.at(-1)?.execResults.values() ?? [])].flat().flatMap(({ message }) => {
    if (message.case !== 'mcpResult' || message.value.result.case !== 'success') return []
    return message.value.result.value.content.flatMap(({ content }) =>
      content.case === 'image' ? [Buffer.from(content.value.data).toString('base64')] : [],
    )
  })
  const { anthropic, bedrock, vertex, gemini, openai, text } = bench
  const bodies = [anthropic, bedrock, vertex, gemini, openai, text].map(
    (sim) => sim?.requests.at(-1)?.bodyText ?? '',
  )
  return [...images, ...bodies].some((sent) => sent.includes(pixel))
}
