// A gateway with its inspector on, and ways to look at it: as a program with a login, and as a page in a browser.

import {
  type Browser,
  type BrowserContext,
  type BrowserContextOptions,
  chromium,
  type Page,
} from 'playwright-core'
import { afterAll, beforeAll, expect } from 'vitest'
import { pageHeader } from '../../src/inspector/api.ts'
import { findProgram } from '../debian-program.ts'
import { type Bench, type BenchOptions, useBench } from '../harness.ts'
import { chromiumProgram } from '../threats/browser.ts'

export const useInspected = ({ settings, ...options }: BenchOptions = {}): Bench =>
  useBench({ ...options, settings: { inspector: { enabled: true }, ...settings } })

type Inspected = Pick<Bench, 'gateway' | 'url'>

export const linkOf = ({ gateway, url }: Inspected): string => gateway.inspector?.link(url) ?? ''
export const tokenOf = (bench: Bench): string => linkOf(bench).split('#login=')[1] ?? ''

export const postLogin = (bench: Bench, token: string, headers: Record<string, string> = {}) =>
  fetch(`${bench.url}/inspector/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ token }),
  })

/** What a page that is logged in sends with each request. */
export const login = (bench: Bench) => loginBy(bench, tokenOf(bench))

export async function loginBy(
  bench: Bench,
  token: string,
): Promise<{ cookie: string; [pageHeader]: string }> {
  const answer = await postLogin(bench, token)
  expect(answer.status).toBe(200)
  const { page } = (await answer.json()) as { page: string }
  return { cookie: answer.headers.get('set-cookie')?.split(';')[0] ?? '', [pageHeader]: page }
}

export async function json(bench: Bench, path: string, headers: Record<string, string>) {
  const answer = await fetch(`${bench.url}${path}`, { headers })
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of any shape
  return { status: answer.status, body: (await answer.json()) as any }
}

/** For all tests of a `describe`. */
export function useBrowser(): { browser: Browser } {
  const held = {} as { browser: Browser }
  beforeAll(async () => {
    held.browser = await chromium.launch({
      executablePath: findProgram(chromiumProgram) ?? '',
      chromiumSandbox: false,
    })
  })
  afterAll(() => held.browser?.close())
  return held
}

export interface Opened {
  page: Page
  context: BrowserContext
  /** What went wrong in it, by its own account. */
  complaints: string[]
}

/** A separate browser that has followed the link. */
export async function openInspector(
  browser: Browser,
  bench: Inspected,
  options: BrowserContextOptions = {},
): Promise<Opened> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('dialog', (dialog) => {
    complaints.push(`dialog: ${dialog.message()}`)
    void dialog.dismiss()
  })
  await page.goto(linkOf(bench))
  await page.getByRole('heading', { name: 'Dragoman inspector' }).waitFor()
  return { page, context, complaints }
}
