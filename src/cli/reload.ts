// `dragoman reload`: the running gateway reads its configuration file again, and says what it has changed, or why not.

import { readEnvironment } from '../config/environment.ts'
import { CommandError } from '../process/command-error.ts'
import { out } from '../process/output.ts'
import { withProgress } from '../process/progress.ts'
import { reloadPath } from '../server/control.ts'
import { askGateway, chosenGateway, withoutCommand } from './running-gateway.ts'

export async function reload(flags: { config?: string; port?: number }): Promise<void> {
  const gateway = chosenGateway(flags, readEnvironment(), withoutCommand())
  const { file, url } = gateway
  const hint = (pid: number) => ` Instead, ${withoutCommand(pid)}.`
  const asked = askGateway(gateway, reloadPath, { body: {}, hint })
  const outcome = await withProgress('waiting for the gateway', asked)
  if (outcome.state === 'unchanged') return out(`${file} has not changed.\n`)
  if (outcome.state === 'taken')
    return out(`${file} was taken over by the gateway at ${url}: ${texts(outcome.changed).join(', ')}\n`)
  const problems = texts(outcome.problems).map((problem) => `\n  - ${problem}`)
  throw new CommandError(
    `${file} was refused; the last good configuration stays in force:${problems.join('')}`,
    2,
  )
}

const texts = (found: unknown): string[] => (Array.isArray(found) ? found.map(String) : [])
