// The options of `probe`, and what the plain probe and the tune ask of them before anything is sent.

import { statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { DoorName } from '../judge/clients/answer.ts'
import type { Prices } from '../judge/probe/estimate.ts'
import { CommandError } from '../process/command-error.ts'
import type { Terminal } from './setup-terminal.ts'

export interface ProbeFlags {
  config?: string
  url?: string
  keyFile?: string
  door: DoorName
  stream: boolean
  only?: string[]
  repeat: number
  concurrency: number
  /** In seconds. */
  timeout: number
  budget?: number
  priceIn?: number
  priceOut?: number
  min: number
  all?: boolean
  yes?: boolean
  json?: string
  html?: string
  tapes?: string
  tune?: boolean
  print?: boolean
  undo?: boolean
}

/** 128 plus the number of SIGINT, the shells' convention. */
export const interruptedCode = 130

export function checkFlags(flags: ProbeFlags): void {
  const refuse = (reason: string) => {
    throw new CommandError(reason, 2)
  }
  if (flags.tune) {
    if (flags.url !== undefined) refuse('--tune tries settings of your own configuration; leave out --url.')
    const [other] = (['html', 'tapes', 'min'] as const).filter((name) => flags[name])
    if (other) refuse(`--tune compares settings; --${other} is for the score card of a plain probe.`)
    if (flags.undo && flags.print) refuse('--undo and --print cannot be combined.')
  } else {
    const [other] = (['print', 'undo'] as const).filter((name) => flags[name])
    if (other) refuse(`--${other} belongs to --tune.`)
  }
  if (flags.url === undefined && flags.keyFile !== undefined) refuse('--key-file belongs to --url.')
  if (flags.url !== undefined && flags.tapes !== undefined)
    refuse('The gateway at --url has the tapes: start it with --record. Leave out --tapes.')
  for (const file of [flags.json, flags.html]) if (file !== undefined) checkPlace(file)
  if (flags.tapes !== undefined) checkPlace(flags.tapes, 'folder')
}

export function pricesOf({ priceIn, priceOut }: ProbeFlags): Prices | undefined {
  if (priceIn === undefined && priceOut === undefined) return undefined
  if (priceIn === undefined || priceOut === undefined)
    throw new CommandError('--price-in and --price-out must be used together.', 2)
  return { in: priceIn, out: priceOut }
}

/** Finds out before tokens are spent whether a report can be written. */
function checkPlace(place: string, kind: 'file' | 'folder' = 'file'): void {
  if (place === '-') throw new CommandError('Name a file: "-" is not supported here.', 2)
  const path = resolve(place)
  const there = statSync(path, { throwIfNoEntry: false })
  if (there && there.isDirectory() !== (kind === 'folder'))
    throw new CommandError(`${place} is no ${kind}.`, 2)
  const parent = statSync(dirname(path), { throwIfNoEntry: false })
  if (!parent?.isDirectory())
    throw new CommandError(`${place} cannot be written: there is no folder ${dirname(path)}.`, 2)
}

interface Agreement {
  /** All services are on this machine: there is nothing to pay for. */
  isLocal: boolean
  flags: Pick<ProbeFlags, 'yes'>
  terminal: Terminal
}

export async function agreeToSend({ isLocal, flags, terminal }: Agreement): Promise<void> {
  if (isLocal || flags.yes) return
  if (!terminal.interactive)
    throw new CommandError('Nothing was sent: there is no terminal to ask on. Confirm with --yes.', 2)
  const said = await terminal.ask('Send it? [y/N] ').catch(() => '')
  if (!/^y(es)?$/i.test(said.trim())) throw new CommandError('Nothing was sent.', 2)
}

/** Ctrl-C ends the probe, with what there is so far; a second Ctrl-C ends the program. */
export function interruption(): { signal: AbortSignal; release(): void } {
  const controller = new AbortController()
  const stop = () => controller.abort()
  process.once('SIGINT', stop)
  return { signal: controller.signal, release: () => void process.off('SIGINT', stop) }
}
