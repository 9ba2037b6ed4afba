// One answer of a model as each service writes it. Arguments are put in as text: numbers and blanks stay as the model emits them.

import { encodeChunk } from '../../sim/clouds/event-stream.ts'
import { isNightly } from '../depth.ts'
import { type AskedUpstream, eventStream, type ScriptedAnswer } from '../scripted-upstream.ts'
import { geminiStreamed, geminiWhole } from './gemini-rendering.ts'

export interface ModelCall {
  id: string
  name: string
  arguments: string
  /** In place of the usual block of a call in text. */
  block?: string | undefined
}

export interface ModelAnswer {
  text: string
  /** With a signature, where the dialect has one. */
  thinking?: string
  calls: readonly ModelCall[]
  usage: { input: number; output: number }
}

export const dialects = ['chat', 'messages', 'responses', 'text'] as const
/** Claude on a cloud speaks Messages, in another frame. By night. */
export const allDialects = [...dialects, 'gemini', 'bedrock', 'vertex'] as const
export type Dialect = (typeof allDialects)[number]
export const dialectsOfTheRun: readonly Dialect[] = isNightly ? allDialects : [...dialects, 'gemini']

export type Spoken = Exclude<Dialect, 'bedrock' | 'vertex'>
export const spokenBy = (dialect: Dialect): Spoken =>
  dialect === 'bedrock' || dialect === 'vertex' ? 'messages' : dialect

const quoted = (value: unknown) => JSON.stringify(value)

export function render(dialect: Dialect, answer: ModelAnswer, stream: boolean): ScriptedAnswer {
  const [whole, streamed] = writers[spokenBy(dialect)]
  if (!stream) return { body: whole(answer) }
  const body = streamed(answer)
  if (dialect !== 'bedrock') return { headers: eventStream, body }
  const data = body.split('\n').filter((line) => line.startsWith('data: '))
  const frames = data.map((line) => encodeChunk(line.slice('data: '.length)))
  return { headers: { 'content-type': 'application/vnd.amazon.eventstream' }, body: Buffer.concat(frames) }
}

/** Whether the service was asked for a stream. Clouds and Gemini are by the path. */
export const isStreamAsked = ({ path, body }: Pick<AskedUpstream, 'path' | 'body'>): boolean =>
  /-stream|:stream/.test(path) || JSON.parse(body).stream === true

/** Whether the arguments came from the service as text, whose bytes can be kept. */
export const sendsText = (dialect: Dialect, asked: AskedUpstream | undefined): boolean =>
  dialect !== 'gemini' && (spokenBy(dialect) !== 'messages' || (asked !== undefined && isStreamAsked(asked)))

type Writer = (answer: ModelAnswer) => string

/** Arguments come in pieces, one of which ends inside a word. */
function piecesOf(text: string): string[] {
  const third = Math.ceil(text.length / 3)
  return [text.slice(0, third), text.slice(third, 2 * third), text.slice(2 * third)].filter(
    (one) => one !== '',
  )
}

const chatUsage = ({ input, output }: ModelAnswer['usage']) => ({
  prompt_tokens: input,
  completion_tokens: output,
  total_tokens: input + output,
})

const chatCall = ({ id, name, arguments: input }: ModelCall) => ({
  id,
  type: 'function',
  function: { name, arguments: input },
})

const endOf = ({ calls }: ModelAnswer) => (calls.length > 0 ? 'tool_calls' : 'stop')

const chatWhole: Writer = (answer) =>
  quoted({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: answer.text,
          ...(answer.calls.length > 0 ? { tool_calls: answer.calls.map(chatCall) } : {}),
        },
        finish_reason: endOf(answer),
      },
    ],
    usage: chatUsage(answer.usage),
  })

const chatStreamed: Writer = (answer) => {
  const frame = (choices: object[], more: object = {}) =>
    `data: ${quoted({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more })}\n\n`
  const delta = (one: object, finish_reason: string | null = null) =>
    frame([{ index: 0, delta: one, finish_reason }])
  return [
    delta({ role: 'assistant', content: '' }),
    ...piecesOf(answer.text).map((content) => delta({ content })),
    ...answer.calls.flatMap((call, index) => [
      delta({ tool_calls: [{ index, ...chatCall({ ...call, arguments: '' }) }] }),
      ...piecesOf(call.arguments).map((piece) =>
        delta({ tool_calls: [{ index, function: { arguments: piece } }] }),
      ),
    ]),
    delta({}, endOf(answer)),
    frame([], { usage: chatUsage(answer.usage) }),
    'data: [DONE]\n\n',
  ].join('')
}

const message = (content: string, { usage }: ModelAnswer, stop: string | null) =>
  `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[${content}],"stop_reason":${quoted(stop)},"stop_sequence":null,` +
  `"usage":{"input_tokens":${usage.input},"output_tokens":${stop === null ? 1 : usage.output}}}`

const stopOf = ({ calls }: ModelAnswer) => (calls.length > 0 ? 'tool_use' : 'end_turn')
const signature = 'c2lnbmVk'

const messagesWhole: Writer = (answer) => {
  const thinking = answer.thinking && [quoted({ type: 'thinking', thinking: answer.thinking, signature })]
  const blocks = [
    ...(thinking || []),
    quoted({ type: 'text', text: answer.text }),
    ...answer.calls.map(
      ({ id, name, arguments: input }) =>
        `{"type":"tool_use","id":${quoted(id)},"name":${quoted(name)},"input":${input}}`,
    ),
  ]
  return message(blocks.join(','), answer, stopOf(answer))
}

