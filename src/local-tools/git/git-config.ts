// Git's settings files (https://git-scm.com/docs/git-config#_syntax), read in two ways: leniently, to find every program and file
// that they name, and strictly, to know of a file that a command made that git runs nothing because of it.

export interface Setting {
  /** Section and name in lower case, the subsection as it is written: `core.hookspath`, `includeif.gitdir:~/x/.path`. */
  key: string
  value: string
}

export function parseGitConfig(text: string): Setting[] {
  const settings: Setting[] = []
  let section = ''
  for (const line of logicalLines(text)) {
    let end = 0
    // More than one may stand in a line, with a setting behind them.
    for (let head = headAt(line, end); head !== undefined; head = headAt(line, end)) {
      section = head.section
      end = head.end
    }
    const rest = line.slice(end).trim()
    const equals = rest.indexOf('=')
    if (equals > 0 && !isComment(rest))
      settings.push({
        key: `${section}.${rest.slice(0, equals).trim().toLowerCase()}`,
        value: valueFrom(rest.slice(equals + 1)),
      })
  }
  return settings
}

const head = /\s*\[([^\]\s"]*)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/sy

function headAt(line: string, start: number): { section: string; end: number } | undefined {
  head.lastIndex = start
  const found = head.exec(line)
  if (found === null) return undefined
  const [whole, name = '', subsection] = found
  const inside = subsection === undefined ? '' : `.${subsection.replace(/\\(.)/gs, '$1')}`
  return { section: `${name.toLowerCase()}${inside}`, end: start + whole.length }
}

const isComment = (line: string) => line.startsWith('#') || line.startsWith(';')

/** A backslash at the end of a line joins the next one, except in a comment. */
function logicalLines(text: string): string[] {
  const lines: string[] = []
  let held: string[] = []
  for (const raw of text.replace(/^\uFEFF/, '').split(/\r?\n/)) {
    const line = held.length > 0 ? raw : raw.trimStart()
    let end = line.length
    while (end > 0 && line[end - 1] === '\\') end--
    const goesOn = (line.length - end) % 2 === 1 && !(held.length === 0 && isComment(line))
    held.push(goesOn ? line.slice(0, -1) : line)
    if (goesOn) continue
    lines.push(held.join(''))
    held = []
  }
  return held.length > 0 ? [...lines, held.join('')] : lines
}

function valueFrom(written: string): string {
  const text = written.trimStart()
  const kept: string[] = []
  let quoted = false
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string
    if (char === '"') quoted = !quoted
    else if (char === '\\') kept.push(text[++at] ?? '')
    else if (!quoted && (char === '#' || char === ';')) break
    else kept.push(char)
  }
  return kept.join('').trimEnd()
}

/** Settings by which git runs no program and reads no further file. */
const idle = new RegExp(
  `^(?:${[
    'core\\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|abbrev|quotepath)',
    'user\\.(?:name|email)',
    'init\\.defaultbranch',
    'commit\\.gpgsign',
    'pull\\.(?:rebase|ff)',
    'push\\.default',
    'extensions\\.(?:objectformat|refstorage)',
    'remote\\..*\\.(?:url|fetch|pushurl)',
    'branch\\..*\\.(?:remote|merge|rebase)',
    'submodule\\..*\\.(?:url|active)',
  ].join('|')})$`,
)

const plainLine = /^(?:|[#;](?:.*[^\\])?|\[[\w.-]+(?: "[^"\\]*")?\]|[a-zA-Z][\w-]*\s*=[^"\\#;]*)$/

/** True only where it is certain: every line has the plainest form, and every setting is known. */
export function isIdleConfig(text: string): boolean {
  if (!text.split('\n').every((line) => line.length < 4_096 && plainLine.test(line.trim()))) return false
  // `ext::` and other helpers of transport run programs.
  return parseGitConfig(text).every(({ key, value }) => idle.test(key) && !value.includes('::'))
}
