// Parser for git's configuration files (https://git-scm.com/docs/git-config#_syntax). It reads leniently to find every program
// and file that they name, and strictly to prove that a file made by a command lets git run nothing.

export interface Setting {
  /** Section and name in lower case, the subsection unchanged: `core.hookspath`, `includeif.gitdir:~/x/.path`. */
  key: string
  value: string
}

export function parseGitConfig(text: string): Setting[] {
  const settings: Setting[] = []
  let section = ''
  for (const line of logicalLines(text)) {
    let end = 0
    // A line can have several, followed by a setting.
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

/** A backslash at the end of a line joins the next line, except in a comment. */
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

/** Settings that make git run no program and read no other file. */
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

/** True only if certain: every line has the simplest form, and every setting is known. */
export function isIdleConfig(text: string): boolean {
  if (!text.split('\n').every((line) => line.length < 4_096 && plainLine.test(line.trim()))) return false
  // `ext::` and other transport helpers run programs.
  return parseGitConfig(text).every(({ key, value }) => idle.test(key) && !value.includes('::'))
}
