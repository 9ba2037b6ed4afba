// Bundles the inspector's page into one script beside its style sheet and HTML file. The build calls it.
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { rolldown } from 'rolldown'

/** The bundle contains code of others: their licenses must be in it. */
const banner = '/*! With Preact, MIT licence, Copyright (c) 2015-present Jason Miller */'

/** In the order of the cascade: `narrow` overrides the others. */
const styles = [
  'base',
  'top',
  'list',
  'turn',
  'transcript',
  'comparison',
  'refused',
  'search',
  'versus',
  'figures',
  'narrow',
]

export async function buildPage(root) {
  const [from, to] = [join(root, 'src', 'inspector', 'page'), join(root, 'dist', 'inspector')]
  mkdirSync(to, { recursive: true })
  const bundle = await rolldown({
    input: join(from, 'main.tsx'),
    platform: 'browser',
    transform: { jsx: { runtime: 'automatic', importSource: 'preact' }, target: 'es2022' },
    tsconfig: false,
  })
  await bundle.write({
    file: join(to, 'app.js'),
    format: 'iife',
    minify: true,
    postBanner: banner,
  })
  await bundle.close()
  copyFileSync(join(from, 'index.html'), join(to, 'index.html'))
  const style = styles.map((name) => readFileSync(join(from, 'styles', `${name}.css`), 'utf8')).join('\n')
  writeFileSync(join(to, 'style.css'), style)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  await buildPage(join(import.meta.dirname, '..'))
