// The table of markups in which models write tool calls: the requested one, and those that models fall back to because they
// were trained on them. Another family with JSON in a tag needs only a row in `wrappers`.

import { defaultCallTag, type Markup } from './markup.ts'

/** The body of a call that is not JSON: values are raw text between tags. */
export interface ValueDialect {
  /** Begins a value; its head follows, up to `headEnd`. */
  valueOpen: string
  headEnd: string
  /** A line end also ends the head: models forget the bracket. */
  headEndsAtLine: boolean
  readHead(head: string): { key: string; isString?: boolean } | undefined
  valueClose: string
  /** Begins a call of the same kind: a value may quote one. */
  callOpen: string
  callClose: string
  /** One line end after the opening tag and one before the closing tag are markup. */
  trimsLineEnds: boolean
}

export type Opening =
  /** A tag around calls. JSON or another opening follows; with `names`, also the bare name of a tool. */
  | { kind: 'block'; marker: string; names?: ValueDialect }
  /** The tool's name, then values between tags. Without a tag around it, it is a call only if the tool is known. */
  | { kind: 'values'; marker: string; dialect: ValueDialect; readName(head: string): string | undefined }
  /** A head with the tool's name, which ends where JSON begins. */
  | { kind: 'named'; marker: string; readName(head: string): string | undefined }

