// The plan of a tune: the backend of a model's name, the questions to decide, and the configuration for each combination. Choices
// without a valid configuration are dropped before the first task.

import { checkModesOf } from '../config/calls.ts'
import { ConfigError } from '../config/config-error.ts'
import type { Environment } from '../config/environment.ts'
import { type LoadedConfig, loadConfig } from '../config/load.ts'
import {
  nativeName,
  notShownAt,
  type Question,
  questionsFor,
  type SettingChange,
} from '../judge/probe/tune/questions.ts'
import { CommandError } from '../process/command-error.ts'
import type { Catalog } from '../server/catalog.ts'
import { editBackend } from '../setup/own-config.ts'
import { CannotEdit } from '../setup/plan.ts'
import { readBytes, targetOf, textOf } from '../setup/write-file.ts'
import type { ProbeFlags } from './probe-flags.ts'
import { findTargets, isOnThisMachine, openGateway } from './probe-gateway.ts'

export interface TunePlan {
  /** The model as the user wrote it. */
  model: string
  /** The model as the requests name it. */
  askedModel: string
  /** The model as the service names it. */
  serviceModel: string
  backendName: string
  backends: readonly string[]
  questions: readonly Question[]
  /** Settings, choices and backends that are not compared, with the reason. */
  notes: readonly string[]
  isLocal: boolean
  /** The other models of the backend; undefined if they are not known. */
  others: readonly string[] | undefined
  environment: Environment
  file: string
  /** The configuration file's text. */
  text: string
  textWith(changes: readonly SettingChange[]): string
  configWith(changes: readonly SettingChange[]): LoadedConfig
  /** Equal for changes that make no difference to the backend, such as a default that is written out. */
  effectOf(changes: readonly SettingChange[]): string
}

export async function planTune(
  model: string,
  flags: Pick<ProbeFlags, 'config' | 'door'>,
  environment: Environment,
): Promise<TunePlan> {
  const loaded = loadConfig(flags.config, environment)
  const file = loaded.file as string
  const { gateway } = await openGateway(loaded, environment, undefined)
  try {
    const targets = await findTargets(gateway, model)
    const [target] = targets
    const backend = loaded.config.backends[target?.backendName ?? '']
    if (!target || !backend) throw new CommandError(`The model "${model}" has no backend.`, 2)
    const { backendName, model: serviceModel } = target
    const edits = editsOf(file, backendName, environment)
    const asked = questionsFor(backend, serviceModel, flags.door)
    const { questions, notes } = possible(asked, edits.configWith)
    for (const name of notShownAt(backend, flags.door))
      notes.push(
        `not ${name}: it has no effect at this door, whose dialect the service speaks; try another --door`,
      )
    if (questions.length === 0)
      throw new CommandError(
        `There is nothing to tune: a backend of kind "${backend.kind}" has no setting that changes its tool calls.`,
        2,
      )
    const first = `${backendName}/${serviceModel}`
    return {
      ...{ model, serviceModel, backendName, questions, environment, file },
      ...edits,
      askedModel: targets.length === 1 ? model : first,
      notes: [
        ...(targets.length === 1 ? [] : [`only ${first}, the first of the backends behind "${model}"`]),
        ...notes,
      ],
      backends: Object.keys(loaded.config.backends),
      isLocal: isOnThisMachine(target, loaded.config),
      others: await othersOf(gateway.catalog, backendName, serviceModel),
    }
  } finally {
    await gateway.close()
  }
}

function editsOf(file: string, backendName: string, environment: Environment) {
  const target = targetOf(file)
  const text = textIn(target)
  const textWith = (changes: readonly SettingChange[]) => {
    try {
      return editBackend(text, backendName, changes)
    } catch (error) {
      if (!(error instanceof CannotEdit)) throw error
      throw new CommandError(`${file} cannot be tuned: ${error.message}.`, 2)
    }
  }
  const configWith = (changes: readonly SettingChange[]) =>
    loadConfig(file, environment, { text: textWith(changes) })
  const effectOf = (changes: readonly SettingChange[]) => {
    const { config } = configWith(changes)
    const { calls: _written, ...backend } = { calls: {}, ...config.backends[backendName] }
    return JSON.stringify([backend, checkModesOf(config).get(backendName)])
  }
  return { text, textWith, configWith, effectOf }
}

function textIn(file: string): string {
  try {
    return textOf(readBytes(file) ?? Buffer.alloc(0))
  } catch (error) {
    if (!(error instanceof CannotEdit)) throw error
    throw new CommandError(`${file} cannot be tuned: ${error.message}.`, 2)
  }
}

/** The choices that make a valid configuration. */
function possible(asked: readonly Question[], configWith: TunePlan['configWith']) {
  const notes: string[] = []
  const native = asked.flatMap(
    ({ choices }) => choices.find(({ name }) => name === nativeName)?.changes ?? [],
  )
  const questions = asked.flatMap((question): Question[] => {
    const choices = question.choices.filter((choice) => {
      try {
        configWith([...(question.needsNative ? native : []), ...choice.changes])
        return true
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error
        notes.push(`not ${choice.name}: ${error.problems.join('; ')}`)
        return false
      }
    })
    return choices.length < 2 ? [] : [{ ...question, choices }]
  })
  return { questions, notes }
}

async function othersOf(catalog: Catalog, backendName: string, model: string): Promise<string[] | undefined> {
  const listing = (await catalog.listings()).find((one) => one.backendName === backendName)?.listing
  if (!listing || listing.error || listing.models.length === 0) return undefined
  return listing.models.map(({ id }) => id).filter((id) => id !== model)
}
