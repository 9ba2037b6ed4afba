// A Messages client whose tools are deferred and searched by its service: it runs no search itself, and sends back what it got.

import { messagesStreamProblems } from '../messages-stream.ts'

export interface Block {
  type: string
  [field: string]: unknown
}

export interface MessagesAnswer {
  status: number
  notes: string
  content: Block[]
  stopReason: string
  problems: string[]
  usage: Record<string, number>
}

type Body = Record<string, unknown>

export async function ask(url: string, body: Body): Promise<MessagesAnswer> {
  const response = await fetch(`${url}/v1/messages`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
    body: JSON.stringify({ max_tokens: 1_000, ...body }),
  })
  const { status, headers } = response
  const notes = headers.get('x-dragoman-notes') ?? ''
  if (body.stream !== true || status !== 200) {
    const json = (await response.json()) as Body
    if (status !== 200) throw new Error(`${status}: ${JSON.stringify(json)}`)
    const { content, stop_reason: stopReason, usage } = json
    return { status, notes, content, stopReason, problems: [], usage } as MessagesAnswer
  }
  const problems = await messagesStreamProblems(response.clone())
  return { status, problems, ...readStream(await response.text(), notes) }
}

function readStream(text: string, notes: string): Omit<MessagesAnswer, 'status' | 'problems'> {
  const content: Block[] = []
  const inputs: string[] = []
  let stopReason = ''
  let usage = {}
  for (const line of text.split('\n')) {
    if (!line.startsWith('data: ')) continue
    const event = JSON.parse(line.slice(6))
    if (event.type === 'error') throw new Error(JSON.stringify(event))
    if (event.type === 'content_block_start') content[event.index] = event.content_block
    if (event.type === 'content_block_delta') {
      const { delta } = event
      if (delta.type === 'text_delta') (content[event.index] as Block).text += delta.text
      if (delta.type === 'input_json_delta')
        inputs[event.index] = (inputs[event.index] ?? '') + delta.partial_json
    }
    if (event.type === 'message_delta') {
      stopReason = event.delta.stop_reason
      usage = event.usage
    }
  }
  for (const [index, input] of inputs.entries())
    if (input !== undefined) (content[index] as Block).input = JSON.parse(input || '{}')
  return { notes, content, stopReason, usage }
}

export const callsIn = (content: readonly Block[]) => content.filter(({ type }) => type === 'tool_use')

/** The results of an answer's calls, as the client sends them. */
export const resultsOf = (content: readonly Block[]) =>
  callsIn(content).map(({ id, name }) => ({ type: 'tool_result', tool_use_id: id, content: `${name}: done` }))
