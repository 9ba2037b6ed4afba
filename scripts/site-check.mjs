// What a built site must keep: every link leads to a page and a heading that exist, every page is in the search, and nothing is
// loaded from elsewhere.
import { readdirSync, readFileSync } from 'node:fs'
import { join, sep } from 'node:path'

const isText = /\.(?:html|css|js)$/

/** The files of a folder: texts with their content, others with an empty one. */
export function readSite(folder) {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1))
  return new Map(
    names.map((name) => [
      name.split(sep).join('/'),
      isText.test(name) ? readFileSync(join(folder, name), 'utf8') : '',
    ]),
  )
}

const entities = { '&amp;': '&', '&quot;': '"', '&#39;': "'", '&lt;': '<', '&gt;': '>' }
const decoded = (text) => text.replace(/&(?:amp|quot|#39|lt|gt);/g, (entity) => entities[entity])

/** The addresses in the tags of a page. */
function referencesOf(html) {
  return [...html.matchAll(/<([a-z][\w-]*)\s([^<>]*)>/g)].flatMap(([, tag, attributes]) =>
    [...attributes.matchAll(/(?:^|\s)(?:href|src)="([^"]*)"/g)].map(([, address]) => ({
      tag,
      address: decoded(address),
    })),
  )
}

const idsOf = (html) => new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id]) => decoded(id)))

/** Where the site would be: an address that leaves it has another origin. */
const origin = 'http://site.invalid'

/** One line for each problem. `files`: of readSite. */
export function siteProblems(files, base) {
  const pages = [...files.keys()].filter((name) => name.endsWith('.html'))
  const ids = new Map(pages.map((name) => [name, idsOf(files.get(name))]))

  function problemOf(page, { tag, address }) {
    const url = new URL(address, `${origin}${base}${page}`)
    if (url.protocol === 'data:') return undefined
    if (url.origin !== origin) return tag === 'a' ? undefined : `loads from elsewhere: ${address}`
    if (!url.pathname.startsWith(base)) return `leaves the site: ${address}`
    const path = decodeURIComponent(url.pathname.slice(base.length))
    const file = path === '' || path.endsWith('/') ? `${path}index.html` : path
    if (!files.has(file)) return `leads nowhere: ${address}`
    const anchor = decodeURIComponent(url.hash.slice(1))
    if (anchor !== '' && !ids.get(file)?.has(anchor)) return `leads to no heading: ${address}`
    return undefined
  }

  const wrongLinks = pages.flatMap((page) =>
    referencesOf(files.get(page))
      .flatMap((reference) => problemOf(page, reference) ?? [])
      .map((problem) => `${page}: ${problem}`),
  )
  return [...new Set(wrongLinks), ...foreignStyles(files), ...unsearchable(files, pages, base)]
}

function foreignStyles(files) {
  return [...files]
    .filter(([name, text]) => name.endsWith('.css') && /(?:url\(|@import )["']?(?:https?:)?\/\//.test(text))
    .map(([name]) => `${name}: loads from elsewhere`)
}

/** Pages that the search does not know. */
function unsearchable(files, pages, base) {
  const [, index = ''] = [...files].find(([name]) => name.includes('localSearchIndex')) ?? []
  const known = (page) => `${base}${page.replace(/(^|\/)index\.html$/, '$1')}`
  return pages
    .filter((page) => page !== '404.html' && !index.includes(`"${known(page)}#`))
    .map((page) => `${page}: is not in the search`)
}
