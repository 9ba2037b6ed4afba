// `dragoman conform`: tests a gateway against the published wire cases. Exit code 0: all pass; 1: some fail; 2: not judged.

import { existsSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { isLoopback } from '../base/loopback.ts'
import { replaceFileSync } from '../base/platform/replace-file.ts'
import { mayNameSecret } from '../base/secrets/names.ts'
import { version } from '../base/version.ts'
import { readEnvironment } from '../config/environment.ts'
import { type DoorName, doorNames } from '../judge/clients/answer.ts'
import { allCases } from '../judge/conform/cases/all.ts'
import { findDoors } from '../judge/conform/find-doors.ts'
import { createReport, htmlReport, printable, type Report, terminalReport } from '../judge/conform/report.ts'
import { type Job, jobsOf, type Result, runCases } from '../judge/conform/run.ts'
import { CannotJudge, findTarget, type Target } from '../judge/conform/target.ts'
import { obliging } from '../judge/conform/upstream/obliging.ts'
import type { UpstreamKind } from '../judge/conform/upstream/played.ts'
import { startUpstream, type Upstream } from '../judge/conform/upstream/server.ts'
import { Scrubber } from '../observe/scrub.ts'
import { CommandError } from '../process/command-error.ts'
import { err, out, outData, overwrite } from '../process/output.ts'
import { ownTerminal } from './setup-terminal.ts'

interface ConformFlags {
  model?: string
  key?: string
  upstream?: UpstreamKind
  upstreamPort?: number
  upstreamHost?: string
  wait: number
  doors?: string
  only?: string
  header?: string[]
  timeout: number
  json?: string | true
  html?: string
  yes?: boolean
  list?: boolean
}

const say = (line: string) => err(`${line}\n`)

export async function conform(url: string | undefined, flags: ConformFlags): Promise<void> {
  if (flags.list) return listCases()
  if (url === undefined)
    throw new CommandError('Which gateway? Give its base URL: dragoman conform http://127.0.0.1:18741/v1', 2)
  for (const file of [flags.json, flags.html]) if (typeof file === 'string') checkPlace(file)
  try {
    await judge(url, flags)
  } catch (error) {
    if (error instanceof CannotJudge) throw new CommandError(printable(error.message), 2)
    throw error
  }
}

function listCases(): void {
  for (const { id, needs, title } of allCases)
    out(`${id.padEnd(5)} ${(needs === 'nothing' ? '' : needs).padEnd(9)} ${title}\n`)
}

async function judge(url: string, flags: ConformFlags): Promise<void> {
  const scrubber = new Scrubber()
  const key = flags.key ?? readEnvironment().variable('DRAGOMAN_CONFORM_KEY')
  const headers = parseHeaders(flags.header ?? [])
  scrubber.add(key)
  for (const [name, value] of Object.entries(headers)) if (mayNameSecret(name)) scrubber.add(value)
  const chosen = chosenDoors(flags.doors)
  const only = chosenCases(flags.only)
  const found = await findTarget(url, { key, headers, timeoutMs: flags.timeout * 1_000 })
  for (const note of found.notes) say(note)
  const upstream = flags.upstream && (await openUpstream(flags.upstream, flags))
  try {
    const model = flags.model ?? (upstream ? 'conform-{case}' : onlyModel(found.models))
    const options = { target: found.target, model, upstream }
    const jobs = jobsOf(allCases, { doors: chosen, upstream: flags.upstream, ...(only ? { only } : {}) })
    if (upstream)
      await untilReached(upstream, { target: found.target, model }, { doors: chosen, seconds: flags.wait })
    else await agree(jobs, { target: found.target, model, yes: flags.yes === true })
    const missing = await findDoors(chosen, options)
    const results = await runAll({ ...options, jobs, missing })
    const report = createReport({
      tool: `dragoman ${version}`,
      when: new Date().toISOString(),
      target: found.target.base,
      model,
      upstream: flags.upstream ?? null,
      partial: results.length < jobs.length,
      planned: jobs.length,
      results,
    })
    show(report, flags, scrubber)
  } finally {
    await upstream?.close()
  }
}

function chosenDoors(text: string | undefined): readonly DoorName[] {
  if (text === undefined) return doorNames
  const names = text.split(',').map((name) => name.trim())
  const wrong = names.find((name) => !doorNames.includes(name as DoorName))
  if (wrong !== undefined)
    throw new CommandError(`There is no door "${wrong}"; there are ${doorNames.join(', ')}.`, 2)
  return names as DoorName[]
}

function chosenCases(text: string | undefined): string[] | undefined {
  const ids = text?.split(',').map((id) => id.trim())
  const wrong = ids?.find((id) => !allCases.some((test) => test.id === id))
  if (wrong !== undefined) throw new CommandError(`There is no case "${wrong}"; --list shows all cases.`, 2)
  return ids
}

function parseHeaders(lines: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    lines.map((line) => {
      const [, name, value] = /^([^\s:]+):\s*(?!\s)(.*)$/.exec(line) ?? []
      if (name === undefined || value === undefined)
        throw new CommandError(`"${line}" is not a header; write --header 'name: value'.`, 2)
      return [name.toLowerCase(), value]
    }),
  )
}

