// What a user's words ask for, as far as the demo model understands them: files to read, commands to run, …
// "A and B" can be done at once; "A, then B" is done one after the other.

export type Wish =
  | { readonly kind: 'read'; readonly path: string }
  | { readonly kind: 'list'; readonly path: string }
  | { readonly kind: 'run'; readonly command: string }
  | { readonly kind: 'search'; readonly pattern: string; readonly path: string }
  | { readonly kind: 'write'; readonly path: string; readonly text: string }

export type WishKind = Wish['kind']

/** The steps in order; the wishes of one step are independent of each other. */
export function readWishes(text: string): Wish[][] {
  const quotes: string[] = []
  // Quoted text is data: no verb, comma or "then" inside it may cut the sentence.
  const plain = text.replace(
    /(?<!`)`+([^`]+)`+|"([^"]+)"|“([^“”]+)”|(?<!\w)'([^']+)'(?!\w)/g,
    (...groups) => {
      quotes.push(groups.slice(1, 5).find((group) => group !== undefined) ?? '')
      return `«${quotes.length - 1}»`
    },
  )
  const restore = (part: string) => part.replace(/«(\d+)»/g, (_, index) => quotes[Number(index)] ?? '')
  return plain
    .split(SEQUENCE)
    .map((step) => step.split(PARALLEL).flatMap((clause) => readClause(clause.trim(), restore)))
    .filter((step) => step.length > 0)
}

const VERB = '(?:read|open|show|view|cat|list|run|execute|search|grep|find|write|save|create)'
const SEQUENCE = /(?:[,;.]\s*)?\b(?:and\s+)?(?:then|after that|afterwards|finally)\b,?|[.;!?]\s+|\n+/i
const PARALLEL = new RegExp(`(?:,|(?<!\\s))\\s+and\\s+(?:also\\s+)?(?=${VERB}\\b)`, 'i')

type Restore = (part: string) => string
type Pattern = {
  readonly match: RegExp
  readonly wish: (groups: (string | undefined)[], restore: Restore) => Wish[]
}

const FILE = '(?:an?\\s+|the\\s+)?(?:new\\s+)?(?:file\\s+)?(?:called\\s+|named\\s+)?(\\S+)'
/** What may be run without quotes: anything else that is "run" is hardly a command. */
const COMMANDS = 'ls|pwd|cat|head|tail|wc|echo|date|whoami|uname|git|npm|npx|node|python3?|make|find|grep'

/** Tried in this order: a clause is read as the first that fits. */
const PATTERNS: readonly Pattern[] = [
  {
    match: new RegExp(
      `\\b(?:run|execute)\\s+(?:.*?(«\\d+»)|((?:${COMMANDS})\\b.*?)(?:,|\\s+and\\s|[.!]?$))`,
      'i',
    ),
    wish: ([quoted, plain], restore) => [{ kind: 'run', command: restore(quoted ?? plain ?? '') }],
  },
  {
    match: new RegExp(
      `\\b(?:create|write)\\s+${FILE}\\s+(?:with|containing|that says)\\s+(?:the\\s+)?(?:(?:text|contents?)\\s+)?(.+)$`,
      'i',
    ),
    wish: ([path, text], restore) => writeWish(path, text, restore),
  },
  {
    match: new RegExp(`\\b(?:write|save|put)\\s+(.+?)\\s+(?:to|into|in)\\s+${FILE}\\s*$`, 'i'),
    wish: ([text, path], restore) => writeWish(path, text, restore),
  },
  {
    match:
      /\b(?:(?:search|grep|look)\s+(?:.*?\s+)?for|grep|find\s+(?:all\s+)?(?:uses|occurrences|references|mentions)\s+of)\s+(.+?)(?:\s+in\s+(\S+))?$/i,
    wish: ([pattern = '', where = '.'], restore) => [
      { kind: 'search', pattern: restore(pattern).replace(/[.?!]$/, ''), path: folderOf(where, restore) },
    ],
  },
  {
    match:
      /\b(?:list|show)\b.*\b(?:files|director(?:y|ies)|folders?|contents)\b(?:.*?\b(?:in|of|under)\s+(\S+))?|\bwhat files\b/i,
    wish: ([where = '.'], restore) => [{ kind: 'list', path: folderOf(where, restore) }],
  },
  {
    match:
      /\b(?:read|open|show|view|cat|print|display|summari[sz]e|explain|look at|what(?:'s| is) in)\b\s+(.+)$/i,
    wish: ([rest = ''], restore) =>
      rest.split(/[\s,]+/).flatMap((word): Wish[] => {
        const path = pathOf(word, restore)
        return path === undefined ? [] : [{ kind: 'read', path }]
      }),
  },
]

function writeWish(place: string | undefined, text: string | undefined, restore: Restore): Wish[] {
  const path = pathOf(place ?? '', restore)
  return path === undefined ? [] : [{ kind: 'write', path, text: bulkOf(text ?? '') ?? restore(text ?? '') }]
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

/** The patterns have ways to go through a long text many times over; what is longer than this is hardly a wish. */
const LONGEST_CLAUSE = 500

function readClause(clause: string, restore: Restore): Wish[] {
  if (clause.length > LONGEST_CLAUSE) return []
  if (/\b(?:don't|do not|never)\b/i.test(clause)) return []
  for (const { match, wish } of PATTERNS) {
    const found = match.exec(clause)
    const wishes = found ? wish(found.slice(1), restore) : []
    if (wishes.length > 0) return wishes
  }
  return []
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
