// What the plans of clients are made from: the gateway, the model that the user chose, and the folders and files of this machine.

import { existsSync } from 'node:fs'
import { nearest } from '../base/nearest.ts'
import { expandPath } from '../base/platform/expand.ts'
import { places } from '../base/platform/rows.ts'
import { type System, thisSystem } from '../base/platform/system.ts'
import type { Environment } from '../config/environment.ts'
import { CommandError } from '../process/command-error.ts'
import type { Shell } from '../setup/client-names.ts'
import type { Facts, SetupModel } from '../setup/plan.ts'
import { readBytes, targetOf, textOf } from '../setup/write-file.ts'
import type { GatewayFacts } from './setup-gateway.ts'
import type { Terminal } from './setup-terminal.ts'

/** More models would make the client's list and the shown change unreadable. */
const mostModels = 64

interface Sources {
  gateway: GatewayFacts
  model: SetupModel
  environment: Environment
}

export function factsOf({ gateway, model, environment }: Sources): Facts {
  const { variable, homeFolder: home } = environment
  const system = thisSystem
  return {
    url: gateway.url,
    key: gateway.key,
    model,
    models: [model, ...gateway.models.filter(({ id }) => id !== model.id)].slice(0, mostModels),
    home,
    configHome:
      variable('XDG_CONFIG_HOME') || expandPath(places.configHome[system], { home, variable }, system),
    projectFolder: process.cwd(),
    project: false,
    plugin: undefined,
    shell: ownShell(variable('SHELL'), system),
    system,
    variable,
    exists: existsSync,
    read: (path) => {
      const bytes = readBytes(targetOf(path))
      return bytes && textOf(bytes)
    },
  }
}

/** Git Bash sets SHELL on Windows too. */
export const ownShell = (name: string | undefined, system: System): Shell => {
  if (name?.endsWith('/fish')) return 'fish'
  return system === 'windows' && !name ? 'powershell' : 'sh'
}

interface ModelFlags {
  model?: string
  print?: boolean
  yes?: boolean
}

export async function chosenModel(
  { models, url, running }: GatewayFacts,
  { flags, terminal }: { flags: ModelFlags; terminal: Terminal },
): Promise<SetupModel> {
  if (flags.model !== undefined) {
    const found = models.find(({ id }) => id === flags.model)
    if (!found && models.length > 0) {
      const near = nearest(
        flags.model,
        models.map(({ id }) => id),
      )
      terminal.err(
        `warning: the gateway does not list "${flags.model}"${near.length > 0 ? `; similar names: ${near.join(', ')}` : ''}\n`,
      )
    }
    return found ?? { id: flags.model }
  }
  const [first] = models
  if (!first)
    throw new CommandError(
      running
        ? `The gateway at ${url} lists no model; \`dragoman doctor\` says why. Or name one: --model BACKEND/MODEL`
        : 'No model is known, because no gateway runs and the configuration lists none. Start a gateway (`dragoman serve`, or `dragoman demo` to try), or name a model: --model BACKEND/MODEL',
      2,
    )
  if (flags.yes || flags.print || !terminal.interactive || models.length === 1) return first
  return askForModel(models.slice(0, mostModels), terminal)
}

async function askForModel(models: SetupModel[], terminal: Terminal): Promise<SetupModel> {
  for (const [index, { id }] of models.entries()) terminal.err(`${String(index + 1).padStart(3)}  ${id}\n`)
  for (;;) {
    const answer = (await terminal.ask('Which model? [1] ')).trim()
    const found = models[Number(answer || 1) - 1] ?? models.find(({ id }) => id === answer)
    if (found) return found
    terminal.err(`A number from 1 to ${models.length}, or a name.\n`)
  }
}