function onlyModel(models: readonly string[]): string {
  const [model] = models
  if (model !== undefined && models.length === 1) return model
  const offered =
    models.length === 0
      ? ''
      : ` It lists: ${printable(models.slice(0, 12).join(', '))}${models.length > 12 ? ', …' : ''}`
  throw new CommandError(`Which model? Name one with --model.${offered}`, 2)
}

async function openUpstream(
  kind: UpstreamKind,
  { upstreamPort = 0, upstreamHost }: ConformFlags,
): Promise<Upstream> {
  const host = upstreamHost === undefined ? {} : { host: upstreamHost }
  const upstream = await startUpstream(kind, { port: upstreamPort, ...host, fallback: obliging }).catch(
    (error: NodeJS.ErrnoException) => {
      throw new CommandError(
        `The scripted upstream cannot listen on port ${upstreamPort}: ${error.message}. Choose another with --upstream-port; 0 picks a free one.`,
        2,
      )
    },
  )
  say(
    `The scripted upstream acts as ${kind === 'openai' ? 'an OpenAI-compatible server' : "Anthropic's API"}. Point the gateway at it:`,
  )
  say(`  base URL  ${upstream.url}`)
  say('  API key   any')
  say("  model     any; where names are free, let them through: --model 'PREFIX/conform-{case}'")
  return upstream
}

/** The user may have to configure the gateway first: repeats a request until it reaches the upstream. */
async function untilReached(
  upstream: Upstream,
  options: { target: Target; model: string },
  { doors, seconds }: { doors: readonly DoorName[]; seconds: number },
): Promise<void> {
  const end = Date.now() + seconds * 1_000
  let last = ''
  for (let tries = 0; ; tries++) {
    const said = await findDoors(doors, { ...options, upstream }).then(
      () => '',
      (error: Error) => error.message,
    )
    if (said !== '' && said !== last) say(printable(said))
    last = said
    if (upstream.total > 0) {
      say('The gateway calls the scripted upstream.')
      return
    }
    if (tries === 0) say(`Waiting up to ${seconds} s (--wait) for the gateway's first request …`)
    if (Date.now() >= end) break
    await sleep(Math.min(1_000, seconds * 100))
  }
  const why = last === '' ? 'The gateway answers, but from somewhere else' : last
  throw new CannotJudge(
    `No request reached the scripted upstream at ${upstream.url} within ${seconds} s. ${why}${last === '' ? ': is its base URL set, and does --model lead there?' : ''}`,
  )
}

