// The texts that are parsed: the same every time, and such that both parsers can read them right. No argument begins or
// ends with white space, and none holds entities or closing tags: this is about time.

const string = { type: 'string' }
const objectOf = (properties) => ({ type: 'object', properties, required: Object.keys(properties) })

export const tools = [
  { name: 'write', description: 'Writes a file', schema: objectOf({ path: string, content: string }) },
  {
    name: 'read',
    description: 'Reads a file',
    schema: objectOf({ path: string, limit: { type: 'integer' } }),
  },
  ...Array.from({ length: 18 }, (_, at) => ({
    name: `tool_${at}`,
    description: 'Does something else',
    schema: objectOf({ value: string }),
  })),
]

/** Each with the calls and the prose that must come of it. `length` is that of the argument, or of all texts together. */
export function makeTexts({ kind, format, length }) {
  switch (kind) {
    case 'large':
      return [largeCall(format, length)]
    case 'answers':
      return filled(length, (at) => answer(format, at))
    case 'calls':
      return [manyCalls(format, length)]
    case 'prose':
      return [{ text: repeated(prose, length), calls: [], prose: repeated(prose, length) }]
  }
}

function largeCall(format, length) {
  const call = { name: 'write', input: { path: 'src/table.tsx', content: repeated(code, length) } }
  return { text: `I write the file.\n${written(call, format)}`, calls: [call], prose: 'I write the file.' }
}

function answer(format, at) {
  const calls = [smallCall(at), smallCall(at + 1)]
  const said = `I look at file ${at} first, then at the next one.`
  return { text: [said, ...calls.map((call) => written(call, format))].join('\n'), calls, prose: said }
}

function manyCalls(format, length) {
  const calls = []
  const blocks = []
  let size = 0
  while (size < length) {
    const call = smallCall(calls.length)
    const block = written(call, format)
    calls.push(call)
    blocks.push(block)
    size += block.length
  }
  return { text: blocks.join('\n'), calls, prose: '' }
}

const smallCall = (at) => ({ name: 'read', input: { path: `src/part-${at % 100}.ts`, limit: 100 + at } })

function written({ name, input }, format) {
  if (format === 'json') return `<tool_call>\n${JSON.stringify({ name, arguments: input })}\n</tool_call>`
  const parameters = Object.entries(input).map(([key, value]) => `<parameter=${key}>\n${value}\n</parameter>`)
  return ['<tool_call>', `<function=${name}>`, ...parameters, '</function>', '</tool_call>'].join('\n')
}

const code = `export function Table<T extends Row>({ rows, onPick }: Props<T>) {
  const [open, setOpen] = useState<Map<string, T>>(new Map())
  if (rows.length < 1) return <p className="empty">{\`no "rows" in \${name}\`}</p>
  // Line breaks, quotes, backslashes (\\d+\\n) and brackets [0] all have to survive.
  return <ul>{rows.map((row) => <li key={row.id} onClick={() => onPick(row)}>{row.label}</li>)}</ul>
}

`

const prose = `The loop runs while a < b, and \`Map<string, T>\` holds what is left. A <tool> is not a <tool_kit>, and
[1] refers to the note below; {braces} and "quotes" mean nothing here.

<div class="note">Write <function> names in lower case; see <parameters> for the rest of it.</div>

- if (x << 2 > y) { return [x] }
- "name": "value" is how a member is written

`

function repeated(unit, length) {
  const text = unit.repeat(Math.ceil(length / unit.length)).slice(0, length)
  // So that it ends in no white space, whatever the length.
  return `${text.slice(0, -1)}.`
}

function filled(length, make) {
  const texts = []
  for (let size = 0; size < length; size += texts.at(-1).text.length) texts.push(make(texts.length))
  return texts
}
