// Reader for results of the clients' read tools.

import { isObject, parseJson } from '../../base/json.ts'
import { failed, looksFailed, refusal } from './failure.ts'
import type { FileFormat, Shown } from './file-formats.ts'
import type { ClientResult, JobOf, Outcome } from './job.ts'

/** What the tool was asked for; the reader does the rest of the job. */
interface ReadCall {
  job: JobOf<'read'>
  format: FileFormat
  /** The tool was asked for a range of lines. */
  partAsked: boolean
  /** The limit that was sent in place of the job's. */
  sentLimit?: number
  /** The client shows a rendering of the file (notebook, PDF). */
  rendered?: boolean
}

export function readFileResult(
  { job, format, partAsked, sentLimit, rendered = false }: ReadCall,
  result: ClientResult,
): Outcome {
  const refused = refusal(result)
  if (refused !== undefined) return refused
  const { text } = result
  if (isFailure(text, job.path)) return failed(text)
  const limit = partAsked ? job.limit : sentLimit
  const wanted = { firstLine: partAsked ? (job.offset ?? 1) : 1, ...(limit === undefined ? {} : { limit }) }
  const shown = fromJson(text, job.path) ?? format(text, wanted)
  if (shown === undefined)
    return looksFailed(text) ? failed(text) : { kind: 'read', content: text, complete: false }
  const sure = !rendered && !isChanged(shown.content) && !speaksOfItself(shown.content, job.path)
  return toOutcome(sure ? shown : { ...shown, toEnd: false }, job, partAsked)
}

/** Bytes that are not UTF-8 are shown as U+FFFD, and would be written back as such. */
export const isChanged = (content: string) => content.includes('\uFFFD')

const maxRemark = 1000

/** A line with the file's path is more likely an unknown remark than a tiny file that contains its own path. */
function speaksOfItself(text: string, path: string): boolean {
  return (
    text.length <= maxRemark &&
    /^\/[^\n]*\//.test(path) &&
    !text.trimEnd().includes('\n') &&
    text.includes(path)
  )
}

/** A failure that names the file. A file can contain such a line, but rarely with its own name. */
function isFailure(text: string, path: string): boolean {
  if (!looksFailed(text) || text.trimEnd().split('\n').length > 8) return false
  const name = path.split(/[\\/]/).at(-1) ?? path
  return (
    (name !== '' && text.includes(name)) ||
    /^(?:<tool_use_error>|Tool "|unsupported call|params must)/.test(text)
  )
}

function toOutcome(shown: Shown, job: JobOf<'read'>, partAsked: boolean): Outcome {
  const wholeShown = shown.firstLine === 1 && shown.toEnd
  const partWanted = job.offset !== undefined || job.limit !== undefined
  if (!shown.toEnd && (job.offset ?? 1) < 0)
    return failed('The end of this file is more than the client shows. Ask for lines by their number.')
  const content = partWanted && !partAsked ? slice(shown, job) : shown.content
  const totalLines = shown.totalLines ?? (wholeShown ? countLines(shown.content) : undefined)
  return {
    kind: 'read',
    content,
    complete: wholeShown && content === shown.content,
    ...(totalLines === undefined ? {} : { totalLines }),
    ...(shown.untold === undefined ? {} : { untold: shown.untold }),
  }
}

function slice({ content, firstLine }: Shown, { offset = 1, limit }: JobOf<'read'>): string {
  const lines = content.match(/[^\n]+\n?|\n/g) ?? []
  const from = offset < 0 ? Math.max(0, lines.length + offset) : Math.max(0, offset - firstLine)
  return lines.slice(from, limit === undefined ? undefined : from + limit).join('')
}

export const countLines = (text: string) => (text.match(/[^\n]+\n?|\n/g) ?? []).length

const contentFields = ['content', 'contents', 'text', 'fileContent', 'file_content', 'data']
const pathFields = ['path', 'filePath', 'file_path', 'filename', 'file']

/**
 * A tool that answers with an object. The file itself may be such an object, so only an object that names the file is an
 * answer.
 */
function fromJson(text: string, path: string): Shown | undefined {
  if (!text.startsWith('{')) return undefined
  const value = parseJson(text)
  if (!isObject(value)) return undefined
  const named = pathFields.some((field) => typeof value[field] === 'string' && samePath(value[field], path))
  const field = contentFields.find((name) => typeof value[name] === 'string')
  if (!named || field === undefined) return undefined
  const content = value[field] as string
  const cut = value.truncated === true || value.isTruncated === true || value.is_truncated === true
  return { content, firstLine: 1, toEnd: !cut }
}

function samePath(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one]
  return short === long || (short !== '' && long.endsWith(`/${short.replace(/^\.\//, '')}`))
}
