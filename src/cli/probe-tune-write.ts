// Writes the result of a tune into the configuration: shows the change, says whom it affects, asks, writes, and can undo it.

import type { Environment } from '../config/environment.ts'
import type { SettingChange } from '../judge/probe/tune/questions.ts'
import { CommandError } from '../process/command-error.ts'
import { applyChange, ChangedMeanwhile } from '../setup/apply.ts'
import { DamagedJournal, openJournal } from '../setup/journal.ts'
import { showDiff } from '../setup/line-diff.ts'
import { maskSecrets } from '../setup/mask.ts'
import { tilde } from '../setup/plan.ts'
import { FileProblem } from '../setup/write-file.ts'
import type { ProbeFlags } from './probe-flags.ts'
import type { TunePlan } from './probe-tune-plan.ts'
import { consent, type Terminal } from './setup-terminal.ts'
import { undoSetup } from './setup-undo.ts'

interface Writing {
  flags: Pick<ProbeFlags, 'yes' | 'print'>
  environment: Environment
  terminal: Terminal
}

/** The name of its entries in the journal of setup. */
const clientPrefix = 'probe --tune '

/** False: nothing was written, because only a print was wanted. */
export async function offerChange(
  plan: TunePlan,
  changes: readonly SettingChange[],
  { flags, environment, terminal }: Writing,
): Promise<boolean> {
  const { file, text, model, backendName } = plan
  const after = plan.textWith(changes)
  terminal.out(`\n${tilde(file, environment.homeFolder)}\n${maskSecrets(showDiff(text, after))}\n`)
  for (const line of effectsOf(plan, changes)) terminal.err(`${line}\n`)
  if (flags.print) return false
  const isWide = changes.some(isOfBackend) && plan.others?.length !== 0
  await consent(isWide ? `Write this, for all models of "${backendName}"?` : 'Write this?', {
    yes: flags.yes === true,
    terminal,
  })
  await reported(async () =>
    applyChange(
      openJournal(environment.dataFolder),
      { path: file, before: text, after },
      { client: `${clientPrefix}${model}`, project: undefined, secret: undefined, now: new Date() },
    ),
  )
  terminal.err(
    `Written. \`dragoman probe ${model} --tune --undo\` takes it back. A gateway that is running uses it after a restart.\n`,
  )
  return true
}

const isOfModel = ({ path }: SettingChange) => path[0] === 'toolText' && path[1] === 'formats'
const isOfBackend = (change: SettingChange) => !isOfModel(change)

const mostNamed = 5

/** Which models a change affects: most settings belong to a backend, not to a model. */
function effectsOf(
  { backendName, serviceModel, others }: TunePlan,
  changes: readonly SettingChange[],
): string[] {
  const names = (some: readonly SettingChange[]) => some.map(({ path }) => `"${path[0]}"`).join(' and ')
  const ofBackend = changes.filter(isOfBackend)
  const lines = changes.some(isOfModel) ? [`The row in "formats" is for "${serviceModel}" alone.`] : []
  if (ofBackend.length === 0) return lines
  const whole = `${names(ofBackend)}: a setting of the whole backend "${backendName}"`
  if (others === undefined) return [...lines, `${whole}; which other models it serves is not known.`]
  if (others.length === 0) return [...lines, `${whole}, which serves this model alone.`]
  const more = others.length > mostNamed ? ` and ${others.length - mostNamed} more` : ''
  return [
    ...lines,
    `${whole}. It changes ${others.length === 1 ? 'another model' : 'other models'} too, not measured here: ${others.slice(0, mostNamed).join(', ')}${more}.`,
  ]
}

export async function undoTune(model: string, { flags, environment, terminal }: Writing): Promise<void> {
  const { dataFolder, homeFolder: home } = environment
  await reported(() =>
    undoSetup({
      ...{ client: `${clientPrefix}${model}`, project: undefined, dataFolder, home, terminal },
      agree: () => consent('Write this?', { yes: flags.yes === true, terminal }),
      nothingKnown: (entries) => {
        const tuned = entries.flatMap(({ client }) =>
          client.startsWith(clientPrefix) ? client.slice(clientPrefix.length) : [],
        )
        const known = tuned.length === 0 ? '' : `; tuned were ${[...new Set(tuned)].join(', ')}`
        return `no tune of ${model} was written${known}.`
      },
    }),
  )
}

async function reported(action: () => Promise<void>): Promise<void> {
  try {
    await action()
  } catch (error) {
    if (error instanceof DamagedJournal || error instanceof ChangedMeanwhile || error instanceof FileProblem)
      throw new CommandError(error.message)
    throw error
  }
}
