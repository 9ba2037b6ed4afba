// Option values and options that several commands share. A parser throws the reason why it refuses a value; commander puts
// the option's name before it.

import { InvalidArgumentError, Option } from 'commander'
import { nearest } from '../base/nearest.ts'
import { mostWorkers } from '../config/workers.ts'
import { launchClientNames, setupClientNames } from '../setup/client-names.ts'

export function port(value: string): number {
  const found = Number(value)
  if (value.trim() !== '' && Number.isInteger(found) && found >= 0 && found <= 65_535) return found
  throw new InvalidArgumentError('expected a port from 0 to 65535; 0 picks a free one.')
}

export function workers(value: string): number {
  const found = Number(value)
  if (/^\d+$/.test(value) && found >= 1 && found <= mostWorkers) return found
  throw new InvalidArgumentError(`expected a number from 1 to ${mostWorkers}: one for each core to use.`)
}

export const wholeNumber =
  (least: number, most = Number.MAX_SAFE_INTEGER) =>
  (value: string): number => {
    const found = Number(value)
    if (/^\d+$/.test(value) && found >= least && found <= most) return found
    throw new InvalidArgumentError(
      most === Number.MAX_SAFE_INTEGER
        ? `expected a whole number of at least ${least}.`
        : `expected a whole number from ${least} to ${most}.`,
    )
  }

export function amount(value: string): number {
  const found = Number(value)
  if (/^\d/.test(value) && Number.isFinite(found)) return found
  throw new InvalidArgumentError('expected a number of at least 0.')
}

export function speed(value: string): number {
  const found = Number(value)
  if (value.trim() !== '' && found > 0 && Number.isFinite(found)) return found
  throw new InvalidArgumentError('expected a number above 0: 1 is the recorded speed, 2 twice as fast.')
}

export function seconds(value: string): number {
  const found = Number(value)
  if (/^\d+(\.\d+)?$/.test(value) && found > 0 && found <= 86_400) return found
  throw new InvalidArgumentError('expected a number of seconds, such as 30.')
}

const unitMs = { m: 60_000, h: 3_600_000, d: 86_400_000, w: 7 * 86_400_000 }

/** `7d`, `24h`, `30m`, `2w`, or a day such as 2026-11-01, in local time. */
export function sinceWhen(value: string): { text: string; from: Date } {
  const [, count, unit] = /^(\d{1,5})([mhdw])$/.exec(value) ?? []
  const from =
    count !== undefined
      ? new Date(Date.now() - Number(count) * unitMs[unit as keyof typeof unitMs])
      : new Date(/^\d{4}-\d{2}-\d{2}$/.test(value) ? `${value}T00:00:00` : Number.NaN)
  if (!Number.isNaN(from.getTime())) return { text: value, from }
  throw new InvalidArgumentError('expected a time such as 7d, 24h, 2w or 2026-11-01.')
}

/** Names the nearest of the choices. */
export const oneOf =
  (choices: readonly string[]) =>
  (value: string): string => {
    if (choices.includes(value)) return value
    const [close] = nearest(value, choices)
    const hint = close === undefined ? '' : `Did you mean ${close}? `
    throw new InvalidArgumentError(`${hint}Allowed choices are ${choices.join(', ')}.`)
  }

/** Names that clients have elsewhere: their programs'. */
const programNames: Readonly<Record<string, string>> = {
  claude: 'claude-code',
  gemini: 'gemini-cli',
  qwen: 'qwen-code',
  cn: 'continue',
  grok: 'grok-build',
}

export const setupClient = (value: string) => oneOf(setupClientNames)(programNames[value] ?? value)

export function launchClient(value: string): string {
  const name = programNames[value] ?? value
  const isEditor = oneOfThese(name, setupClientNames) && !oneOfThese(name, launchClientNames)
  if (isEditor)
    throw new InvalidArgumentError(`it runs on when a session ends. Set it up: dragoman setup ${name}`)
  return oneOf(launchClientNames)(name)
}

const oneOfThese = (name: string, names: readonly string[]) => names.includes(name)

export function loginProvider(value: string): string {
  if (value === 'cursor') return value
  throw new InvalidArgumentError(
    'only cursor has a login. Other services take a key: set its variable, such as ANTHROPIC_API_KEY, and run `dragoman init`.',
  )
}

export function webUrl(value: string): string {
  if (/^https?:\/\/[^/]/i.test(value) && URL.canParse(value)) return value
  throw new InvalidArgumentError('expected an http:// or https:// URL.')
}

export function accountName(value: string): string {
  if (/^[A-Za-z0-9][A-Za-z0-9._-]{0,39}$/.test(value)) return value
  throw new InvalidArgumentError('expected a name of letters, digits, ".", "_" and "-", up to 40.')
}

export const configFlag = () =>
  new Option(
    '--config <file>',
    "configuration file (default: $DRAGOMAN_CONFIG, ./dragoman.jsonc, then the user's)",
  )
export const portFlag = () =>
  new Option('--port <port>', 'port to listen on; 0 picks a free one').argParser(port)
export const jsonFlag = () => new Option('--json', 'machine-readable output')
export const formatFlag = () =>
  new Option(
    '--log-format <format>',
    'log for people or for programs (default: by whether stderr is a terminal)',
  ).choices(['pretty', 'json'])
export const levelFlag = () =>
  new Option('--log-level <level>', 'least severe level to log on stderr').choices([
    'debug',
    'info',
    'warn',
    'error',
    'silent',
  ])
