// What `dragoman init` says at its end, by the system: `launch` is not on Windows, and PowerShell sets variables in its own way.

import type { System } from '../base/platform/system.ts'
import type { LaunchClientName, Shell } from '../setup/client-names.ts'
import { setupClients } from '../setup/clients.ts'
import { exportLines } from '../setup/export-lines.ts'

export interface Place {
  system: System
  shell: Shell
}

/** `value` is a word of the shell already. */
const setting = (name: string, value: string, place: Place) => exportLines({ [name]: value }, place).trim()

export const setVariable = (name: string, place: Place): string =>
  setting(name, place.shell === 'powershell' ? "'YOUR-KEY'" : 'YOUR-KEY', place)

const hasLaunch = ({ system }: Place) => system !== 'windows'

/** `flag` names the configuration, where the commands would else take another. */
export function nextSteps(installed: readonly LaunchClientName[], flag: string, place: Place): string {
  const serve = `dragoman serve${flag}, dragoman setup CLIENT${flag}`
  if (!hasLaunch(place)) return `Run the gateway, and set up clients: ${serve}\n`
  const [first] = installed
  const others = installed.slice(1).map((name) => setupClients[name].title)
  const launch =
    first === undefined
      ? 'No client was found on the PATH; `dragoman launch CLIENT` says how to install one.'
      : `Start ${setupClients[first].title} with it, and leave its settings alone: dragoman launch ${first}${flag}${others.length > 0 ? ` (also here: ${others.join(', ')})` : ''}`
  return `${launch}\nOr run the gateway, and set up clients for good: ${serve}\n`
}

export function nothingFound(place: Place): string {
  const demo = hasLaunch(place) ? 'dragoman demo, or dragoman launch CLIENT --demo' : 'dragoman demo'
  const key = setting('ANTHROPIC_API_KEY', place.shell === 'powershell' ? "'…'" : '…', place)
  return `Nothing was found that could be a backend, so nothing was written. One of these helps:
  - try it without any account:          ${demo}
  - a key of a service in its variable:  ${key}  (OPENAI_API_KEY, OPENROUTER_API_KEY, …)
  - a Cursor account:                    dragoman login cursor
  - a local server:                      start Ollama, LM Studio, vLLM or llama.cpp
  - any other service:                   dragoman init --backend openai=https://HOST/v1
Then run \`dragoman init\` again.`
}
