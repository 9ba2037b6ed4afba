// Content of requests and answers, computed from its size alone, so both ends know it.
import { prose } from '../sessions/requests.mjs'

const block = prose(16 * 1024, 'plain')
/** Half of the characters need escapes in JSON or more than one byte. */
const awkwardBlock = Array.from(
  { length: 512 },
  (_, at) => `if (a["${at}"] === "\\n\\t") { «é» '日本' } // "x\\\\${at}"\n`,
).join('')

/** `size` characters; kind `awkward` is full of quotes, backslashes and other scripts. */
export function textOf(size, kind = 'plain') {
  const unit = kind === 'awkward' ? awkwardBlock : block
  return unit.repeat(Math.ceil(size / unit.length)).slice(0, size)
}

/** The arguments of the n-th call of an answer. */
export const inputOf = ({ size, kind }, at) => ({ path: `src/file-${at}.ts`, content: textOf(size, kind) })

/** Splits the text into pieces of about this length, like tokens. */
export function cut(text, length) {
  const pieces = []
  for (let at = 0, turn = 0; at < text.length; turn++) {
    const end = at + Math.max(1, Math.round(length * (0.5 + (turn % 5) / 4)))
    pieces.push(text.slice(at, end))
    at = end
  }
  return pieces
}

/** Every message has a unique number, so the upstream can check that all arrived. */
const marked = (at, length) => `m#${at}# ${prose(length, `message ${at}`)}`

/** A history as agents send it: text, calls, parallel calls and their results. `count` is the number of Chat messages. */
export function historyOf(count) {
  const history = []
  let said = 0
  const callsOf = (number) =>
    Array.from({ length: number }, (_, at) => ({
      id: `call_${said}_${at}`,
      name: 'write',
      input: JSON.stringify({ path: `src/file-${said}-${at}.ts`, content: prose(300, `call ${said} ${at}`) }),
    }))
  const add = (entry, messages = 1) => {
    history.push(entry)
    said += messages
  }
  const round = (calls) => {
    add({ text: marked(said, 150), calls })
    const results = calls.map(({ id }, at) => ({ id, content: marked(said + at, 1_200) }))
    add({ results }, results.length)
  }
  while (said < count - 1) {
    const left = count - 1 - said
    const step = history.length % 7
    if (step === 0) add({ user: marked(said, 400) })
    else if (step === 1 && left > 1) round(callsOf(1))
    else if (step === 3 && left > 2) round(callsOf(2))
    else if (step === 5 && left > 1) round(callsOf(1))
    else add({ text: marked(said, 600), calls: [] })
  }
  add({ user: marked(said, 200) })
  return history
}

/** A call with a large argument and a result of the same size, then a question about them. */
export function historyWithArgument(size, kind) {
  const call = { id: 'call_1', name: 'write', input: JSON.stringify(inputOf({ size, kind }, 0)) }
  return [
    { user: 'm#0# Write it.' },
    { text: '', calls: [call] },
    { results: [{ id: call.id, content: textOf(size, kind) }] },
    { user: 'm#1# Is it there?' },
  ]
}

const words = ['path', 'content', 'pattern', 'limit', 'mode', 'options', 'range', 'labels']

/** Tools of about 1.5 KB of JSON each; the upstreams call the first. */
export const toolsOf = (count) =>
  Array.from({ length: count }, (_, at) => ({
    name: at === 0 ? 'write' : `tool_${at}`,
    description: prose(200, `tool ${at}`),
    schema: {
      type: 'object',
      properties: Object.fromEntries(words.map((word, place) => [word, propertyOf(word, place, at)])),
      required: ['path', 'content'],
      additionalProperties: false,
    },
  }))

function propertyOf(word, place, at) {
  const description = prose(90, `${word} of ${at}`)
  if (place < 2) return { type: 'string', description }
  if (place === 5)
    return {
      type: 'object',
      description,
      properties: { deep: { type: 'boolean' }, by: { enum: ['name', 'size', 'time'] } },
    }
  if (place === 7) return { type: 'array', description, items: { type: 'string', maxLength: 80 } }
  return { type: place % 2 ? 'integer' : 'string', description }
}
