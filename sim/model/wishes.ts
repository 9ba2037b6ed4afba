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
  const plain = text.replace(/`+([^`]+)`+|"([^"]+)"|“([^”]+)”|(?<!\w)'([^']+)'(?!\w)/g, (...groups) => {
    quotes.push(groups.slice(1, 5).find((group) => group !== undefined) ?? '')
    return `«${quotes.length - 1}»`
  })
  const restore = (part: string) => part.replace(/«(\d+)»/g, (_, index) => quotes[Number(index)] ?? '')
  return plain
    .split(SEQUENCE)
    .map((step) => step.split(PARALLEL).flatMap((clause) => readClause(clause.trim(), restore)))
    .filter((step) => step.length > 0)
}

const VERB = '(?:read|open|show|view|cat|list|run|execute|search|grep|find|write|save|create)'
const SEQUENCE = /(?:[,;.]\s*)?\b(?:and\s+)?(?:then|after that|afterwards|finally)\b,?|[.;!?]\s+|\n+/i
const PARALLEL = new RegExp(`,?\\s+and\\s+(?:also\\s+)?(?=${VERB}\\b)`, 'i')

type Restore = (part: string) => string
type Pattern = { readonly match: RegExp; readonly wish: (groups: string[], restore: Restore) => Wish[] }

/** Tried in this order: a clause is read as the first that fits. */
const PATTERNS: readonly Pattern[] = [
  {
    match: /\b(?:run|execute)\s+(?:the\s+)?(?:(?:shell\s+)?command\s*:?\s+)?(.+)$/i,
    wish: ([command = ''], restore) => {
      const quoted = /«\d+»/.exec(command)?.[0]
      return [{ kind: 'run', command: restore(quoted ?? command.replace(/[.!]$/, '')) }]
    },
  },
  {
    match:
      /\b(?:create|write)\s+(?:an?\s+|the\s+)?(?:new\s+)?file\s+(?:called\s+|named\s+)?(\S+)\s+(?:with|containing|that says)\s+(?:the\s+)?(?:(?:text|contents?)\s+)?(.+)$/i,
    wish: ([path = '', text = ''], restore) => [
      { kind: 'write', path: cleanPath(restore(path)), text: restore(text) },
    ],
  },
  {
    match:
      /\b(?:write|save|put)\s+(.+?)\s+(?:to|into|in)\s+(?:an?\s+|the\s+)?(?:new\s+)?(?:file\s+)?(?:called\s+|named\s+)?(\S+)\s*$/i,
    wish: ([text = '', path = ''], restore) => [
      { kind: 'write', path: cleanPath(restore(path)), text: restore(text) },
    ],
  },
  {
    match:
      /\b(?:search|grep|look)\s+(?:.*?\s+)?for\s+(.+?)(?:\s+in\s+(\S+))?$|\bgrep\s+(\S+)(?:\s+in\s+(\S+))?$/i,
    wish: ([first, where, second, place], restore) => [
      {
        kind: 'search',
        pattern: restore(first ?? second ?? '').replace(/[.?!]$/, ''),
        path: cleanPath(restore(where ?? place ?? '.')) || '.',
      },
    ],
  },
  {
    match:
      /\b(?:list|show)\b.*\b(?:files|director(?:y|ies)|folders?|contents)\b(?:.*?\b(?:in|of|under)\s+(\S+))?|\bwhat files\b/i,
    wish: ([path], restore) => [
      { kind: 'list', path: looksLikePath(restore(path ?? '')) ? cleanPath(restore(path ?? '')) : '.' },
    ],
  },
  {
    match:
      /\b(?:read|open|show|view|cat|print|display|summari[sz]e|explain|look at|what(?:'s| is) in)\b\s+(.+)$/i,
    wish: ([rest = ''], restore) => findPaths(restore(rest)).map((path) => ({ kind: 'read', path })),
  },
]

function readClause(clause: string, restore: Restore): Wish[] {
  for (const { match, wish } of PATTERNS) {
    const found = match.exec(clause)
    const wishes = found ? wish(found.slice(1), restore) : []
    if (wishes.length > 0) return wishes
  }
  return []
}

const WELL_KNOWN = /^(?:readme|license|makefile|dockerfile|changelog|todo)$/i

function findPaths(text: string): string[] {
  return text
    .split(/[\s,]+/)
    .filter(looksLikePath)
    .map(cleanPath)
}

function looksLikePath(word: string): boolean {
  const path = cleanPath(word)
  return (
    /\w\.[A-Za-z]\w{0,9}$/.test(path) ||
    /^[~.]?\.?\/?[\w@.-]+(?:\/[\w@.-]+)+$/.test(path) ||
    /^\/\w/.test(path) ||
    WELL_KNOWN.test(path)
  )
}

/** Without the marks around it: quotes, brackets, the @ of a mention, the end of the sentence. */
function cleanPath(word: string): string {
  return word
    .replace(/^[@('"`[<]+/, '')
    .replace(/[)'"`\]>,;:!?]+$/, '')
    .replace(/(?<=\w)\.$/, '')
}
