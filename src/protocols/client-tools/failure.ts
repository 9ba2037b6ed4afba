// Detection of failed results. Most dialects do not mark them: a Chat Completions result is only a text, so the texts of
// clients must be known. Patterns are anchored, because a file or the output of a command may contain anything.

import { isObject, parseJson } from '../../base/json.ts'
import type { ClientResult, Failure } from './job.ts'

/** Refused by the user or by a rule of the user. OpenCode, Claude Code, Qwen Code, Gemini CLI, Codex, Cline, AI SDK. */
const denials: readonly RegExp[] = [
  /^(?:Error: )?The user rejected permission/,
  /^(?:Error: )?The user has specified a rule which prevents/,
  /^The user doesn't want to (?:proceed with this tool use|take this action)/,
  /^Claude requested permissions? to .+, but you haven't granted it yet/s,
  /^Permission to (?:use|read|edit|write) .+ (?:has been denied|is denied)/s,
  /^This (?:Bash )?command (?:requires approval|contains multiple operations)/,
  /^\w+ in '[^'\n]{1,500}' needs approval\. /,
  /^Qwen Code requires permission to use .+ but that permission was declined/s,
  /^\[Operation Cancelled\]/,
  /^(?:Error: )?Tool execution (?:was )?denied/i,
  /^(?:Error: )?(?:Operation|Tool call) (?:was )?(?:cancelled|canceled|denied) by (?:the )?user/i,
  /^User (?:denied|rejected|did not allow) (?:the |this )?(?:tool|execution|operation|command)/i,
  /^(?:exec )?(?:command|patch|tool call) (?:rejected|denied) by (?:the )?user/i,
  /^rejected by user approval settings/,
  /^The user denied this operation/,
  /^File: [^\n]*\nStatus: Denied by user/,
  /^The tool call was rejected by the user/i,
  /^\{"status":"denied"/,
]

const missing =
  /\b(?:ENOENT|no such file|file not found|file or directory not found|does not exist|cannot find (?:the )?(?:file|path)|NotFound)\b/i

/** Failures of clients that do not wrap them. Only the beginning of a short text counts. */
const failures: readonly RegExp[] = [
  /^(?:Error|error|ERROR)\b[: ]/,
  /^<tool_use_error>/,
  /^<error>/,
  /^File: [^\n]*\nError: /,
  /^(?:File|Directory|Path) (?:not found|does not exist)\b/i,
  /^(?:File path|Path)(?: '[^'\n]{1,500}')? (?:must|is|cannot)\b/,
  /^(?:Not a regular file: |File size exceeds |For Jupyter notebooks )/,
  /^(?:E(?:NOENT|ACCES|ISDIR|PERM|NOTDIR|EXIST)|BadResource|NotFound): /,
  /^(?:Cannot|Could not|Can't|Failed to|Unable to|failed to) \w/,
  /^(?:Permission|Access) denied/i,
  /^(?:params must|Invalid \w|The arguments provided to the tool are invalid)/,
  /^The \w+ tool was called with invalid arguments/,
  /^Tool "[^"\n]+" (?:is|not)\b/,
  /^(?:unsupported call|No such tool available)\b/,
  /^File (?:.{1,500} )?has (?:not been read|been (?:unexpectedly )?modified)\b/,
  /^You must read (?:the )?file\b/,
  /^(?:Wasted call\b|File unchanged since|<system-reminder>This file is already in your context)/,
  /^Offset \d+ is (?:out of range|beyond end of file)/,
  /^File or directory not found: /,
  /^File too large to read at once\b/,
  /^Path [^\n]{1,1000} (?:does not exist|already exists as an?)\b/,
  /^StatusCode: non 2xx/,
  /^ripgrep execution failed/,
  /^rg: /,
  /^apply_patch verification failed/,
]

/** A longer text only begins like a failure. */
const maxFailureLength = 4000
const maxDenialLines = 6

export function failed(error: string): Failure {
  const plain = error.replace(/^<tool_use_error>([\s\S]*)<\/tool_use_error>\s*$/, '$1').trim()
  const failure: Failure = { kind: 'failed', error: plain === '' ? 'The client reported an error.' : plain }
  if (missing.test(plain)) failure.notFound = true
  if (isDenial(plain)) failure.denied = true
  return failure
}

export function isDenial(text: string): boolean {
  if (text.length > maxFailureLength || text.split('\n').length > maxDenialLines) return false
  return denials.some((denial) => denial.test(text))
}

/** The text has the shape of a failure; its reader must decide whether it can be content too. */
export function looksFailed(text: string): boolean {
  return text.length <= maxFailureLength && failures.some((failure) => failure.test(text))
}

/** Includes `{"error":"…"}`, as custom programs answer. Not for files and pages, which may contain just that. */
export function saysFailed(text: string): boolean {
  return looksFailed(text) || isFailureObject(text)
}

function isFailureObject(text: string): boolean {
  if (!text.startsWith('{') || text.length > maxFailureLength) return false
  const value = parseJson(text)
  if (!isObject(value)) return false
  return (
    value.ok === false || value.success === false || (typeof value.error === 'string' && value.error !== '')
  )
}

const unfit =
  /^['"`]? (?:is (?:an?|on|not|outside|ignored|read-only|too|locked|protected)|has (?:not|disappeared|changed)|was not|does not|cannot|could not|no longer|already exists)\b/

/** `File /w/a is a directory. …`: the text is about the file, not about what was done to it. */
export function saysUnfit(text: string, path: string): boolean {
  if (text.length > maxFailureLength) return false
  const said = text.replace(/^(?:The )?(?:file )?['"`]?/i, '')
  return said.startsWith(path) && unfit.test(said.slice(path.length))
}

/** The first check of every reader. */
export function refusal(result: ClientResult): Failure | undefined {
  return result.isError || isDenial(result.text) ? failed(result.text) : undefined
}
