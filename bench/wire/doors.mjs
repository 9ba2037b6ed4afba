// The client side of the bench: how each dialect asks, and what its answers say. An answer that is not exactly what the
// upstream sent ends the bench.
import { eventsOf } from '../soak/wire.mjs'
import { expected, noStamp, toolName, workloads } from './workloads.mjs'

const schema = (at) => ({
  type: 'object',
  properties: {
    path: {
      type: 'string',
      description: `Where to look (${at}). Absolute paths are best; relative ones are taken from the root.`,
    },
    content: { type: 'string', description: 'All of it, as it is to be.' },
    sentAt: { type: 'string' },
    limit: { type: 'integer', minimum: 1, maximum: 2000, description: 'How many lines at most.' },
  },
  required: ['path'],
})

const toolOf = (at) => ({
  name: at === 0 ? toolName : `tool_${at}`,
  description: `Does what its number says (${at}). ${'Use it with care, once for each file, and read what it says. '.repeat(8)}`,
  schema: schema(at),
})

/** About 200 KB: a conversation of 60 messages in which tools were called. */
function largeHistory() {
  const result = (at) => `${at}: ${'const answer = "42"; // a line of a file that was read\n'.repeat(110)}`
  return Array.from({ length: 30 }, (_, at) => ({
    at,
    question: `Now look at file ${at}.`,
    result: result(at),
  }))
}
const lastWord = 'And this is the last word of the history.'
const question = 'Say many words.'
const system = 'You are a coding agent. Be brief.'

const chatTool = ({ name, description, schema: parameters }) => ({
  type: 'function',
  function: { name, description, parameters },
})
const messagesTool = ({ name, description, schema: input_schema }) => ({ name, description, input_schema })
const responsesTool = ({ name, description, schema: parameters }) => ({
  type: 'function',
  name,
  description,
  parameters,
})

const geminiTool = ({ name, description, schema: parametersJsonSchema }) => ({
  name,
  description,
  parametersJsonSchema,
})

const callArguments = (at) => ({ path: `src/file-${at}.ts` })

function chatBody(model, { stream, large }) {
  const tools = Array.from({ length: large ? 20 : 1 }, (_, at) => chatTool(toolOf(at)))
  const history = large
    ? largeHistory().flatMap(({ at, question: content, result }) => [
        { role: 'user', content },
        {
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: `call_${at}`,
              type: 'function',
              function: { name: 'tool_1', arguments: JSON.stringify(callArguments(at)) },
            },
          ],
        },
        { role: 'tool', tool_call_id: `call_${at}`, content: result },
      ])
    : []
  const last = { role: 'user', content: large ? lastWord : question }
  return { model, stream, messages: [{ role: 'system', content: system }, ...history, last], tools }
}

function messagesBody(model, { stream, large }) {
  const tools = Array.from({ length: large ? 20 : 1 }, (_, at) => messagesTool(toolOf(at)))
  const history = large
    ? largeHistory().flatMap(({ at, question: content, result }) => [
        { role: 'user', content },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: `toolu_${at}`, name: 'tool_1', input: callArguments(at) }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: `toolu_${at}`, content: result }] },
        { role: 'assistant', content: 'Yes.' },
      ])
    : []
  const last = { role: 'user', content: large ? lastWord : question }
  return { model, stream, max_tokens: 64_000, system, messages: [...history, last], tools }
}

function responsesBody(model, { stream, large }) {
  const tools = Array.from({ length: large ? 20 : 1 }, (_, at) => responsesTool(toolOf(at)))
  const history = large
    ? largeHistory().flatMap(({ at, question: content, result }) => [
        { role: 'user', content },
        {
          type: 'function_call',
          call_id: `call_${at}`,
          name: 'tool_1',
          arguments: JSON.stringify(callArguments(at)),
        },
        { type: 'function_call_output', call_id: `call_${at}`, output: result },
      ])
    : []
  const last = { role: 'user', content: large ? lastWord : question }
  return { model, stream, store: false, instructions: system, input: [...history, last], tools }
}