const messagesStreamed: Writer = (answer) => {
  const frame = (type: string, rest: string) => `event: ${type}\ndata: {"type":"${type}"${rest}}\n\n`
  let index = 0
  const block = (start: object, deltas: object[]) => {
    const of = `,"index":${index++}`
    return [
      frame('content_block_start', `${of},"content_block":${quoted(start)}`),
      ...deltas.map((delta) => frame('content_block_delta', `${of},"delta":${quoted(delta)}`)),
      frame('content_block_stop', of),
    ].join('')
  }
  const { thinking, text } = answer
  return [
    frame('message_start', `,"message":${message('', answer, null)}`),
    ...(thinking
      ? [block({ type: 'thinking', thinking: '' }, [{ type: 'thinking_delta', thinking }, { type: 'signature_delta', signature }])]
      : []),
    block({ type: 'text', text: '' }, piecesOf(text).map((piece) => ({ type: 'text_delta', text: piece }))),
    ...answer.calls.map(({ id, name, arguments: input }) =>
      block(
        { type: 'tool_use', id, name, input: {} },
        piecesOf(input).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      ),
    ),
    frame('message_delta', `,"delta":{"stop_reason":"${stopOf(answer)}","stop_sequence":null},"usage":{"output_tokens":${answer.usage.output}}`),
    frame('message_stop', ''),
  ].join('')
} // biome-ignore format: a list of events

const itemsOf = ({ text, thinking, calls }: ModelAnswer) => [
  ...(thinking ? [{ id: 'rs_1', type: 'reasoning', summary: [], encrypted_content: 'sealed' }] : []),
  {
    id: 'msg_1',
    type: 'message',
    status: 'completed',
    role: 'assistant',
    content: [{ type: 'output_text', text, annotations: [], logprobs: [] }],
  },
  ...calls.map(({ id, name, arguments: input }) => ({
    id: `fc_${id}`,
    type: 'function_call',
    status: 'completed',
    call_id: id,
    name,
    arguments: input,
  })),
]

const response = (answer: ModelAnswer, output: object[], status = 'completed') => ({
  id: 'resp_1',
  object: 'response',
  created_at: 1,
  status,
  incomplete_details: null,
  model: 'm',
  tools: [],
  output,
  usage:
    status === 'completed'
      ? {
          input_tokens: answer.usage.input,
          output_tokens: answer.usage.output,
          total_tokens: answer.usage.input + answer.usage.output,
        }
      : null,
})

const responsesStreamed: Writer = (answer) => {
  const items = itemsOf(answer)
  const begun = response(answer, [], 'in_progress')
  const events: object[] = [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...items.flatMap((item, output_index) => itemEvents(item, output_index)),
    { type: 'response.completed', response: response(answer, items) },
  ]
  return events
    .map((event, sequence_number) => {
      const { type } = event as { type: string }
      return `event: ${type}\ndata: ${quoted({ ...event, sequence_number })}\n\n`
    })
    .join('')
}

function itemEvents(item: ReturnType<typeof itemsOf>[number], output_index: number): object[] {
  const of = { item_id: item.id, output_index }
  const added = (begun: object) => ({
    type: 'response.output_item.added',
    output_index,
    item: { ...item, ...begun },
  })
  const done = { type: 'response.output_item.done', output_index, item }
  if ('summary' in item) return [added({}), done]
  if ('arguments' in item) {
    const type = 'response.function_call_arguments'
    return [
      added({ status: 'in_progress', arguments: '' }),
      ...piecesOf(item.arguments).map((delta) => ({ type: `${type}.delta`, ...of, delta })),
      { type: `${type}.done`, ...of, name: item.name, arguments: item.arguments },
      done,
    ]
  }
  const at = { ...of, content_index: 0 }
  const [part] = item.content
  return [
    added({ status: 'in_progress', content: [] }),
    { type: 'response.content_part.added', ...at, part: { ...part, text: '' } },
    ...piecesOf(part?.text ?? '').map((delta) => ({
      type: 'response.output_text.delta',
      ...at,
      delta,
      logprobs: [],
    })),
    { type: 'response.output_text.done', ...at, text: part?.text, logprobs: [] },
    { type: 'response.content_part.done', ...at, part },
    done,
  ]
}

const inText = (answer: ModelAnswer): ModelAnswer => ({
  ...answer,
  text: [answer.text, ...answer.calls.map(blockOf)].join('\n'),
  calls: [],
})

const blockOf = ({ name, arguments: input, block }: ModelCall) =>
  block ?? `<tool_call>\n{"name": ${quoted(name)}, "arguments": ${input}}\n</tool_call>`

const writers: Record<Spoken, [whole: Writer, streamed: Writer]> = {
  chat: [chatWhole, chatStreamed],
  messages: [messagesWhole, messagesStreamed],
  responses: [(answer) => quoted(response(answer, itemsOf(answer))), responsesStreamed],
  gemini: [geminiWhole, geminiStreamed],
  text: [(answer) => chatWhole(inText(answer)), (answer) => chatStreamed(inText(answer))],
}
