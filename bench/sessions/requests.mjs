// Requests of agents, small ones and ones as large as in the middle of a working day. The k-th request reads its own file, so an
// answer from another session's result is detected.

export const model = 'cursor/composer-2'

export const readTool = {
  type: 'function',
  function: {
    name: 'read',
    description: 'Read a file',
    parameters: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
}

export const fileOf = (k) => `file-${k}.txt`
export const contentOf = (k) => `content of number ${k}`

export const smallRequest = (k) => ({
  model,
  tools: [readTool],
  messages: [{ role: 'user', content: `Read ${fileOf(k)}` }],
})

/** `length` characters of artificial prose, about as repetitive as real prose; reproducible by `seed`. */
export function prose(length, seed) {
  let text = `${seed}: `
  for (let next = hashOf(seed); text.length < length; next = step(next))
    text += sentences[next % sentences.length]
  return text.slice(0, length)
}

const step = (state) => (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0

const hashOf = (text) => [...text].reduce((hash, char) => step(hash ^ char.charCodeAt(0)), 7)

const syllables =
  'ba con der el fi gra hin is ju ken lor me nat or pre qui ran ste tor un vi wor ex ty'.split(' ')

const sentences = Array.from({ length: 1021 }, (_, index) => {
  let state = step(index + 1)
  const pick = (count) => {
    state = step(state)
    return state % count
  }
  const word = () => Array.from({ length: 1 + pick(3) }, () => syllables[pick(syllables.length)]).join('')
  return `${Array.from({ length: 6 + pick(10) }, word).join(' ')} ${pick(10_000)}.\n`
})

const parameterCount = 10

/** About 2.5 KB of JSON. */
function largeTool(index) {
  const properties = Array.from({ length: parameterCount }, (_, at) => [
    `parameter_${at}`,
    {
      type: at % 3 === 0 ? 'array' : 'string',
      ...(at % 3 === 0 ? { items: { type: 'string', enum: ['one', 'two', 'three'] } } : {}),
      description: prose(150, `tool ${index}, parameter ${at}`),
    },
  ])
  return {
    type: 'function',
    function: {
      name: `tool_${index}`,
      description: prose(300, `tool ${index}`),
      parameters: {
        type: 'object',
        properties: Object.fromEntries(properties),
        required: ['parameter_0', 'parameter_1'],
        additionalProperties: false,
      },
    },
  }
}

const toolCount = 25
const systemLength = 12 * 1024
const resultLength = 4 * 1024
const pastCalls = 9

/** Sessions of one kind of agent: the same tools, but different folders and histories. */
const realisticTools = [readTool, ...Array.from({ length: toolCount - 1 }, (_, index) => largeTool(index))]

export const realisticRequest = (k) => ({
  model,
  tools: realisticTools,
  messages: [
    { role: 'system', content: prose(systemLength, `agent of number ${k}`) },
    { role: 'user', content: prose(500, `task of number ${k}`) },
    ...Array.from({ length: pastCalls }, (_, round) => pastRound(k, round)).flat(),
    { role: 'assistant', content: 'All of that is read.' },
    { role: 'user', content: `Read ${fileOf(k)}` },
  ],
})

function pastRound(k, round) {
  const id = `call_past_${k}_${round}`
  const input = JSON.stringify({ path: `past-${round}.txt` })
  return [
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id, type: 'function', function: { name: 'read', arguments: input } }],
    },
    { role: 'tool', tool_call_id: id, content: prose(resultLength, `past ${round} of number ${k}`) },
  ]
}

export const requests = { small: smallRequest, realistic: realisticRequest }