function geminiBody(_model, { large }) {
  const declarations = Array.from({ length: large ? 20 : 1 }, (_, at) => geminiTool(toolOf(at)))
  const history = large
    ? largeHistory().flatMap(({ at, question: text, result }) => {
        const call = { id: `call_${at}`, name: 'tool_1' }
        return [
          { role: 'user', parts: [{ text }] },
          { role: 'model', parts: [{ functionCall: { ...call, args: callArguments(at) } }] },
          { role: 'user', parts: [{ functionResponse: { ...call, response: { output: result } } }] },
          { role: 'model', parts: [{ text: 'Yes.' }] },
        ]
      })
    : []
  const last = { role: 'user', parts: [{ text: large ? lastWord : question }] }
  return {
    contents: [...history, last],
    systemInstruction: { parts: [{ text: system }] },
    tools: [{ functionDeclarations: declarations }],
  }
}

const none = { text: '', call: '' }

const readChat = {
  whole: ({ choices: [{ message }] }) => ({
    text: message.content ?? '',
    call: message.tool_calls?.[0]?.function.arguments ?? '',
  }),
  event: ({ data }) => {
    if (data === '[DONE]') return none
    const { delta = {} } = JSON.parse(data).choices[0] ?? {}
    return {
      text: delta.content ?? '',
      call: (delta.tool_calls ?? []).map((call) => call.function?.arguments ?? '').join(''),
    }
  },
  ends: 'data: [DONE]',
}
const readMessages = {
  whole: ({ content }) => ({ text: content.map(({ text = '' }) => text).join(''), call: '' }),
  event: ({ data }) => {
    const { delta = {} } = JSON.parse(data)
    return { text: delta.text ?? '', call: delta.partial_json ?? '' }
  },
  ends: '"type":"message_stop"',
}
const readResponses = {
  whole: ({ output }) => ({
    text: output.flatMap(({ content = [] }) => content.map(({ text = '' }) => text)).join(''),
    call: '',
  }),
  event: ({ data }) => {
    const { type, delta = '' } = JSON.parse(data)
    return {
      text: type === 'response.output_text.delta' ? delta : '',
      call: type === 'response.function_call_arguments.delta' ? delta : '',
    }
  },
  ends: '"type":"response.completed"',
}

const geminiParts = ({ candidates: [{ content }] }) => ({
  text: content.parts.map(({ text = '' }) => text).join(''),
  call: content.parts.map(({ functionCall: call }) => (call ? JSON.stringify(call.args) : '')).join(''),
})
const readGemini = {
  whole: geminiParts,
  event: ({ data }) => geminiParts(JSON.parse(data)),
  ends: '"finishReason":"STOP"',
}
const geminiPath = (model, { stream }) =>
  `/v1beta/models/${model}:${stream ? 'streamGenerateContent?alt=sse' : 'generateContent'}`

export const doors = {
  chat: { path: '/v1/chat/completions', body: chatBody, read: readChat },
  messages: { path: '/v1/messages', body: messagesBody, read: readMessages },
  responses: { path: '/v1/responses', body: responsesBody, read: readResponses },
  gemini: { path: geminiPath, body: geminiBody, read: readGemini },
}

const mask = (text) => text.replace(/("sentAt":")\d{16}/, `$1${noStamp}`)

/** Throws unless the answer says exactly what was sent. */
export function check(door, model, { status, text }) {
  const plan = workloads[model]
  const wrong = (why) => {
    throw new Error(`${model}: ${why}: ${text.slice(0, 300)} … ${text.slice(-300)}`)
  }
  if (status !== 200) wrong(`status ${status}`)
  const { read } = doors[door]
  const parts = plan.stream ? eventsOf(text).map(read.event) : [read.whole(JSON.parse(text))]
  if (plan.stream && !text.includes(read.ends)) wrong('no end')
  const said = parts.map((part) => part.text).join('')
  const call = parts.map((part) => part.call).join('')
  const wanted = expected(plan)
  if (wanted.text !== undefined && said !== wanted.text) wrong('another text')
  if (wanted.call !== undefined && mask(call) !== wanted.call) wrong('another call')
  if (wanted.stamps !== undefined) {
    const numbers = said.match(/#\d+ t=\d{16};/g) ?? []
    if (numbers.length !== wanted.stamps || !numbers.every((word, at) => word.startsWith(`#${at} `)))
      wrong('words are missing')
  }
}
