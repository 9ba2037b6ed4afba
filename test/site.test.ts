// The documents as a site: what can be tested without its generator, which only `npm run site` installs.

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'

const root = join(import.meta.dirname, '..')
const modules = (path: string) => import(new URL(`../${path}`, import.meta.url).href)
const { pages, pageOf, titleOf } = await modules('site/contents.mjs')
const { siteProblems } = await modules('scripts/site-check.mjs')

describe('the table of contents', () => {
  it('has every document once', () => {
    const below = (folder: string, recursive: boolean) =>
      readdirSync(join(root, folder), { recursive, encoding: 'utf8' })
        .filter((name) => name.endsWith('.md'))
        .map((name) => join(folder, name).replaceAll('\\', '/'))
    const documents = [...below('.', false), ...below('docs', false), ...below('deploy', true)]
    expect([...pages].sort()).toEqual([...documents, ...below('src', true)].sort())
  })

  it('calls a page by its first heading', () => {
    expect(pageOf('README.md')).toBe('index.md')
    expect(pageOf('deploy/README.md')).toBe('deploy/index.md')
    expect(pageOf('docs/tour.md')).toBe('docs/tour.md')
    expect(titleOf('docs/claude-code.md')).toBe('Claude Code')
    expect(titleOf('docs/tour.md')).toBe('Tour')
  })
})

describe('the packages of the generator', () => {
  const read = (name: string) => JSON.parse(readFileSync(join(root, 'site', name), 'utf8'))
  const { devDependencies, dependencies } = read('package.json')
  const locked: Record<string, Record<string, object | undefined>> = read('package-lock.json').packages

  it('are exact versions, in the lock file', () => {
    expect(dependencies).toBeUndefined()
    for (const version of Object.values(devDependencies)) expect(version).toMatch(/^\d+\.\d+\.\d+$/)
    expect(locked['']?.devDependencies).toEqual(devDependencies)
  })

  it('are locked for every platform: `npm ci` refuses what lacks one', () => {
    const missing = Object.values(locked)
      .flatMap(({ optionalDependencies }) => Object.keys(optionalDependencies ?? {}))
      .filter((name) => locked[`node_modules/${name}`] === undefined)
    expect(missing).toEqual([])
  })

  it('are installed without their scripts', () => {
    expect(readFileSync(join(root, 'site', '.npmrc'), 'utf8')).toContain('ignore-scripts=true')
  })
})

describe('the check of the pages', () => {
  const site = (changed: Record<string, string> = {}) =>
    new Map(
      Object.entries({
        'index.html':
          '<link href="/d/assets/style.css"><a href="/d/docs/tour.html#a-call">x</a><a href="https://a.example/">y</a>',
        'docs/tour.html':
          '<h2 id="a-call" tabindex="-1">A call</h2><a href="../#">up</a><img src="/d/a.png">',
        '404.html': '<a href="/d/">home</a>',
        'a.png': '',
        'assets/style.css': '@font-face{src:url(/d/assets/font.woff2)}',
        'assets/chunks/@localSearchIndexroot.js': '{"0":"/d/#dragoman","1":"/d/docs/tour.html#a-call"}',
        ...changed,
      }),
    )

  it('finds nothing in a good site', () => {
    expect(siteProblems(site(), '/d/')).toEqual([])
  })

  it.each([
    ['a dead link', '<a href="/d/docs/gone.html">x</a>', 'leads nowhere: /d/docs/gone.html'],
    ['a dead relative link', '<a class="b" href="./gone.html">x</a>', 'leads nowhere: ./gone.html'],
    ['a dead anchor', '<a href="#gone">x</a>', 'leads to no heading: #gone'],
    [
      'a dead anchor elsewhere',
      '<a href="/d/docs/tour.html#b&amp;c">x</a>',
      'leads to no heading: /d/docs/tour.html#b&c',
    ],
    ['a missing picture', '<img src="/d/b.png">', 'leads nowhere: /d/b.png'],
    ['a path beside the site', '<a href="/docs/tour.html">x</a>', 'leaves the site: /docs/tour.html'],
    [
      'a script of others',
      '<script src="https://cdn.example/a.js"></script>',
      'loads from elsewhere: https://cdn.example/a.js',
    ],
    ['a style of others', '<link href="//cdn.example/a.css">', 'loads from elsewhere: //cdn.example/a.css'],
  ])('finds %s', (_what, html, problem) => {
    expect(siteProblems(site({ 'index.html': html }), '/d/')).toEqual([`index.html: ${problem}`])
  })

  it('finds a style that loads from elsewhere', () => {
    const files = site({ 'assets/style.css': '@import "https://fonts.example/a.css"' })
    expect(siteProblems(files, '/d/')).toEqual(['assets/style.css: loads from elsewhere'])
  })

  it('finds a page that cannot be searched for', () => {
    expect(siteProblems(site({ 'docs/new.html': '' }), '/d/')).toEqual([
      'docs/new.html: is not in the search',
    ])
  })
})
