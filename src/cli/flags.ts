// Option values and options that several commands share. A parser throws the reason why it refuses a value; commander puts
// the option's name before it.

import { InvalidArgumentError, Option } from 'commander'
import { mostWorkers } from '../config/workers.ts'

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

export function webUrl(value: string): string {
  if (/^https?:\/\/[^/]/i.test(value) && URL.canParse(value)) return value
  throw new InvalidArgumentError('expected an http:// or https:// URL.')
}

export const configFlag = () =>
  new Option(
    '--config <file>',
    "configuration file (default: $DRAGOMAN_CONFIG, ./dragoman.jsonc, then the user's)",
  )
export const portFlag = () =>
  new Option('--port <port>', 'port to listen on; 0 picks a free one').argParser(port)
export const jsonFlag = () => new Option('--json', 'machine-readable output')
export const levelFlag = () =>
  new Option('--log-level <level>', 'least severe level to log on stderr').choices([
    'debug',
    'info',
    'warn',
    'error',
    'silent',
  ])
