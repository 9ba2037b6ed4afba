// `dragoman setup CLIENT`: shows the change to the client's own files, asks, writes, and can undo it.

import { isLoopback } from '../base/loopback.ts'
import { packageName, packageUrl } from '../base/version.ts'
import { type Environment, proxyVariables, readEnvironment } from '../config/environment.ts'
import { CommandError } from '../process/command-error.ts'
import { withProgress } from '../process/progress.ts'
import { applyChange, ChangedMeanwhile } from '../setup/apply.ts'
import type { SetupClientName, Shell } from '../setup/client-names.ts'
import { type SetupClient, setupClients } from '../setup/clients.ts'
import { DamagedJournal, openJournal } from '../setup/journal.ts'
import { showDiff } from '../setup/line-diff.ts'
import { maskKey, maskSecrets } from '../setup/mask.ts'
import { type Facts, type FileChange, NotUnderstood, type Plan, tilde } from '../setup/plan.ts'
import { FileProblem, targetOf } from '../setup/write-file.ts'
import { proxyOfVariables } from '../upstream/open-socket.ts'
import { thisMachine } from './run-client.ts'
import { chosenModel, factsOf } from './setup-facts.ts'
import { type GatewayFacts, gatewayFacts } from './setup-gateway.ts'
import { consent, ownTerminal, type Terminal } from './setup-terminal.ts'
import { undoSetup } from './setup-undo.ts'

export interface SetupFlags {
  config?: string
  model?: string
  url?: string
  keyFile?: string
  print?: boolean
  undo?: boolean
  yes?: boolean
  project?: boolean
  plugin?: boolean
  shell?: Shell
}

export async function setup(
  name: SetupClientName,
  flags: SetupFlags,
  {
    environment = readEnvironment(),
    terminal = ownTerminal(),
  }: { environment?: Environment; terminal?: Terminal } = {},
): Promise<void> {
  const client: SetupClient = setupClients[name]
  checkFlags(name, client, flags)
  try {
    if (flags.undo) await takeBack(name, { client, flags, environment, terminal })
    else await carryOut(name, { client, flags, environment, terminal })
  } catch (error) {
    if (error instanceof DamagedJournal || error instanceof ChangedMeanwhile || error instanceof FileProblem)
      throw new CommandError(error.message)
    throw error
  }
}

function checkFlags(name: SetupClientName, client: SetupClient, flags: SetupFlags): void {
  const refuse = (reason: string) => {
    throw new CommandError(reason, 2)
  }
  if (flags.project && client.projectFile === undefined)
    refuse(`${client.title} has no project file for this; leave out --project.`)
  if (flags.plugin && name !== 'opencode') refuse('Only OpenCode has a plugin; leave out --plugin.')
  if (flags.shell && !client.printsVariables)
    refuse('--shell is for clients that read variables: `setup env`, `setup copilot`.')
  if (flags.undo && flags.print) refuse('--undo and --print cannot be combined.')
}

interface Run {
  client: SetupClient
  flags: SetupFlags
  environment: Environment
  terminal: Terminal
}

const takeBack = (name: SetupClientName, { flags, environment, terminal }: Run) =>
  undoSetup({
    client: name,
    project: flags.project ? process.cwd() : undefined,
    dataFolder: environment.dataFolder,
    home: environment.homeFolder,
    terminal,
    agree: () => consent('Write this?', { yes: flags.yes === true, terminal }),
  })

async function carryOut(name: SetupClientName, run: Run): Promise<void> {
  const { client, flags, environment, terminal } = run
  const facts = await factsFor(run)
  const plan = planOrSnippet(client, facts, run)
  if (plan.output !== undefined) {
    terminal.out(plan.output)
    return
  }
  const changes = plan.files.filter(({ before, after }) => before !== after)
  terminal.err(`${client.title}${flags.plugin ? ', by the plugin' : ` → ${facts.url}`}${chosen(facts)}\n`)
  if (flags.print || plan.files.length === 0) printPlan(plan, facts, run)
  else if (changes.length === 0) {
    terminal.err('It is set up already: nothing to change.\n')
    sayNext(plan, run)
  } else {
    terminal.out(`${changes.map((change) => shown(change, facts)).join('')}\n`)
    await consent('Write this?', { yes: flags.yes === true, terminal })
    const journal = openJournal(environment.dataFolder)
    const occasion = {
      client: name,
      project: flags.project ? facts.projectFolder : undefined,
      secret: facts.key.needed ? facts.key.text : undefined,
      now: new Date(),
    }
    for (const change of changes)
      applyChange(journal, change, { ...occasion, place: plan.files.indexOf(change) })
    const scope = flags.project ? ' --project' : ''
    terminal.err(`Written. \`dragoman setup ${name}${scope} --undo\` takes it back.\n`)
    sayNext(plan, run)
  }
}

