// Readers for results of the clients' shell tools.

import { isObject, parseJson } from '../../base/json.ts'
import { failed, isDenial, refusal } from './failure.ts'
import type { ClientResult, Failure, OutcomeOf } from './job.ts'

export type ShellOutcome = OutcomeOf<'shell'> | Failure

/** `command` is the one that was sent: some clients repeat it. */
export type ShellFormat = (result: ClientResult, command: string) => ShellOutcome

export const done = (
  stdout: string,
  exitCode: number,
  more: Partial<OutcomeOf<'shell'>> = {},
): ShellOutcome => ({
  kind: 'shell',
  stdout,
  stderr: '',
  exitCode,
  truncated: false,
  ...more,
})

/** The exit code of `timeout` for a command that it stops. */
export const timeoutExitCode = 124

/** The text before a tagged block at its end, and the content of the block. */
function withoutLast(text: string, tag: string): [string, string] | undefined {
  const trimmed = text.trimEnd()
  const start = trimmed.lastIndexOf(`<${tag}>`)
  if (start < 0 || !trimmed.endsWith(`</${tag}>`)) return undefined
  const inside = trimmed.slice(start + tag.length + 2, -(tag.length + 3))
  return [trimmed.slice(0, start).replace(/\n{1,2}$/, ''), inside]
}

/** The text without its last line, if that begins with `words` and contains `more`. */
function withoutLastLine(text: string, words: string, more = ''): string | undefined {
  const start = text.lastIndexOf('\n') + 1
  if (!text.startsWith(words, start) || !text.includes(more, start)) return undefined
  return text.slice(0, Math.max(0, start - 1))
}

/** OpenCode: bare output without an exit code. */
export const openCodeShell: ShellFormat = (result) => {
  const refused = refusal(result)
  if (refused !== undefined) return refused
  const [body, metadata] = withoutLast(result.text, 'shell_metadata') ??
    withoutLast(result.text, 'bash_metadata') ?? [result.text, '']
  let text = body
  const cut =
    /^\.\.\.output truncated\.\.\.\n\n(?:Full output saved to: [^\n]*\n\n)?/.exec(text) ??
    /^\(Output was truncated[^\n]*\)\n*/.exec(text)
  if (cut !== null) text = text.slice(cut[0].length)
  const timedOut = /exceed(?:s|ed|ing)? (?:the )?timeout|timed out/.test(metadata)
  const aborted = /aborted/.test(metadata)
  return done(text === '(no output)' ? '' : text, timedOut ? timeoutExitCode : aborted ? 130 : 0, {
    truncated: cut !== null || /truncated/.test(metadata),
    ...(timedOut ? { timedOut } : { exitCodeAssumed: !aborted }),
  })
}

/** Claude Code: trimmed output; `Exit code 3` comes before the output of a failed command. */
export const claudeShell: ShellFormat = ({ text, isError }) => {
  const exit = /^(?:Error: )?Exit code (\d+)(?:\n|$)/.exec(text)
  if (exit === null && (isDenial(text) || text.startsWith('<tool_use_error>'))) return failed(text)
  const [said] = withoutLast(text, 'system-reminder') ?? [text]
  let stdout = said.slice(exit?.[0].length ?? 0)
  stdout = withoutLastLine(stdout.trimEnd(), 'Shell cwd was reset to ') ?? stdout
  const moved = withoutLastLine(stdout, 'Command did not complete within its ', ' moved to the background')
  if (moved !== undefined) stdout = moved
  const saved =
    /^<persisted-output>\n[^\n]*\n\nPreview [^\n]*:\n([\s\S]*?)\n(?:\.\.\.\n)?<\/persisted-output>\s*$/.exec(
      stdout,
    )
  if (saved !== null) stdout = saved[1] ?? ''
  const timedOut = moved !== undefined || (isError && stdout.startsWith('Command timed out after '))
  if (/^\((?:Bash completed with no output|no content)\)$/.test(stdout)) stdout = ''
  const exitCode = exit !== null ? Number(exit[1]) : timedOut ? timeoutExitCode : isError ? 1 : 0
  return done(stdout, exitCode, {
    truncated: saved !== null || /\n\.\.\. \[\d+ (?:lines|characters) truncated\] \.\.\./.test(stdout),
    ...(timedOut ? { timedOut } : {}),
  })
}

