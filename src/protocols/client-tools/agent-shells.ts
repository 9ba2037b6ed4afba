// Readers for results of the shell tools of the clients in agent-rows.ts. See read-shell.ts.

import { failed, isDenial, refusal } from './failure.ts'
import { done, type ShellFormat, timeoutExitCode, unmarkedShell } from './read-shell.ts'
import { geminiCut } from './unwrap.ts'

/** Cline's CLI: the exit code of a failed command comes before its output. Errors follow the output, after `[stderr]`. */
export const clineCliShell: ShellFormat = (result) => {
  const refused = refusal(result)
  if (refused !== undefined) return refused
  const head = /^\[Command exited with code (\d+)\](?:\n|$)/.exec(result.text)
  return done(result.text.slice(head?.[0].length ?? 0), Number(head?.[1] ?? 0), {
    truncated: /\n\.\.\.\[truncated \d+ chars\]\.\.\.\n/.test(result.text),
  })
}

/** Continue's CLI reports no exit code. */
export const continueShell: ShellFormat = (result) => {
  const refused = refusal(result)
  if (refused !== undefined) return refused
  const { text } = result
  if (text.startsWith('Error executing tool ')) return failed(text)
  const cut = /^\(previous \d+ lines truncated\)\n\n/.exec(text)
  const late = /\n\n\[Command timed out after \d+ seconds of no output\]\s*$/.exec(text.slice(-200))
  const stdout = text.slice(cut?.[0].length ?? 0, late === null ? undefined : -late[0].length)
  return done(stdout, late === null ? 0 : timeoutExitCode, {
    truncated: cut !== null,
    ...(late === null ? { exitCodeAssumed: true } : { timedOut: true }),
  })
}

const copilotSaved = /^Output too large to read at once [^\n]*\n[^\n]*\n\nPreview [^\n]*:\n/

/** Copilot: trimmed output, then a line with the exit code. */
export const copilotShell: ShellFormat = (result, command) => {
  const refused = refusal(result)
  if (refused !== undefined) return refused
  if (result.text.startsWith('Command not executed. ')) return failed(result.text)
  const end = /(?:^|\n)<(?:shellId: [^\n<>]* completed|exited) with exit code (-?\d+)>\s*$/.exec(
    result.text.slice(-300),
  )
  if (end !== null) {
    const stdout = result.text.slice(0, -end[0].length)
    const saved = copilotSaved.exec(stdout)
    return done(stdout.slice(saved?.[0].length ?? 0), Number(end[1]), { truncated: saved !== null })
  }
  const running = /(?:^|\n)<command with shellId: [^\n<> ]* is still running\b[^\n]*>\s*$/.exec(
    result.text.slice(-600),
  )
  if (running === null) return unmarkedShell(result, command)
  return done(result.text.slice(0, -running[0].length), timeoutExitCode, { timedOut: true })
}

/** xAI's Grok Build: the exit code is the first line. A command that takes longer than 15 s goes on in the background. */
export const grokBuildShell: ShellFormat = (result, command) => {
  const refused = refusal(result)
  if (refused !== undefined) return refused
  const head = /^exit: (?:(\d+)|killed \(signal (\d+)\))( \[truncated: [^\n]*\])?(?:\n|$)/.exec(result.text)
  if (head !== null)
    return done(
      result.text.slice(head[0].length),
      head[1] === undefined ? 128 + Number(head[2]) : Number(head[1]),
      { truncated: head[3] !== undefined },
    )
  if (/^<task-id>[^\n]*\n<task-type>bash<\/task-type>\n/.test(result.text))
    return done('', timeoutExitCode, { timedOut: true })
  return unmarkedShell(result, command)
}

/** Grok CLI: trimmed output; of a failed command only its errors. It does not tell which exit code it was. */
export const grokCliShell: ShellFormat = ({ text, isError }, command) => {
  if (isDenial(text)) return failed(text)
  const head = /^Command failed: (?:Command failed: )?/.exec(text)
  if (head === null && !isError)
    return done(text === 'Command executed successfully (no output)' ? '' : text, 0)
  const said = text.slice(head?.[0].length ?? 0)
  const stderr = said.startsWith(command) ? said.slice(command.length).replace(/^\n/, '') : said
  return done('', 1, { stderr, exitCodeAssumed: true })
}

