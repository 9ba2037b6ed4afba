// `dragoman inspect`: prints a one-time link to the inspector of the running gateway.

import { isObject } from '../base/json.ts'
import { readEnvironment } from '../config/environment.ts'
import { openBrowser } from '../credentials/open-browser.ts'
import { CommandError } from '../process/command-error.ts'
import { out } from '../process/output.ts'
import { gatewayAddress, refusedKey } from './setup-gateway.ts'

const patienceMs = 5_000

export async function inspect(flags: {
  config?: string
  url?: string
  keyFile?: string
  open?: true
}): Promise<void> {
  const environment = readEnvironment()
  const { url, key } = gatewayAddress(flags, environment)
  const answer = await askForLink(url, key.needed ? key.text : undefined)
  if (answer.status === 401) throw refusedKey(url, key)
  const body: unknown = await answer.json().catch(() => undefined)
  const token = isObject(body) && answer.ok ? body.token : undefined
  if (typeof token !== 'string') throw new CommandError(offOrOther(url, answer.status))
  const link = `${url}/#login=${token}`
  out(`${link}\n`)
  if (flags.open) openBrowser(link, environment)
}

const offOrOther = (url: string, status: number) =>
  status === 404
    ? `The gateway at ${url} runs without the inspector: start it with \`dragoman serve --inspect\`, or set "inspector.enabled".`
    : `${url} returned no link (HTTP ${status}). Set the gateway's address with --url.`

function askForLink(url: string, key: string | undefined): Promise<Response> {
  return fetch(`${url}/inspector/links`, {
    method: 'POST',
    headers: key === undefined ? {} : { authorization: `Bearer ${key}` },
    redirect: 'manual',
    signal: AbortSignal.timeout(patienceMs),
  }).catch((error) => {
    // The message of fetch says only that it failed; its cause says why.
    const { code, message } = (error.cause ?? error) as NodeJS.ErrnoException
    throw new CommandError(
      `No gateway answers at ${url} (${code && typeof code === 'string' ? code : message}). Start one by \`dragoman serve --inspect\`, or give its address by --url.`,
    )
  })
}