/** Qwen Code and Gemini CLI: a block of `Name: value`, of which only the beginning and the end are certain. */
export const qwenShell: ShellFormat = (result, command) => {
  const refused = refusal(result)
  if (refused !== undefined) return refused
  let text = result.text
  const cut =
    /^Tool output was too large and has been truncated\.\n[\s\S]*?\n\nTruncated part of the output:\n/.exec(
      text,
    )
  if (cut !== null) text = text.slice(cut[0].length)
  const late = /^Command (?:timed out|was cancelled|was automatically cancelled)[^\n]*\n?/.exec(text)
  if (late !== null) {
    const stdout = text.slice(late[0].length).replace(/^Output: /, '')
    return done(stdout, timeoutExitCode, { timedOut: true, truncated: cut !== null })
  }
  const head = `Command: ${command}\n`
  if (text.startsWith(head)) text = text.slice(head.length).replace(/^Directory: [^\n]*\n/, '')
  if (/^(?:Output|Stdout): /.test(text) || endsAsBlock(text)) return readBlock(text, cut !== null)
  if (cut !== null) return done(text, 0, { truncated: true, exitCodeAssumed: true })
  return unmarkedShell({ ...result, text }, command)
}

/** The last lines of a block. Remarks can follow it: a slow command, the output of a hook. */
const blockEnd =
  /\nExit Code: (\d+|\(none\))(?:\nSignal: ([^\n]*))?(?:\n(?:Background PIDs|Process Group PGID): [^\n]*){0,8}(?=$|\n\n)/y

function findBlockEnd(text: string): RegExpExecArray | null {
  // The output can contain such lines: the last ones belong to the block.
  const start = text.lastIndexOf('\nExit Code: ')
  if (start < 0) return null
  blockEnd.lastIndex = start
  return blockEnd.exec(text.trimEnd())
}

function endsAsBlock(text: string): boolean {
  const end = findBlockEnd(text)
  return end !== null && end.index + end[0].length === text.trimEnd().length
}

function readBlock(text: string, truncated: boolean): ShellOutcome {
  const end = findBlockEnd(text)
  const body = end === null ? text : text.slice(0, end.index)
  // The output can contain such names: the last ones belong to the block.
  const [rest, error] = splitLast(body, '\nError: ')
  const [output, errors] = rest.startsWith('Stdout: ') ? splitLast(rest, '\nStderr: ') : [rest, '']
  const stdout = plain(output.replace(/^(?:Output|Stdout): /, ''), '(empty)')
  const stderr = [plain(errors, '(empty)'), plain(error, '(none)')].filter((part) => part !== '').join('\n')
  const signal = Number(plain(end?.[2] ?? '', '(none)'))
  const exitCode = Number(end?.[1])
  const killed = signal === 0 ? 0 : 128 + (signal || 0)
  return done(stdout, Number.isNaN(exitCode) ? killed : exitCode, {
    stderr,
    truncated,
    ...(end === null ? { exitCodeAssumed: true } : {}),
  })
}

function splitLast(text: string, mark: string): [string, string] {
  const at = text.lastIndexOf(mark)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + mark.length)]
}

const plain = (text: string, placeholder: string) => (text === placeholder ? '' : text)

