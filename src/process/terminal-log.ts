// The log at a terminal: readable lines instead of JSON.

import type { Config } from '../config/schema.ts'
import { stderrLines } from '../observe/stderr-lines.ts'
import { TerminalLines } from '../observe/terminal-lines.ts'
import { isStderrColoured } from './output.ts'

/** `auto` is for people at a terminal, and for programs elsewhere. */
export const chosenLogFormat = (format: Config['log']['format']): 'pretty' | 'json' =>
  format === 'auto' ? (process.stderr.isTTY ? 'pretty' : 'json') : format

/** Writes lines of the log (log.ts) to stderr as a person reads them. */
export function terminalLog({ informs }: { informs: boolean }): (line: string) => void {
  const lines = new TerminalLines({ isColoured: isStderrColoured(), informs })
  const out = stderrLines()
  return (line) => {
    const said = lines.line(line)
    if (said === undefined) return
    out.add(said)
    out.flush()
  }
}

/** The options of a log in this format. */
export const logWriting = ({ log }: Pick<Config, 'log'>): { writeLog?: (line: string) => void } =>
  chosenLogFormat(log.format) === 'pretty' ? { writeLog: terminalLog({ informs: true }) } : {}