/** Asks before using a model that may cost money. */
async function agree(
  jobs: readonly Job[],
  { target, model, yes }: { target: Target; model: string; yes: boolean },
): Promise<void> {
  const shared =
    new Set(jobs.flatMap(({ test, door, form }) => (test.cost === undefined ? [`${door}-${form}`] : [])))
      .size * 3
  const requests = jobs.reduce((sum, { test }) => sum + (test.cost ?? 0), 0) + shared
  const tokens = Math.ceil((requests * 250) / 1_000) * 1_000
  const plan = `${jobs.length} checks on ${model}: at most ${requests} requests that reach the model, about ${tokens} tokens.`
  say(plan)
  if (yes || isLoopback(new URL(target.base).hostname)) return
  const terminal = ownTerminal()
  if (!terminal.interactive)
    throw new CommandError(
      'Nothing was sent to the model: there is no terminal to ask on. Confirm with --yes.',
      2,
    )
  if (!/^y(es)?$/i.test((await terminal.ask('Go on? [y/N] ')).trim()))
    throw new CommandError('Nothing was sent to the model.', 2)
}

async function runAll(
  options: Omit<Parameters<typeof runCases>[0], 'signal' | 'onResult'>,
): Promise<Result[]> {
  const stop = new AbortController()
  const results: Result[] = []
  const interrupted = new Promise<void>((done) => stop.signal.addEventListener('abort', () => done()))
  const onSignal = () => stop.abort()
  process.once('SIGINT', onSignal).once('SIGTERM', onSignal)
  const progress = createProgress(options.jobs.length)
  try {
    const all = runCases({
      ...options,
      signal: stop.signal,
      onResult: (result) => {
        results.push(result)
        progress.on(result)
      },
    })
    await Promise.race([all, interrupted])
    return stop.signal.aborted ? results : await all
  } finally {
    progress.end()
    process.off('SIGINT', onSignal).off('SIGTERM', onSignal)
  }
}

/** On a terminal one line that changes; elsewhere a line for each tenth. */
function createProgress(total: number) {
  let done = 0
  let failed = 0
  const line = () => `${done} of ${total} checks, ${failed} failed`
  return {
    on({ outcome, id, door }: Result) {
      done++
      if (outcome === 'fail') failed++
      if (process.stderr.isTTY) overwrite(`${line()} (${id} ${door})`)
      else if (Math.floor((done * 10) / total) > Math.floor(((done - 1) * 10) / total)) say(line())
    },
    end() {
      overwrite('')
    },
  }
}

function show(report: Report, flags: ConformFlags, scrubber: Scrubber): void {
  const clean = (text: string) => scrubber.scrub(text)
  const json = `${clean(JSON.stringify(report, undefined, 2))}\n`
  if (typeof flags.json === 'string') writeWhole(flags.json, json)
  if (flags.html !== undefined) writeWhole(flags.html, clean(htmlReport(report)))
  if (flags.json === true) outData(json)
  else out(clean(terminalReport(report)))
  if (report.partial) process.exitCode = 2
  else if (report.counts.fail > 0) process.exitCode = 1
  else if (report.counts.pass === 0) process.exitCode = 2
}

/** Finds out before the run whether the report can be written. */
function checkPlace(file: string): void {
  const folder = dirname(resolve(file))
  if (!existsSync(folder))
    throw new CommandError(`The report cannot be written: there is no folder ${folder}.`, 2)
  if (existsSync(file) && statSync(file).isDirectory())
    throw new CommandError(`The report cannot be written: ${file} is a folder.`, 2)
}

function writeWhole(file: string, text: string): void {
  const draft = `${file}.${process.pid}.tmp`
  try {
    writeFileSync(draft, text)
    replaceFileSync(draft, file)
    say(`written: ${file}`)
  } catch (error) {
    rmSync(draft, { force: true })
    throw new CommandError(`The report cannot be written: ${(error as Error).message}`, 2)
  }
}
