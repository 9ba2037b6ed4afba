// The listening address of a command: which port is used, which problems prevent it, and the message if the port is taken.

import { execProblems } from '../config/exec.ts'
import { peerProblems } from '../config/peers.ts'
import type { Config } from '../config/schema.ts'
import { bindProblem } from './bind.ts'
import { CommandError } from './command-error.ts'

/** By precedence: --port, PORT, the file. */
export function chosenPort(flag: number | undefined, variable: number | undefined, fallback: number): number {
  if (flag !== undefined) return flag
  if (Number.isNaN(variable))
    throw new CommandError('The variable PORT must be a number from 0 to 65535; 0 picks a free one.', 2)
  return variable ?? fallback
}

/** Checked again, because flags may have changed the address. */
export function refuseProblems(config: Config): void {
  const [problem] = [bindProblem(config) ?? [], peerProblems(config), execProblems(config)].flat()
  if (problem) throw new CommandError(problem, 2)
}

/** Where the second port is chosen, in the message that it is taken. */
export const secondPortFlag = '"ollama.port":'

export async function listenProblem(
  error: NodeJS.ErrnoException,
  { host, port }: { host: string; port: number },
  flag: string,
): Promise<string> {
  if (error.code === 'EADDRINUSE') {
    const { portHolder } = await import('./port-holder.ts')
    const holder = await portHolder({ host, port })
    return `Port ${port} on ${host} is in use${holder === '' ? '' : ` ${holder}`}. Stop that one, or choose another port: ${flag} ${port + 1}, or ${flag} 0 for any free one.`
  }
  if (error.code === 'EACCES')
    return `Port ${port} needs more rights than this user has; choose one above 1023.`
  return `Cannot listen on ${host}:${port}: ${error.message}`
}
