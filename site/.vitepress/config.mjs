// The site: the documents of the repository as they are. `npm run site` builds it into dist-site/, and checks it.

import { dirname, join, relative, sep } from 'node:path'
import { contents, pageOf, pages, root, titleOf } from '../contents.mjs'
import { headingAnchor } from '../heading-anchor.mjs'

const repository = 'https://github.com/dragoman-gateway/dragoman'
const hasScheme = /^[a-z][a-z\d+.-]*:/i

/** Links between files become links between pages; those to files that are no pages lead to the repository. */
function linkPages(md) {
  md.core.ruler.push('pages', ({ env, tokens }) => {
    const links = tokens.flatMap(({ children }) => children ?? []).filter(({ type }) => type === 'link_open')
    for (const link of links) {
      const href = link.attrGet('href')
      const [path] = href.split('#')
      if (path === '' || hasScheme.test(path)) continue
      const file = relative(root, join(dirname(env.path), path))
        .split(sep)
        .join('/')
      const isPage = pages.includes(file)
      link.attrSet('href', isPage ? href.replace(path, pageOf(path)) : `${repository}/blob/main/${file}`)
    }
  })
}

const link = (file) => `/${pageOf(file).replace(/(?:index)?\.md$/, (end) => (end === '.md' ? '.html' : ''))}`

export default {
  title: 'Dragoman',
  description: 'Tool calling that works, for every coding agent, on every model backend.',
  lang: 'en',
  base: process.env.SITE_BASE ?? '/',
  srcDir: root,
  srcExclude: ['bench/**', 'coverage/**', 'dist*/**', 'proto/**', 'sim/**', 'site/**', 'test/**'],
  outDir: join(root, 'dist-site'),
  cacheDir: join(root, 'site', 'node_modules', '.vitepress'),
  rewrites: Object.fromEntries(pages.map((file) => [file, pageOf(file)]).filter(([from, to]) => from !== to)),
  markdown: { anchor: { slugify: headingAnchor }, config: linkPages },
  vite: { build: { assetsInlineLimit: 0 } },
  themeConfig: {
    search: { provider: 'local' },
    nav: [
      { text: 'Tour', link: link('docs/tour.md') },
      { text: 'Configuration', link: link('docs/configuration.md') },
      { text: 'Changelog', link: link('CHANGELOG.md') },
    ],
    sidebar: contents.map(({ title, files }) => ({
      text: title,
      collapsed: false,
      items: files.map((file) => ({ text: titleOf(file), link: link(file) })),
    })),
    outline: [2, 3],
    editLink: { pattern: `${repository}/edit/main/:path` },
    socialLinks: [{ icon: 'github', link: repository }],
    footer: { message: 'MIT licence. Not affiliated with any of the services and clients named here.' },
  },
}