/** Codex: a JSON object, or a block that ends with `Output:`. */
export const codexShell: ShellFormat = (result, command) => {
  const refused = refusal(result)
  if (refused !== undefined) return refused
  const head =
    /^(?:(?:Chunk ID|Wall time|Exit code|Process|Original token count|Total output lines)\b[^\n]*\n)+Output:\n/.exec(
      result.text,
    )
  if (head === null) {
    if (/^(?:failed to parse function arguments|unsupported call|exec_command failed)/.test(result.text))
      return failed(result.text)
    return unmarkedShell(result, command)
  }
  let stdout = result.text.slice(head[0].length)
  const cut = /^Warning: truncated output[^\n]*\n(?:Total output lines: [^\n]*\n)?\n?/.exec(stdout)
  if (cut !== null) stdout = stdout.slice(cut[0].length)
  const code = /(?:exited with code|Exit code:) (-?\d+)/.exec(head[0])
  const running = /Process running with session ID/.test(head[0])
  const truncated = cut !== null || /^Total output lines:/m.test(head[0])
  const timedOut = running || /^command timed out after \d+/.test(stdout)
  return done(stdout, running ? timeoutExitCode : Number(code?.[1] ?? 0), {
    truncated,
    ...(timedOut ? { timedOut } : {}),
  })
}

/** Cline, Roo Code and Continue: a sentence or two, then `Output:`. */
export const clineShell: ShellFormat = (result, command) => {
  const refused = refusal(result)
  if (refused !== undefined) return refused
  const head =
    /^Command (?:executed|execution|is still running)[^\n]*(?:\n[^\n]*){0,3}?(?:\n(?:Here's the )?[Oo]utput[^\n]*:\n|$)/.exec(
      result.text,
    )
  if (head === null) return unmarkedShell(result, command)
  const code = /Exit code:? (-?\d+)/i.exec(head[0])
  const running = /still running/.test(head[0])
  const stdout = result.text
    .slice(head[0].length)
    .replace(/\n\nYou will be updated on the terminal status and new output in the future\.\s*$/, '')
  return done(stdout, running ? timeoutExitCode : Number(code?.[1] ?? 0), {
    truncated: /\n\[\.\.\.\d+ (?:lines|characters) omitted\.\.\.\]\n/.test(stdout),
    ...(running ? { timedOut: true } : code === null ? { exitCodeAssumed: true } : {}),
  })
}

const outputFields = ['stdout', 'output', 'result', 'text']
const codeFields = ['exitCode', 'exit_code', 'returncode', 'return_code']
/** A command can print an object itself: these count only beside both streams. */
const vagueCodeFields = ['code', 'status']

/** An unknown tool: an object with the usual fields, or bare output. */
export const unmarkedShell: ShellFormat = (result) => {
  if (isDenial(result.text)) return failed(result.text)
  const value = result.text.startsWith('{') ? parseJson(result.text) : undefined
  if (isObject(value)) {
    const metadata = isObject(value.metadata) ? value.metadata : value
    const output = outputFields.find((field) => typeof value[field] === 'string')
    const isBoth = typeof value.stdout === 'string' && typeof value.stderr === 'string'
    const fields = isBoth ? [...codeFields, ...vagueCodeFields] : codeFields
    const code = fields.find((field) => typeof metadata[field] === 'number')
    if (output !== undefined && code !== undefined)
      return done(value[output] as string, metadata[code] as number, {
        stderr: typeof value.stderr === 'string' ? value.stderr : '',
        truncated: value.truncated === true,
      })
  }
  const stdout = /^\(?(?:no output|empty|no stdout)\)?\.?$/i.test(result.text) ? '' : result.text
  const told = toldCodes.map((pattern) => pattern.exec(result.text)?.[1]).find((code) => code !== undefined)
  if (told !== undefined) return done(stdout, Number(told))
  return done(stdout, result.isError ? 1 : 0, { exitCodeAssumed: !result.isError })
}

/** Exit codes in words, at the end or the beginning. The words stay in the output: the command may have printed them. */
const toldCodes: readonly RegExp[] = [
  /(?:^|\n)[[(]?(?:(?:process|command) )?(?:exited with (?:code|status)|exit (?:code|status))\s?[:=]?\s?(\d{1,10})[\])]?\.?\s{0,9}$/i,
  /^(?:Error: )?Command failed with exit code (\d{1,10})\b/,
]
