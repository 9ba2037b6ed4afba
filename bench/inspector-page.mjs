// `npm run bench:inspector`: how quick the inspector's page is, in a real browser: a turn with megabytes of arguments, a list of
// thousands of turns, a key in the filter. docs/inspector.md has the figures. Every measure is taken several times; the median counts.
//
//   --turns N       in the list (2000)
//   --megabytes N   of arguments in one turn (5)
//   --rounds N      (5)
//   --json FILE     the figures, unrounded
//   --strict        exit code 1 if one is above its limit
import { existsSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { parseArgs } from 'node:util'
import { provideBrowser, unpackedProgram } from '../scripts/debian.mjs'
import { build, install, root } from '../scripts/prepare.mjs'
import { startInspected } from './inspector-page/gateway.mjs'
import { longestFrame, paintAfterClick, paintAfterKey } from './inspector-page/measure.mjs'
import { machine } from './sessions/report.mjs'

const number = (fallback) => ({ type: 'string', default: String(fallback) })
const { values } = parseArgs({
  options: {
    ...{ turns: number(2_000), megabytes: number(5), rounds: number(5) },
    ...{ json: { type: 'string' }, strict: { type: 'boolean', default: false } },
  },
})
const [turns, megabytes, rounds] = ['turns', 'megabytes', 'rounds'].map((name) => Number(values[name]))

install()
build()
provideBrowser('the bench')
const about = machine()

function findBrowser() {
  const name = 'chromium-headless-shell'
  const onPath = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, name))
  return [process.env.DRAGOMAN_CHROMIUM, unpackedProgram(name), ...onPath].find(
    (file) => file && existsSync(file),
  )
}

const executablePath = findBrowser()
if (!executablePath) {
  process.stderr.write('bench: no chromium-headless-shell; name one in DRAGOMAN_CHROMIUM\n')
  process.exit(2)
}

const median = (list) => list.toSorted((a, b) => a - b)[Math.floor(list.length / 2)]

/** `limit` in milliseconds; undefined: only shown. */
const measures = [
  {
    name: `first paint after the click on a turn with ${megabytes} MB of arguments`,
    limit: 300,
    before: (page) => choose(page, 'small'),
    run: (page) => page.evaluate(paintAfterClick, { title: titles.large, shows: 'write_file' }),
  },
  {
    name: 'longest frame while that turn is scrolled, its arguments unfolded',
    limit: 100,
    before: unfold,
    run: (page) => page.evaluate(longestFrame, { selector: '.transcript', steps: 120, pixels: 400 }),
  },
  {
    name: `longest frame while the list of ${turns} turns is scrolled`,
    limit: 100,
    run: (page) => page.evaluate(longestFrame, { selector: '.rows', steps: 120, pixels: 400 }),
  },
  {
    name: `a key in the filter of ${turns} turns`,
    limit: 300,
    before: (page) => page.getByRole('searchbox').fill(''),
    run: (page, round) => page.evaluate(paintAfterKey, { text: `Question ${round + 1}` }),
    after: (page) => page.getByRole('searchbox').fill(''),
  },
]

const titles = { small: 'A small turn beside', large: 'Write the large file' }

async function choose(page, which) {
  await page.locator('.rows').evaluate((rows) => {
    rows.scrollTop = 0
  })
  await page.getByRole('option').filter({ hasText: titles[which] }).first().click()
  await page.locator('.entry.chosen').waitFor()
}

async function unfold(page) {
  await choose(page, 'large')
  const button = page.getByRole('button', { name: /^Show all/ }).last()
  if (await button.isVisible()) await button.click()
  await page.waitForTimeout(500)
}

const { chromium } = await import('playwright-core')
const inspected = await startInspected(join(root, 'dist'), { turns })
const browser = await chromium.launch({ executablePath, chromiumSandbox: false })
let exitCode = 0
try {
  await inspected.fill(turns - 2)
  await inspected.ask('small', titles.small)
  await inspected.ask(`large-${megabytes * 1_000_000}`, titles.large)
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  const from = performance.now()
  await page.goto(inspected.link())
  await page.getByRole('option').filter({ hasText: titles.large }).waitFor()
  const figures = [
    { name: `the page with ${turns} turns, from the link to the list`, times: [performance.now() - from] },
  ]
  for (const { name, limit, before, run, after } of measures) {
    const times = []
    for (let round = 0; round < rounds; round++) {
      await before?.(page)
      times.push(await run(page, round))
      await after?.(page)
    }
    figures.push({ name, limit, times })
  }
  report(figures)
} finally {
  await browser.close()
  await inspected.close()
}
process.exit(exitCode)

function report(figures) {
  const rows = figures.map(({ name, limit, times }) => {
    const found = Math.round(median(times))
    const verdict = limit === undefined ? '' : found <= limit ? `${limit} ms: met` : `${limit} ms: MISSED`
    if (limit !== undefined && found > limit && values.strict) exitCode = 1
    return `| ${name} | ${found} ms | ${Math.round(Math.max(...times))} ms | ${verdict} |`
  })
  const head = '|  | median | longest | must |\n| --- | --- | --- | --- |'
  process.stdout.write(`Machine: ${about}. ${rounds} rounds.\n\n${head}\n${rows.join('\n')}\n`)
  if (values.json)
    writeFileSync(values.json, `${JSON.stringify({ about, turns, megabytes, figures }, null, 2)}\n`)
}