const kimiSaved = /^Tool output exceeded \d+ characters; the full output was saved to a file\.\n/
const kimiTask = /\n\ntask_id: [^\n]*\noutput_size_bytes: \d+\nnext_step: [^\n]*$/

/** Kimi, without what is around every result (`unwrapKimi`): the exit code of a failed command is the last line. */
export const kimiShell: ShellFormat = ({ text, isError }) => {
  if (isDenial(text)) return failed(text)
  const running = /^task_id: [^\n]*\n(?:[\w ]+: [^\n]*\n){0,12}\n?foreground_output:\n/.exec(text)
  if (running !== null && /^status: running$/m.test(running[0]))
    return done(text.slice(running[0].length), timeoutExitCode, { timedOut: true })
  const truncated = kimiSaved.test(text)
  const tail = truncated ? kimiTask.exec(text.slice(-1000)) : null
  const body = tail === null ? text : text.slice(0, -tail[0].length)
  const end = /(?:^|\n)Command failed with exit code: (-?\d+)\.\s*$/.exec(body.slice(-100))
  if (end === null && isError) return failed(text)
  if (end === null) return done(body === 'Command executed successfully.' ? '' : body, 0, { truncated })
  const stdout = body.slice(0, -end[0].length)
  const code = Number(end[1])
  return done(stdout === `Process exited with code ${code}` ? '' : stdout, code, { truncated })
}

/** Remarks of Goose after everything else, and of pi before the exit code. */
const gooseCut = /[ \n]\[Output exceeded \d+ (?:line|byte) limit \([^\n]{1,100}\)\. [^\n]{1,600}\]$/
const piCut = /\n\n\[Showing (?:last [^\n\]]{1,60} of line \d+|lines \d+-\d+ of \d+)[^\n]{0,600}\]$/

/** pi and Goose: a last paragraph says with which code a command ended, unless that was 0. */
export const exitedShell: ShellFormat = ({ text, isError }) => {
  if (isDenial(text)) return failed(text)
  let rest = text
  let truncated = false
  const cutAway = (notice: RegExp) => {
    const found = notice.exec(rest.slice(-800))
    if (found === null) return null
    rest = rest.slice(0, rest.length - found[0].length)
    return found
  }
  for (let times = 0; times < 2; times++) truncated = cutAway(gooseCut) !== null || truncated
  const end = cutAway(/(?:^|\n\n)Command (?:exited with code (\d+)|timed out after [\d.]+ seconds?|aborted)$/)
  truncated = cutAway(piCut) !== null || truncated
  const stdout = rest === '(no output)' ? '' : rest
  if (end === null) return done(stdout, isError ? 1 : 0, { truncated })
  if (end[1] !== undefined) return done(stdout, Number(end[1]), { truncated })
  return end[0].endsWith('aborted')
    ? done(stdout, 130, { truncated })
    : done(stdout, timeoutExitCode, { truncated, timedOut: true })
}

/** Lines after the output, in this order, where present. */
const geminiEnd =
  /(?:\nError: ([^\n]*))?(?:\nExit Code: (-?\d+))?(?:\nSignal: ([^\n]*))?(?:\nBackground PIDs: [^\n]*)?\nProcess Group PGID: \d+\s*$/

/** Gemini CLI: `Output: …`, then what there is to say. It names the exit code of a command that failed, and no other. */
export const geminiShell: ShellFormat = (result, command) => {
  const refused = refusal(result)
  if (refused !== undefined) return refused
  const cut = geminiCut.exec(result.text)?.[0] ?? ''
  const text = result.text.slice(cut.length)
  const truncated = cut !== ''
  const late = /^Command was (?:automatically )?cancelled[^\n]*(?:\n|$)/.exec(text)
  if (late !== null) return done(text.slice(late[0].length), timeoutExitCode, { timedOut: true, truncated })
  if (!text.startsWith('Output: ')) return unmarkedShell(result, command)
  // The last lines are short: the output is not searched.
  const from = Math.max(0, text.length - 2_000)
  const end = geminiEnd.exec(text.slice(from))
  const body = text.slice('Output: '.length, end === null ? undefined : from + end.index)
  const signal = Number(end?.[3])
  const killed = end?.[3] === undefined ? 0 : 128 + (signal || 0)
  return done(body === '(empty)' ? '' : body, Number(end?.[2] ?? killed), {
    stderr: end?.[1] ?? '',
    truncated,
    ...(end === null ? { exitCodeAssumed: true } : {}),
  })
}
