// Lessons about tools: refusals of their schemas, of `strict`, and of an answer format beside them. What was refused for one set of
// tools may be taken for another, so most of these lessons belong to the tools.

import type { Fields } from '../../../base/json.ts'
import { followedBy, oneOf, type Words } from '../../../base/words.ts'
import type { ServerTraits } from './traits.ts'

interface RefusedTools {
  /** The text of the service's error. */
  text: string
  body: Readonly<Fields>
  /** The gateway has asked for `strict`, not the client. */
  isStrictAsked: boolean
}

interface ToolLesson {
  lesson: Partial<ServerTraits>
  /** tools: for the same set of tools. model: for all. */
  scope: 'tools' | 'model'
}

interface Rule {
  says: Words
  lesson(refused: RefusedTools): ToolLesson['lesson'] | undefined
  scope: ToolLesson['scope']
}

const unasked = { strictTools: 'ignored', strictUnasked: false } as const

/** Constraints that a grammar may not have. They are told in the descriptions instead. */
const beyondXgrammar = [
  'multipleOf',
  'uniqueItems',
  'contains',
  'minContains',
  'maxContains',
  'propertyNames',
  'patternProperties',
]

/** `Invalid 'tools': array too long. Expected an array with maximum length 128`, `'tools' : maximum number of items is 128`. */
const tooManyTools = oneOf(
  followedBy(/\btools\b/i, /array too long|maximum number of items|at most \d+ items/i),
  /too many tools|maximum (?:number of )?tools|at most \d+ tools/i,
)

/** Below it, a search and what it finds have no room. */
const fewestTools = 8

/** The first number that can be the limit: the others are about what was sent. */
function mostToolsIn({ text, body }: RefusedTools): ToolLesson['lesson'] | undefined {
  const sent = Array.isArray(body.tools) ? body.tools.length : 0
  const numbers = [...text.matchAll(/\b\d{1,5}\b/g)].map(([digits]) => Number(digits))
  const mostTools = numbers.find((number) => number >= fewestTools && number < sent)
  return mostTools === undefined ? undefined : { mostTools }
}

const rules: readonly Rule[] = [
  // llama.cpp and LM Studio make one grammar of all tools.
  {
    says: oneOf(
      /failed to parse grammar|JSON schema conversion failed|Pattern must start with/i,
      /Unable to generate parser for this template/i,
    ),
    lesson: () => ({ schemas: 'gbnf' }),
    scope: 'tools',
  },
  // A forced choice is held to the schema whatever `strict` says.
  {
    says: /features not supported by xgrammar/i,
    lesson: () => ({ ...unasked, schemaKeywords: beyondXgrammar }),
    scope: 'tools',
  },
  {
    says: oneOf(
      /invalid schema for function|invalid_function_parameters|compiled grammar is too large/i,
      /too many strict tools|too many optional parameters|schema is too complex/i,
      followedBy(/tools? with strict/i, /not supported/i),
    ),
    lesson: ({ isStrictAsked }) => (isStrictAsked ? unasked : undefined),
    scope: 'tools',
  },
  {
    says: /mixed values for 'strict'/i,
    lesson: ({ isStrictAsked }) => (isStrictAsked ? unasked : { evenStrict: true }),
    scope: 'model',
  },
  {
    says: oneOf(/tool parameter root must be an object/i, /recursive JSON schemas are not/i),
    lesson: () => ({ schemas: 'xai' }),
    scope: 'model',
  },
  { says: tooManyTools, lesson: mostToolsIn, scope: 'model' },
  { says: /moonshot flavored json schema/i, lesson: () => ({ schemas: 'moonshot' }), scope: 'model' },
  {
    says: oneOf(
      followedBy(/tools"? (?:is|are) incompatible with/i, /response_format/i),
      followedBy(
        /response_format|json mode/i,
        /cannot be combined with (?:tool|function)|not supported with tools/i,
      ),
    ),
    lesson: ({ body }) => (body.response_format === undefined ? undefined : { formatBesideTools: false }),
    scope: 'model',
  },
]

/** Undefined if the text is not about tools, or names no change. */
export function toolLessonOf(refused: RefusedTools): ToolLesson | undefined {
  if (refused.body.tools === undefined) return undefined
  for (const { says, lesson: learn, scope } of rules) {
    const lesson = says.test(refused.text) ? learn(refused) : undefined
    if (lesson) return { lesson, scope }
  }
  return undefined
}
