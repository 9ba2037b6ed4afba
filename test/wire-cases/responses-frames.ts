// Answers of a Responses service as it writes them, with items and events that the gateway does not know.

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into
export type Json = any

export const response = (output: object[], more: object = {}) => ({
  id: 'resp_of_the_service',
  object: 'response',
  created_at: 1,
  status: 'completed',
  model: 'gpt-5.6-sol-2026-08-01',
  output,
  usage: { input_tokens: 3, output_tokens: 4, total_tokens: 7, novel_tokens: 2 },
  novel: { deep: [1] },
  ...more,
})

export const message = (text: string, id = 'msg_1') => ({
  id,
  type: 'message',
  status: 'completed',
  role: 'assistant',
  phase: 'final_answer',
  content: [{ type: 'output_text', text, annotations: [{ type: 'novel_citation', at: 1 }], logprobs: [] }],
})
export const call = (id: string, callId: string, name = 'read', status = 'completed') => ({
  id,
  type: 'function_call',
  status,
  call_id: callId,
  name,
  arguments: '{"path": "a"}',
})
export const search = { id: 'ws_1', type: 'web_search_call', status: 'completed', action: { type: 'search' } }
export const novel = { id: 'holo_1', type: 'hologram_call', shards: [1] }

/** A stream of these items, each with the events that a service sends, numbered from 0. */
export function streamOf(items: Json[], end: object = response(items), type = 'completed'): string {
  let number = 0
  const frame = (event: Json) =>
    `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: number++ })}\n\n`
  const begun = response([], { status: 'in_progress' })
  const parts = items.flatMap((item, output_index) => {
    const of = { item_id: item.id, output_index }
    const content =
      item.type === 'message'
        ? [{ type: 'response.output_text.delta', ...of, content_index: 0, delta: item.content[0].text, obfuscation: 'xx' }]
        : item.type === 'function_call'
          ? [
              { type: 'response.function_call_arguments.delta', ...of, delta: item.arguments.slice(0, 4) },
              { type: 'response.function_call_arguments.delta', ...of, delta: item.arguments.slice(4) },
              { type: 'response.function_call_arguments.done', ...of, arguments: item.arguments },
            ]
          : [{ type: 'response.novel_call.progress', ...of, share: 0.5 }]
    return [
      { type: 'response.output_item.added', output_index, item: { ...item, status: 'in_progress', content: [], arguments: '' } },
      ...content,
      { type: 'response.output_item.done', output_index, item },
    ]
  })
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...parts,
    { type: `response.${type}`, response: end },
  ]
    .map(frame)
    .join('')
} // biome-ignore format: a list of events

export const eventsOf = (text: string): Json[] =>
  text.split('\n').flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6))] : []))
