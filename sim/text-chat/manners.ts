// The table of manners in which the model writes its calls: as requested, like other models, and badly.

import {
  asked,
  type CallText,
  deepSeekV3,
  deepSeekV31,
  dsml,
  entriesOf,
  fenced,
  glm,
  hermes,
  inTag,
  invoke,
  json,
  kimi,
  llama3,
  mistral,
  mistralV11,
  native,
  parameters,
  qwen3Coder,
  xml,
} from './formats.ts'
import type { Markup } from './markup.ts'

interface MannerRule {
  readonly about: string
  /** Adjacent calls. */
  readonly write: (calls: readonly CallText[], markup: Markup) => string
  /** The abnormal end of the answer; nothing follows such calls. */
  readonly end?: string
}

export const MANNERS = {
  asked: { about: 'in the format and the tag of the prompt', write: asked },
  hermes: { about: 'JSON in the tag, whatever the prompt says', write: hermes },
  'qwen3-coder': { about: '`<function=…>` in the tag, whatever the prompt says', write: qwen3Coder },
  native: { about: 'as asked, but in `<tool_call>`, whatever the tag', write: native },
  'bare-function': {
    about: '`<function=…>` without the tag',
    write: (calls) => calls.map(xml).join('\n'),
  },
  'fenced-json': { about: 'JSON in a code fence; several as one array', write: fenced },
  'bare-json': { about: 'JSON without anything around it, one object per line', write: bareJson },
  glm: { about: 'name, `<arg_key>` and `<arg_value>` in `<tool_call>` (GLM 4.5)', write: glm },
  invoke: { about: '`<invoke name="…">` in `<function_calls>`', write: invoke },
  dsml: { about: 'the same with `｜DSML｜` in each tag (DeepSeek V3.2)', write: dsml },
  mistral: { about: '`[TOOL_CALLS]` and a JSON array', write: mistral },
  'mistral-v11': { about: '`[TOOL_CALLS]name[ARGS]{…}`', write: mistralV11 },
  kimi: { about: 'special tokens and `functions.name:0` (Kimi K2)', write: kimi },
  'deepseek-v3': { about: 'other special tokens and fenced JSON', write: deepSeekV3 },
  'deepseek-v3.1': { about: 'the same tokens and JSON without a fence', write: deepSeekV31 },
  llama3: { about: 'the Python token and JSON with `parameters`, `;` between', write: llama3 },
  'no-close-tag': {
    about: 'as asked, without closing tags',
    write: (calls, { callTag, format }) =>
      calls.map((call) => `<${callTag}>\n${format === 'xml' ? xml(call) : json(call)}`).join('\n'),
  },
  'missing-brace': {
    about: 'JSON in the tag, its last brace missing',
    write: broken((text) => text.slice(0, -1)),
  },
  'raw-newlines': {
    about: 'JSON in the tag, line breaks and tabs in its strings not escaped',
    write: broken((text) => text.replace(/\\(.)/g, (pair, of) => RAW[of] ?? pair)),
  },
  'unescaped-quotes': {
    about: 'JSON in the tag, quotes in its strings not escaped',
    write: broken((text) => text.replace(/\\(.)/g, (pair, of) => (of === '"' ? '"' : pair))),
  },
  'double-encoded': {
    about: 'JSON in the tag, its `arguments` a string of JSON',
    write: (calls, markup) =>
      hermes(
        calls.map(({ name, json: input }) => ({ name, json: JSON.stringify(input) })),
        markup,
      ),
  },
  'array-in-one-tag': {
    about: 'all calls as one JSON array in one tag',
    write: (calls, { callTag }) => inTag(callTag, `[${calls.map(json).join(', ')}]`),
  },
  'alias-keys': {
    about: 'JSON in the tag, with `tool` and `parameters` for `name` and `arguments`',
    write: (calls, { callTag }) =>
      calls
        .map(({ name, json: input }) =>
          inTag(callTag, `{"tool": ${JSON.stringify(name)}, "parameters": ${input}}`),
        )
        .join('\n'),
  },
  hopeless: {
    about: 'a closed tag with what nobody can read as a call',
    write: (calls, { callTag }) =>
      calls
        .map(({ name }) =>
          inTag(callTag, `{"name": ${JSON.stringify(name)}, "arguments": {"path": ]%, :: oh }{`),
        )
        .join('\n'),
  },
  'no-call': {
    about: 'only prose that announces the calls',
    write: (calls) => `I will use ${calls.map(({ name }) => name).join(' and ')} for this.`,
  },
  cut: { about: 'the last call ends in its middle, for want of tokens', write: cut, end: 'length' },
  'thinks-aloud': {
    about: '`<think>` with a call that is not meant, `not-meant` in all its texts, then the real one',
    write: (calls, markup) =>
      `<think>\nI could try this:\n${asked(calls.map(notMeant), markup)}\nBut no.\n</think>\n\n${asked(calls, markup)}`,
  },
  'invents-results': {
    about: 'as asked, then results of its own invention and what follows from them',
    write: (calls, markup) => {
      const results = calls.map(() => inTag(markup.resultTag, 'an invented result'))
      return `${asked(calls, markup)}\n${results.join('\n')}\nSo the answer is: an invented result`
    },
  },
  talkative: {
    about: 'as asked, with prose in front and behind',
    write: (calls, markup) => `Let me look at this.\n\n${asked(calls, markup)}\n\nI wait for what comes.`,
  },
} satisfies Record<string, MannerRule>

export type Manner = keyof typeof MANNERS

export function isManner(name: string): name is Manner {
  return Object.hasOwn(MANNERS, name)
}

export function ruleOf(manner: Manner): MannerRule {
  return MANNERS[manner]
}

const RAW: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t' }

function bareJson(calls: readonly CallText[]): string {
  return calls.map(json).join('\n')
}

function broken(spoil: (text: string) => string): MannerRule['write'] {
  return (calls, { callTag }) => calls.map((call) => inTag(callTag, spoil(json(call)))).join('\n')
}

/** In the middle of the last call's arguments. */
function cut(calls: readonly CallText[], markup: Markup): string {
  const { callTag, format } = markup
  const last = calls.at(-1)
  const shape =
    format === 'xml' ? { end: '</function>', input: parameters(last) } : { end: '}', input: last?.json }
  const missing = `${shape.end}\n</${callTag}>`.length + Math.ceil((shape.input?.length ?? 0) / 2)
  return asked(calls, markup).slice(0, -missing)
}

function notMeant({ name, json: input }: CallText): CallText {
  const entries = entriesOf(input).map(([key, value]) => [
    key,
    typeof value === 'string' ? 'not-meant' : value,
  ])
  return { name, json: JSON.stringify(Object.fromEntries(entries)) }
}
