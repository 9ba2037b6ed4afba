// Patterns that can take more than linear time and may: with the reason, which the code must keep true.

export interface Exception {
  file: string
  /** The pattern, or the beginning of a long one. */
  begins: string
  reason: string
}

const shortText = 'the text is cut to a few hundred characters first'
const shortClause = 'readClause takes no more than LONGEST_CLAUSE characters'

export const exceptions: readonly Exception[] = [
  {
    file: 'src/local-tools/shell/task-group.ts',
    begins: '^\\d+:([^:]*,)?pids',
    reason: 'reads what the kernel writes',
  },
  {
    file: 'src/judge/probe/card-text.ts',
    begins: '\\B(?=(\\d{3})+$)',
    reason: 'sees the digits of one number',
  },
  {
    file: 'src/protocols/client-tools/file-formats.ts',
    begins: '^[[(][^\\n]*\\blines?\\b',
    reason: shortText,
  },
  {
    file: 'src/protocols/client-tools/file-formats.ts',
    begins: '^(?:(?:file|path|filename)',
    reason: shortText,
  },
  {
    file: 'src/protocols/client-tools/read-search.ts',
    begins: '^(?:\\((?:.*\\b(?:truncated',
    reason: 'sees no line beyond maxNoticeLength',
  },
  {
    file: 'src/setup/mask.ts',
    begins: '"(?:[^"\\\\\\n]|\\\\.)*"',
    reason: 'a part of others, which are checked whole',
  },
  { file: 'sim/model/wish-patterns.ts', begins: '\\b(?:(?:search|grep|look)', reason: shortClause },
  { file: 'sim/model/wish-patterns.ts', begins: '\\b(?:list|show)\\b.*', reason: shortClause },
  { file: 'sim/model/wish-patterns.ts', begins: '\\b(?:read|open|show|view', reason: shortClause },
  { file: 'sim/model/wish-patterns.ts', begins: '\\b(?:run|execute)', reason: shortClause },
  { file: 'sim/model/wish-patterns.ts', begins: '\\b(?:(?:create|write', reason: shortClause },
  { file: 'sim/model/wish-patterns.ts', begins: '\\b(?:append|add)', reason: shortClause },
  { file: 'sim/model/wish-patterns.ts', begins: '\\b(?:replace|change)', reason: shortClause },
  { file: 'sim/model/wish-patterns.ts', begins: '\\bin\\s+', reason: shortClause },
  { file: 'sim/model/wish-patterns.ts', begins: '\\b(?:write|save|put)', reason: shortClause },
  {
    file: 'scripts/mutations.mjs',
    begins: 'Tests .*?(\\d+) failed',
    reason: "reads our own test run's output",
  },
]

/** Patterns that are built when a function is called: samples of what is built, or why it is harmless. */
export interface BuiltOnCall {
  file: string
  /** How the expression begins, with `{` for what opens a part of a template. */
  code: string
  reason?: string
  samples?: readonly RegExp[]
}

export const builtOnCall: readonly BuiltOnCall[] = [
  { file: 'src/judge/probe/checks.ts', code: "new RegExp(literal(words), 'i')", samples: [/a\.b/i] },
  {
    file: 'src/judge/probe/checks.ts',
    code: 'new RegExp(`(?<![\\\\d.]){literal(words)}',
    samples: [/(?<![\d.])12(?:\.0+)?(?!\d)/],
  },
  {
    file: 'src/judge/probe/checks.ts',
    code: 'new RegExp(`^(?:\\\\./)?{literal(name)}/?$`)',
    samples: [/^(?:\.\/)?a\.ts\/?$/],
  },
  {
    file: 'src/judge/probe/schema-check.ts',
    code: "new RegExp(schema.pattern, 'u')",
    reason: 'the schemas are ours',
  },
  { file: 'src/setup/yaml-edit.ts', code: 'new RegExp(`^{list}:[ ]+#`)', samples: [/^models:[ ]+#/] },
  {
    file: 'src/local-tools/search/rg-pattern.ts',
    code: 'new RegExp(source, `gsv',
    reason: "the model's own pattern, which within-time.ts stops",
  },
  {
    file: 'src/local-tools/search/rg-pattern.ts',
    code: "new RegExp(source, 'v')",
    reason: 'is built to see whether it can be',
  },
  {
    file: 'src/protocols/client-tools/read-search.ts',
    code: 'new RegExp(pattern)',
    reason: "the model's own pattern, which caseFilter counts the steps of",
  },
  {
    file: 'src/protocols/tool-text/escape.ts',
    code: "new RegExp(alternatives.join('|'), 'gi')",
    samples: [
      /<(?=(tool_call\s*>|\/tool_call\s*>|tools\s*>))|&lt;(?=(tool_call\s*>))|\[(?=(TOOL_CALLS\]))/gi,
    ],
  },
  {
    file: 'sim/model/sample-value.ts',
    code: "new RegExp(schema.pattern, 'u')",
    reason: 'is tried on LONGEST_TRIED characters',
  },
  { file: 'sim/text-chat/blocks.ts', code: 'new RegExp(`^<{callTag}>\\\\n`', samples: [/^<tool_call>\n/gm] },
  {
    file: 'sim/text-chat/blocks.ts',
    code: 'new RegExp(`^<{resultTag}>\\\\n`',
    samples: [/^<tool_response>\n/gm],
  },
  {
    file: 'sim/text-chat/blocks.ts',
    code: 'new RegExp(`(?:<|&lt;)',
    samples: [/(?:<|&lt;)(?:tool_call\b|function=)/],
  },
]
