// The sentences that the demo model understands, as a table: one row per form.

import type { Question, Wish } from './wish.ts'

/** Puts quoted text back in its place. */
export type Restore = (part: string) => string

interface Pattern {
  readonly match: RegExp
  readonly wish: (groups: (string | undefined)[], restore: Restore) => Wish[]
}

/** What a clause asks about a file. */
export const QUESTIONS: readonly { readonly match: RegExp; readonly question: Question }[] = [
  { match: /\b(?:first |main |top |its )heading\b/i, question: 'heading' },
  { match: /\bhow many lines\b|\bcount\b.{0,40}\blines\b|\bnumber of lines\b/i, question: 'lines' },
  { match: /\bcontents?\b|\bverbatim\b|\bword for word\b|\bwhat (?:it|they) says?\b/i, question: 'content' },
]

const FILE = '(?:an?\\s+|the\\s+)?(?:new\\s+)?(?:file\\s+)?(?:called\\s+|named\\s+)?(\\S+)'
/** What may be run without quotes: anything else that is "run" is hardly a command. */
const COMMANDS = 'ls|pwd|cat|head|tail|wc|echo|date|whoami|uname|git|npm|npx|node|python3?|make|find|grep'

/** Tried in this order: a clause is read as the first that fits. */
export const PATTERNS: readonly Pattern[] = [
  {
    match: new RegExp(
      `\\b(?:run|execute)\\s+(?:.*?(«\\d+»)|((?:${COMMANDS})\\b.*?)(?:,|\\s+and\\s|[.!]?$))`,
      'i',
    ),
    wish: ([quoted, plain], restore) => [{ kind: 'run', command: restore(quoted ?? plain ?? '') }],
  },
  {
    match: new RegExp(
      `\\b(?:(?:create|write|overwrite|fill)\\s+${FILE}|replace\\s+(?:all\\s+)?(?:the\\s+)?contents?\\s+of\\s+${FILE})\\s+(?:with|containing|that says)\\s+(?:the\\s+)?(?:(?:text|contents?)\\s+)?(.+)$`,
      'i',
    ),
    wish: ([made, refilled, text], restore) => writeWish(made ?? refilled, text, restore),
  },
  {
    match: new RegExp(`\\b(?:append|add)\\s+(.+?)\\s+to\\s+(?:the\\s+end\\s+of\\s+)?${FILE}\\s*$`, 'i'),
    wish: ([text = '', place = ''], restore) => {
      const path = pathOf(place, restore)
      return path === undefined ? [] : [{ kind: 'append', path, text: restore(lineOf(text)) }]
    },
  },
  {
    match: new RegExp(
      `\\b(?:replace|change)\\s+(.+?)\\s+(?:with|by|to|into)\\s+(.+?)\\s+in\\s+${FILE}\\s*$`,
      'i',
    ),
    wish: ([old = '', text = '', place = ''], restore) => replaceWish(place, old, text, restore),
  },
  {
    match: new RegExp(
      `\\bin\\s+${FILE}\\s*,?\\s+(?:replace|change)\\s+(.+?)\\s+(?:with|by|to|into)\\s+(.+)$`,
      'i',
    ),
    wish: ([place = '', old = '', text = ''], restore) => replaceWish(place, old, text, restore),
  },
  {
    match: new RegExp(`\\b(?:write|save|put)\\s+(.+?)\\s+(?:to|into|in)\\s+${FILE}(?:\\s*$|(?<=,)\\s)`, 'i'),
    wish: ([text, path], restore) => writeWish(path, text, restore),
  },
  {
    match:
      /\b(?:(?:search|grep|look)\s+(?:.*?\s+)?for|grep|find\s+(?:all\s+)?(?:uses|occurrences|references|mentions)\s+of)\s+(?:the\s+word\s+)?(.+?)(?:\s+in\s+(\S+)(?:\s+\S+)?)?$/i,
    wish: ([pattern = '', where = '.'], restore) => [
      {
        kind: 'search',
        pattern: restore(wordOf(pattern)).replace(/[.?!]$/, ''),
        path: folderOf(where, restore),
      },
    ],
  },
  {
    match:
      /\b(?:list|show)\s+(?:the\s+)?(?:folder|directory)\s+(?!and\b|then\b|of\b|in\b|for\b|to\b|here\b)(\S+)/i,
    wish: ([where = '.'], restore) => [{ kind: 'list', path: folderOf(where, restore) }],
  },
  {
    match:
      /\b(?:list|show)\b.*\b(?:files|director(?:y|ies)|folders?)\b(?:.*?\b(?:in|of|under)\s+(\S+))?|\bwhat files\b/i,
    wish: ([where = '.'], restore) => [{ kind: 'list', path: folderOf(where, restore) }],
  },
  {
    match: /\b(?:read|open|show|view|look at)\s+that\s+file\b/i,
    wish: () => [{ kind: 'read', path: '', isNamedThere: true }],
  },
  {
    match: /\bfile\s+(\S+)\s+(?:says|tells|names|shows|knows)\b/i,
    wish: ([word = ''], restore) => {
      const path = pathOf(word, restore)
      return path === undefined ? [] : [{ kind: 'read', path }]
    },
  },
  {
    match:
      /\b(?:read|open|show|view|cat|print|display|summari[sz]e|explain|look at|what(?:'s| is) in|(?:heading|contents?|lines?|says?)\b.*?\b(?:of|in|does|do|has|have)|what (?:does|do))\b\s+(.+)$/i,
    wish: ([rest = ''], restore) =>
      rest.split(/[\s,]+/).flatMap((word): Wish[] => {
        const path = pathOf(word, restore)
        return path === undefined ? [] : [{ kind: 'read', path }]
      }),
  },
]

function writeWish(place: string | undefined, text: string | undefined, restore: Restore): Wish[] {
  const path = pathOf(place ?? '', restore)
  return path === undefined
    ? []
    : [{ kind: 'write', path, text: bulkOf(text ?? '') ?? restore(wordOf(text ?? '')) }]
}

function replaceWish(place: string, old: string, text: string, restore: Restore): Wish[] {
  const path = pathOf(place, restore)
  return path === undefined
    ? []
    : [{ kind: 'replace', path, old: restore(wordOf(old)), text: restore(wordOf(text)) }]
}

/** "the word x" is x. */
function wordOf(words: string): string {
  return /^(?:the\s+)?(?:word|text|string)\s+(\S.*)$/i.exec(words)?.[1] ?? words
}

/** "a line x", "the line x": x. */
function lineOf(words: string): string {
  return wordOf(/^(?:an?\s+|the\s+)?(?:new\s+)?line\s+(\S.*)$/i.exec(words)?.[1] ?? words)
}

const MOST_BULK = 1024

/** "60 KB of text": text of that size in numbered lines, which shows whether all of it arrived. */
function bulkOf(words: string): string | undefined {
  const size = Number(/^(\d+)\s*KB(?:\s+of\s+text)?$/i.exec(words)?.[1] ?? 0)
  if (size === 0) return undefined
  const most = Math.min(size, MOST_BULK) * 1024
  let text = ''
  for (let line = 1; ; line++) {
    const next = `${line}: "quoted" \\ and a tab\t, an ä and a 😀\n`
    if (text.length + next.length > most) return text
    text += next
  }
}

const WELL_KNOWN = /^(?:readme|license|makefile|dockerfile|changelog|todo)$/i
const NO_FILE = /^(?:e\.g|i\.e|etc)$/i

/** The path that a word is, without the marks around it: the @ of a mention, brackets, the sentence's end. */
function pathOf(word: string, restore: Restore): string | undefined {
  const path = restore(word.replace(/^[@([<]+/, '').replace(/(?<![)\]>,;:!?])[)\]>,;:!?]+$/, ''))
    .replace(/^@/, '')
    .replace(/(?<=\w)\.$/, '')
  const hasEnding = /\w\.[A-Za-z]\w{0,9}$/.test(path) && !NO_FILE.test(path)
  const hasFolders = /^[~.]{0,2}\/?[\w@. -]+(?:\/[\w@. -]+)*\/?$/.test(path) && path.includes('/')
  return hasEnding || hasFolders || WELL_KNOWN.test(path) ? path : undefined
}

/** Where a word may be any folder's name, only those that point to the place itself are none. */
function folderOf(word: string, restore: Restore): string {
  const folder = restore(word).replace(/(?<![.,;:!?])[.,;:!?]+$/, '')
  return /^(?:|this|the|all|my|your|our|it|here|current|project|files?)$/i.test(folder) ? '.' : folder
}