const chosen = ({ model }: Facts) => (model.id === '' ? '' : `, model ${model.id}`)

async function factsFor({ flags, environment, terminal, client }: Run): Promise<Facts> {
  const gateway = flags.plugin
    ? noGateway
    : await withProgress('asking for the models', gatewayFacts(flags, environment))
  if (!gateway.running) terminal.err(`No gateway runs at ${gateway.url}; start it with \`dragoman serve\`.\n`)
  warnOfProxy(gateway.url, { environment, terminal })
  const model = flags.plugin ? { id: flags.model ?? '' } : await chosenModel(gateway, { flags, terminal })
  return {
    ...factsOf({ gateway, model, environment }),
    project: flags.project === true && client.projectFile !== undefined,
    plugin: flags.plugin ? (packageUrl ?? packageName) : undefined,
    ...(flags.shell && { shell: flags.shell }),
    ...(flags.print && { read: () => undefined }),
  }
}

/** Most clients take a proxy of the variables also for this machine. */
function warnOfProxy(url: string, { environment, terminal }: Pick<Run, 'environment' | 'terminal'>): void {
  if (!URL.canParse(url) || !isLoopback(new URL(url).hostname)) return
  const names = [...proxyVariables, 'NO_PROXY', 'no_proxy']
  const env = Object.fromEntries(names.map((name) => [name, environment.variable(name)]))
  if (proxyOfVariables(new URL(url), env) === undefined) return
  terminal.err(
    `warning: a proxy is set (HTTP_PROXY), and clients would call the gateway through it. Where the client starts: export NO_PROXY=${thisMachine.join(',')}${env.NO_PROXY ? ',$NO_PROXY' : ''}; \`dragoman launch\` does so by itself.\n`,
  )
}

/** The plugin needs no gateway and finds the models itself. */
const noGateway: GatewayFacts = {
  url: '',
  key: { text: '', file: undefined, needed: false },
  models: [],
  running: true,
}

function planOrSnippet(client: SetupClient, facts: Facts, { environment, flags }: Run): Plan {
  try {
    return client.plan(facts)
  } catch (error) {
    if (!(error instanceof NotUnderstood)) throw error
    const fresh = client.plan({ ...facts, exists: () => false, read: () => undefined })
    if (flags.print) return fresh
    const { files, steps } = fresh
    const add = files.flatMap(({ after, summary }) => (summary === undefined ? masked(after, facts) : []))
    const rest = files
      .filter(({ summary }) => summary !== undefined)
      .map(({ path }) => `${tilde(path, environment.homeFolder)} is among what \`--print\` shows.\n`)
    throw new CommandError(
      `${tilde(error.path, environment.homeFolder)} is left as it is: ${error.message}.\nAdd this to it by hand:\n\n${add.join('\n')}${keyHint(files, facts)}${[...rest, ...steps.map((step) => `${step}\n`)].join('')}`.trimEnd(),
    )
  }
}

function printPlan(plan: Plan, facts: Facts, run: Run): void {
  const { terminal } = run
  for (const { path, after } of plan.files) {
    terminal.err(`\n${tilde(path, facts.home)}:\n\n`)
    terminal.out(masked(after, facts))
  }
  terminal.err(keyHint(plan.files, facts))
  if (plan.files.length > 0) sayNext(plan, run)
  else terminal.out(`\n${numbered(plan.steps)}`)
}

function keyHint(files: readonly FileChange[], { key }: Facts): string {
  if (!key.needed || !files.some(({ after }) => maskKey(after, key.text) !== after)) return ''
  const where = key.file === undefined ? 'is one of "auth.keys" in the configuration' : `is in ${key.file}`
  return `\n${maskKey(key.text, key.text)} is a placeholder for the key, which ${where}.\n`
}

function sayNext({ steps, start }: Plan, { terminal }: Run): void {
  if (steps.length > 0) terminal.err(`\n${numbered(steps)}`)
  if (start !== undefined) terminal.err(`\nStart it: ${start}\n`)
}

const numbered = (steps: readonly string[]) => steps.map((step, index) => `${index + 1}. ${step}\n`).join('')

function shown({ path, before, after, summary }: FileChange, facts: Facts): string {
  const target = targetOf(path)
  const link = target === path ? '' : ` → ${tilde(target, facts.home)}`
  const heading = `\n${tilde(path, facts.home)}${link}${before === undefined ? ' (new)' : ''}\n`
  return `${heading}${summary === undefined ? masked(showDiff(before ?? '', after), facts) : `  ${summary}\n`}`
}

const masked = (text: string, { key }: Facts) => maskSecrets(key.needed ? maskKey(text, key.text) : text)