const unquoted = (text: string) => text.trim().replace(/^(["'])(.*)\1$/s, '$2')
const nonEmpty = (text: string) => (text === '' ? undefined : text)

function functionDialect(): ValueDialect {
  return {
    valueOpen: '<parameter=',
    headEnd: '>',
    headEndsAtLine: true,
    readHead: (head) => {
      const key = unquoted(head)
      return key === '' ? undefined : { key }
    },
    valueClose: '</parameter>',
    callOpen: '<function=',
    callClose: '</function>',
    trimsLineEnds: true,
  }
}

/** `string="true"` marks text, `string="false"` JSON. Other attributes are ignored. */
const attributes = /^\s*(?:"([^"]+)"|'([^']+)')((?:\s+[\w:-]+=(?:"[^"]*"|'[^']*'))*)\s*$/
const stringAttribute = /\sstring=["'](true|false)["']/

function invokeDialect(prefix: string): ValueDialect {
  return {
    valueOpen: `<${prefix}parameter name=`,
    headEnd: '>',
    headEndsAtLine: false,
    readHead: (head) => {
      const found = attributes.exec(head)
      const key = found?.[1] ?? found?.[2]
      if (!key) return undefined
      const isString = stringAttribute.exec(found?.[3] ?? '')?.[1]
      return { key, ...(isString === undefined ? {} : { isString: isString === 'true' }) }
    },
    valueClose: `</${prefix}parameter>`,
    callOpen: `<${prefix}invoke name=`,
    callClose: `</${prefix}invoke>`,
    trimsLineEnds: false,
  }
}

function pairDialect(tag: string): ValueDialect {
  return {
    valueOpen: '<arg_key>',
    headEnd: '<arg_value>',
    headEndsAtLine: false,
    readHead: (head) => {
      const key = /^([^<]*)<\/arg_key>\s*$/.exec(head)?.[1]?.trim()
      return key ? { key } : undefined
    },
    valueClose: '</arg_value>',
    callOpen: `<${tag}>`,
    callClose: `</${tag}>`,
    trimsLineEnds: false,
  }
}

const dsml = '｜DSML｜'
const antml = 'antml:'
const invokePrefixes = ['', dsml, antml, 'atem:', 'steptml:']

/** Tags around JSON, or around calls of another opening. */
const wrappers = [
  ['<tool_calls>', '</tool_calls>'],
  ['<function_calls>', '</function_calls>'],
  ['<function_call>', '</function_call>'],
  [`<${antml}function_calls>`, `</${antml}function_calls>`],
  ['<atem:function_calls>', '</atem:function_calls>'],
  ['<minimax:tool_call>', '</minimax:tool_call>'],
  ['<seed:tool_call>', '</seed:tool_call>'],
  ['<longcat_tool_call>', '</longcat_tool_call>'],
  ['<dots_function_call>', '</dots_function_call>'],
  [`<${dsml}function_calls>`, `</${dsml}function_calls>`],
  [`<${dsml}tool_calls>`, `</${dsml}tool_calls>`],
  ['<｜tool▁calls▁begin｜>', '<｜tool▁calls▁end｜>'],
  ['<｜tool_calls_begin｜>', '<｜tool_calls_end｜>'],
  ['<｜tool_call_begin｜>', '<｜tool_call_end｜>'],
  ['<|tool_calls_section_begin|>', '<|tool_calls_section_end|>'],
  ['<|tool_call|>', '<|/tool_call|>'],
  ['<|tools_prefix|>', '<|tools_suffix|>'],
  ['<|action_start|><|plugin|>', '<|action_end|>'],
  ['<|python_tag|>', '<|eom_id|>'],
] as const

const named: Extract<Opening, { kind: 'named' }>[] = [
  {
    kind: 'named',
    marker: '<｜tool▁call▁begin｜>',
    readName: (head) =>
      /^\s*(?:function<｜tool▁sep｜>\s*([^\s<`]+)\s*(?:```(?:json)?\s*)?|([^\s<]+)<｜tool▁sep｜>\s*)$/
        .exec(head)
        ?.slice(1)
        .find(Boolean),
  },
  {
    kind: 'named',
    marker: '<|tool_call_begin|>',
    readName: (head) =>
      /^\s*(?:functions\.)?([^\s<:]+?)(?::\d+)?\s*<\|tool_call_argument_begin\|>\s*$/.exec(head)?.[1],
  },
  {
    kind: 'named',
    marker: '[TOOL_CALLS]',
    readName: (head) => /^\s*([\w.-]+)\s*(?:(?:\[CALL_ID\]\w*(?:\[ARGS\])?|\[ARGS\])\s*)?$/.exec(head)?.[1],
  },
]

const otherClosings = ['<｜tool▁call▁end｜>', '<|tool_call_end|>', '</function>', '<|eot_id|>']

export interface Families {
  openings: readonly Opening[]
  /** The tags around one call, in lower case: `looseTagAt` accepts their careless spellings. */
  callTags: readonly string[]
  /** Tags that close a call or its wrapper. */
  closings: readonly string[]
  /** Tags that open a result. A model that writes one makes up the answer to its own call. */
  resultOpenings: readonly string[]
  /** All spellings that the parser acts on: text from anyone but the model is escaped. */
  markers: readonly string[]
}

/** A cache by tags: a configuration names few. */
const known = new Map<string, Families>()

export function familiesOf(markup: Markup): Families {
  const key = `${markup.callTag} ${markup.resultTag}`
  const families = known.get(key) ?? makeFamilies(markup)
  known.set(key, families)
  return families
}

function makeFamilies(markup: Markup): Families {
  const tags = [...new Set([markup.callTag, defaultCallTag])]
  const functions = functionDialect()
  const openings: Opening[] = [
    ...tags.map((tag): Opening => ({ kind: 'block', marker: `<${tag}>`, names: pairDialect(tag) })),
    ...wrappers.map(([marker]): Opening => ({ kind: 'block', marker })),
    {
      kind: 'values',
      marker: '<function=',
      dialect: functions,
      readName: (head) => nonEmpty(unquoted(head)),
    },
    ...invokePrefixes.map(
      (prefix): Opening => ({
        kind: 'values',
        marker: `<${prefix}invoke name=`,
        dialect: invokeDialect(prefix),
        readName: (head) => nonEmpty(unquoted(head)),
      }),
    ),
    ...named,
  ]
  const dialects = openings.flatMap((opening) => (opening.kind === 'values' ? [opening.dialect] : []))
  const resultOpenings = [...new Set([`<${markup.resultTag}>`, '<tool_response>'])]
  const closings = [
    ...tags.map((tag) => `</${tag}>`),
    ...wrappers.map(([, closing]) => closing),
    ...dialects.map(({ callClose }) => callClose),
    ...otherClosings,
  ]
  const markers = [
    ...openings.map(({ marker }) => marker),
    ...closings,
    ...dialects.flatMap(({ valueOpen, valueClose }) => [valueOpen, valueClose]),
    ...resultOpenings,
    ...resultOpenings.map((opening) => opening.replace('<', '</')),
    // With attributes.
    ...tags.map((tag) => `<${tag} `),
    '<tools>',
    '</tools>',
    '<arg_key>',
    '<arg_value>',
    '</arg_key>',
    '</arg_value>',
  ]
  return {
    openings,
    callTags: tags.map((tag) => tag.toLowerCase()),
    closings: [...new Set(closings)],
    resultOpenings,
    markers: [...new Set(markers)],
  }
}
