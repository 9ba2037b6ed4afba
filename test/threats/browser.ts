// A real browser with a foreign page.

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Browser, chromium, type Frame, type Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import { findProgram } from '../debian-program.ts'
import type { Attempt } from './cases/browser.ts'

export const chromiumProgram = { program: 'chromium-headless-shell', variable: 'DRAGOMAN_CHROMIUM' }

export interface ForeignPages {
  browser: Browser
  /** Where they come from; any name of `.example` leads there, on any port to this machine. */
  port: number
}

/** For all tests of a `describe`. */
export function useForeignPages(): ForeignPages {
  const pages = {} as ForeignPages
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'text/html' })
    response.end(html)
  })
  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    pages.port = (server.address() as AddressInfo).port
    pages.browser = await chromium.launch({
      executablePath: findProgram(chromiumProgram) ?? '',
      chromiumSandbox: false,
      args: [
        '--host-resolver-rules=MAP *.example 127.0.0.1',
        // Browsers ask before a page may reach this machine. Not all of them do: it is the gateway that is tested here.
        '--disable-features=LocalNetworkAccessChecks,LocalNetworkAccessChecksWebSockets,BlockInsecurePrivateNetworkRequests',
      ],
    })
  })
  afterAll(async () => {
    await pages.browser?.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return pages
}

const sandboxed = '<iframe sandbox="allow-scripts allow-forms" srcdoc="<body>nobody</body>"></iframe>'
export const html = `<!doctype html><title>evil</title><body>${sandboxed}`

export const sandboxOf = (page: Page): Frame => page.frames()[1] ?? page.mainFrame()

const tools = `
  const settled = (target, ...events) => new Promise((done) => {
    for (const event of events) target.addEventListener(event, () => done(event))
    setTimeout(() => done('late'), 300)
  })
  const inFrame = async (act) => {
    const frame = document.createElement('iframe')
    frame.name = 'frame' + Math.random()
    document.body.append(frame)
    const done = settled(frame, 'load')
    act(frame)
    await done
    await new Promise((next) => setTimeout(next, 20))
    try { return frame.contentDocument.body.innerText } catch { return '' }
  }`

/** What the page could read. */
export const tryOn = (frame: Frame, attempt: Attempt, url: string, body: string): Promise<string> =>
  frame.evaluate(
    `(async () => {
      const url = ${JSON.stringify(url)}
      const body = ${JSON.stringify(body)}
      ${tools}
      try { return String(await (async () => { ${attempt.script} })()) } catch { return '' }
    })()`,
  )
